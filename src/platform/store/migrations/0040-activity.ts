import type { Migration } from "./migration.ts";

/** When an account last used a session and a token, without reading all of them. */
export const activity: Migration = {
  version: 40,
  name: "activity",
  oldestBeside: 39,
  statements: () => [
    "create index sessions_active on sessions (user_id, active_at)",
    "create index access_tokens_active on access_tokens (user_id, active_at)",
  ],
};
