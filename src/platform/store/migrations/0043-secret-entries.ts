import { FILL_SECRET_ENTRIES, secretEntryParts } from "../secret-entries.ts";
import type { Migration } from "./migration.ts";

/** The entries by which secrets are searched. Triggers keep them, so processes of the schema before add theirs without knowing. */
export const secretEntries: Migration = {
  version: 43,
  name: "secret-entries",
  oldestBeside: 40,
  // Their scope is `secrets:` and the owner's id; user_id is the id of the secret, and content its name in lower case.
  statements: () => [FILL_SECRET_ENTRIES],
  derived: secretEntryParts,
};
