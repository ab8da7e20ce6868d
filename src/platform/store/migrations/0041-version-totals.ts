import { versionTotalParts } from "../version-totals.ts";
import type { Migration } from "./migration.ts";

/** The bytes of each owner's versions. Triggers keep them, so processes of the schema before count without knowing. */
export const versionTotals: Migration = {
  version: 41,
  name: "version-totals",
  oldestBeside: 40,
  // The index secret_versions_large, which served the sum of large values alone, stays: to drop it waits for each reader, such as a
  // backup, and all that come later wait for it.
  statements: () => [],
  derived: versionTotalParts,
};
