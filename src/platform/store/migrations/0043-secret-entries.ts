import { FILL_SECRET_ENTRIES, secretEntryParts } from "../secret-entries.ts";
import type { Migration } from "./migration.ts";

/** The entries by which secrets are searched. Triggers keep them, so processes of the schema before add theirs without knowing. */
export const secretEntries: Migration = {
  version: 43,
  name: "secret-entries",
  oldestBeside: 40,
  // Their scope is `secrets:` and the owner's id; user_id is the id of the secret, and content its name in lower case.
  statements: () => [],
  async fill(tx) {
    // Processes of the schema before go on: what they change meanwhile waits for the triggers, so that none of it is missed.
    if (tx.engine === "postgres") await tx.exec("lock table secrets in share row exclusive mode");
    await tx.exec(FILL_SECRET_ENTRIES);
  },
  derived: secretEntryParts,
};
