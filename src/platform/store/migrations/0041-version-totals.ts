import { versionTotalParts } from "../version-totals.ts";
import type { Migration } from "./migration.ts";

/** The bytes of each owner's versions. Triggers keep them, so processes of the schema before count without knowing. */
export const versionTotals: Migration = {
  version: 41,
  name: "version-totals",
  oldestBeside: 40,
  // It served the sum of large values alone.
  statements: () => ["drop index secret_versions_large"],
  derived: versionTotalParts,
};
