import type { Migration } from "./migration.ts";

/** Counts the tokens of a user that have not ended, however many have. */
export const tokenLimit: Migration = {
  version: 8,
  name: "token-limit",
  statements: () => [`create index access_tokens_end on access_tokens (user_id, expires_at)`],
};
