import type { Migration } from "./migration.ts";

/** An index to count the valid tokens of a user, however many have expired. */
export const tokenLimit: Migration = {
  version: 8,
  name: "token-limit",
  statements: () => [`create index access_tokens_end on access_tokens (user_id, expires_at)`],
};
