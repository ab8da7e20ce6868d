// Members of a team as joining makes them, by the hundred.
import { searchTextOf } from "../../src/platform/kernel/text/search-text.ts";
import type { TestApp, TestTeam } from "../harness/test-app.ts";

export interface Planted {
  readonly name?: string;
  readonly email: string;
  readonly role?: string;
}

/** Inserts accounts as members of a team, from the oldest to the newest, with the rows that joining writes, and returns their ids. */
export function createPlanter(withStore: TestApp["withStore"]) {
  let planted = 0;
  return async (team: TestTeam, people: readonly Planted[], isSearched = true): Promise<string[]> => {
    const quote = (text: string | undefined) => (text === undefined ? "null" : `'${text.replaceAll("'", "''")}'`);
    const ids = people.map(() => `user_planted${++planted}`);
    const rows = people.map(({ name, email, role = "MEMBER" }, at) => {
      const id = ids[at] as string;
      const position = 3_000_000_000_000_000 + (planted - people.length + at) * 100;
      return { id, position, username: id, name, email, role };
    });
    await withStore(({ transaction }) =>
      transaction(async (tx) => {
        for (let from = 0; from < rows.length; from += 250) {
          const some = rows.slice(from, from + 250);
          const values = (row: (one: (typeof rows)[number], ordinal: number) => string) =>
            some.map((one, at) => `(${row(one, from + at + 1)})`).join(", ");
          await tx.exec(`insert into owners (id, kind) values ${values(({ id }) => `'${id}', 'user'`)}`);
          await tx.exec(`insert into users (id, email, email_key, username, username_key, name, position, created_at, updated_at)
          values ${values(({ id, email, name, position }) => `'${id}', ${quote(email)}, '${id}', '${id}', '${id}', ${quote(name)}, ${position}, 0, 0`)}`);
          await tx.exec(`insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
            created_at, updated_at, position, user_position)
          values ${values(({ id, role, position }) => `'${team.id}', '${id}', 'member', '${role}', '{"origin":"teams"}', '[]', '[]', 0, 0, ${position}, 1`)}`);
          if (!isSearched) continue;
          await tx.exec(`insert into search_entries (scope, ordinal, user_id, position, is_account, content)
          values ${values(({ id, position, name, username, email }, ordinal) => `'${team.id}', ${ordinal}, '${id}', ${position}, 1, ${quote(searchTextOf([name ?? null, username, email]))}`)}`);
        }
      }),
    );
    return ids;
  };
}
