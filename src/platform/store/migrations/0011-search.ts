import { searchTextOf } from "../../kernel/text/search-text.ts";
import type { WriteTx } from "../database.ts";
import type { Dialect, Migration } from "./migration.ts";
import { searchIndexParts } from "../search-index.ts";
import type { Row, Table } from "../tables/table.ts";

const ENTRIES: Table = {
  name: "search_entries",
  columns: [
    { name: "scope", type: "text" },
    { name: "ordinal", type: "integer" },
    { name: "user_id", type: "text" },
    { name: "position", type: "integer" },
    { name: "is_account", type: "integer" },
    { name: "content", type: "text" },
  ],
  key: ["scope", "ordinal"],
};
const BATCH = 1_000;

/** The people of a list in its order, after a position. */
const LISTS = [
  `select 'users' as scope, id as user_id, position, email, username, name, 'member' as state, '{}' as joined_from
    from users where ('users', position) > ($1, $2) order by position limit ${BATCH}`,
  `select m.team_id as scope, m.user_id, m.position, u.email, u.username, u.name, m.state, m.joined_from
    from memberships m join users u on u.id = m.user_id
    where (m.team_id, m.position) > ($1, $2) order by m.team_id, m.position limit ${BATCH}`,
];

interface Listed {
  readonly scope: string;
  readonly user_id: string;
  readonly position: number;
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly state: string;
  readonly joined_from: string;
}

function contentOf({ state, joined_from, email, username, name }: Listed): string {
  if (state !== "invited") return searchTextOf([name, username, email]);
  const { origin } = JSON.parse(joined_from) as { readonly origin?: string };
  return searchTextOf(origin === "mail" ? [email] : []);
}

async function fillEntries(tx: WriteTx): Promise<void> {
  for (const list of LISTS) {
    let scope = "";
    let position = -1;
    let ordinal = 0;
    for (;;) {
      const text = tx.engine === "sqlite" ? list.replaceAll(/\$(\d)/g, "?$1") : list;
      const listed = (await tx.query(text, [scope, position])) as unknown as readonly Listed[];
      const rows = listed.map((one): Row => {
        ordinal = one.scope === scope ? ordinal + 1 : 0;
        scope = one.scope;
        ({ position } = one);
        const isAccount = one.state === "invited" ? 0 : 1;
        return [scope, ordinal, one.user_id, position, isAccount, contentOf(one)];
      });
      if (rows.length === 0) break;
      await tx.insertRows(ENTRIES, rows);
    }
  }
}

/** The entries by which members and accounts are searched. */
export const search: Migration = {
  version: 11,
  name: "search",
  statements: ({ text, big, clustered }: Dialect) => [
    // A row for each search result: each account, and each person in each team. scope: the list, a team's id or `users`. ordinal:
    // counts the entries of a scope in the order of their positions. is_account: `content` follows the account; for invited
    // people it is what their inviter gave.
    `create table search_entries (
      scope ${text} not null,
      ordinal ${big} not null,
      user_id ${text} not null,
      position ${big} not null,
      is_account integer not null,
      content ${text} not null,
      primary key (scope, ordinal)
    ) ${clustered}`,
    `create unique index search_entries_position on search_entries (scope, position)`,
    `create unique index search_entries_user on search_entries (user_id, scope)`,
    // Renamed accounts with more entries than one change can update. after_scope: the last scope that was done.
    `create table search_refreshes (
      user_id ${text} primary key,
      after_scope ${text} not null
    )`,
    // For a user's list of teams, and for the memberships that prevent the deletion of an account.
    `create index memberships_joined on memberships (user_id, user_position) where state = 'member'`,
    `create index memberships_owned on memberships (user_id, user_position) where state = 'member' and role = 'OWNER'`,
  ],
  derived: searchIndexParts,
  fill: fillEntries,
};
