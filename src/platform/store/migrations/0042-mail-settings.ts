import type { Dialect, Migration } from "./migration.ts";

/** By which mail waits for other settings. */
export const mailSettings: Migration = {
  version: 42,
  name: "mail-settings",
  oldestBeside: 40,
  // failed_with: a hash of the settings of the mail server with which the last attempt failed; null: none did, or because of the recipient.
  statements: ({ text }: Dialect) => [`alter table mails add column failed_with ${text}`],
};
