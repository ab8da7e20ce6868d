import type { Migration } from "./migration.ts";

/** The members of a team by their names. */
export const membersByName: Migration = {
  version: 46,
  name: "members-by-name",
  // An index alone: the release before has neither this nor version 45.
  oldestBeside: 44,
  // content: as it is searched. It begins with the name of a member, or with the username of one who has none. Names may be longer than what
  // an index of PostgreSQL takes.
  statements: () => [
    "create index search_entries_name on search_entries (scope, substr(content, 1, 300), position) where is_account = 1",
  ],
};
