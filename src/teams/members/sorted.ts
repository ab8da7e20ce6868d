// Pages of the list of members by name, role or age. The invited come first in every order, the newest of them first.
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { rangeAfter } from "../../platform/kernel/sorted-pagination.ts";
import type { Order, Place, Sorting } from "../../platform/kernel/sorted-pagination.ts";
import { searchNeedlesOf } from "../../platform/kernel/text/search-text.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { nameKeyOf } from "../../platform/store/search/entries.ts";
import { findAmong, findFew } from "../../platform/store/search/find.ts";
import { fillSorted } from "../../platform/store/search/sorted-page.ts";
import type { SortedList, SortedRows } from "../../platform/store/search/sorted-page.ts";
import { listByName } from "../../platform/store/search/store.ts";
import { accountsOf, findInvited, findMembers, findSearched } from "./list.ts";
import type { Filter, Positioned } from "./list.ts";
import { listMembers } from "./list-store.ts";

export const MEMBER_KINDS = { name: "text", role: "text", createdAt: "number" } as const;
export type MemberSort = keyof typeof MEMBER_KINDS;

/** Before the keys of all accounts. */
const INVITED = { name: "", role: "", createdAt: -1 } as const;
const END = Number.MAX_SAFE_INTEGER;
/** More matches of a search are found in the order of the list rather than by their ids. */
const MAX_CHOSEN = 500;

type Page = SortedRows<Positioned>;
interface Part {
  readonly order: Order;
  /** Behind which the page begins; null: it is the first one of accounts. */
  readonly from: Place | null;
  readonly limit: number;
}

/** In the order of their positions, which is that of their ages: role by role, or all together (null). */
async function readByPosition(
  tx: Tx,
  teamId: string,
  filter: Filter,
  roles: readonly (Filter["role"] | null)[],
  { order, from, limit }: Part,
): Promise<Page> {
  const rows: Positioned[] = [];
  const isForward = order === "asc";
  const first = Math.max(
    0,
    roles.findIndex((role) => role === from?.key),
  );
  for (const [at, role] of roles.slice(first).entries()) {
    const start = at === 0 ? from : null;
    const after = isForward && start ? start.position : -1;
    const before = !isForward && start ? start.position : END;
    const bounds = { limit: limit - rows.length, after, before, isForward };
    const found = await findMembers(tx, teamId, role ? { ...filter, role } : filter, bounds);
    rows.push(...found.rows);
    const last = rows[Math.min(limit, rows.length) - 1];
    if (last && (found.isCut || rows.length > limit)) {
      return { rows: rows.slice(0, limit), next: { key: role ? last.membership.role : 0, position: last.position } };
    }
  }
  return { rows, next: null };
}

/** As the engines compare texts: by their bytes. */
function compare(one: Place, other: Place): number {
  return Buffer.from(String(one.key)).compare(Buffer.from(String(other.key))) || one.position - other.position;
}

const placeOf = ({ person, position }: Positioned): Place => ({ key: nameKeyOf(person), position });

async function listChosen(tx: Tx, teamId: string, filter: Filter, userIds: readonly string[]) {
  const whole = { limit: userIds.length, after: -1, before: END, isForward: true };
  return await listMembers(tx, teamId, { ...filter, userIds }, whole);
}

/** Of a few accounts by their names. */
async function readChosen(
  tx: Tx,
  teamId: string,
  filter: Filter,
  userIds: readonly string[],
  { order, from, limit }: Part,
): Promise<Page> {
  const sign = order === "asc" ? 1 : -1;
  const all = (await listChosen(tx, teamId, filter, userIds)).map((row) => ({ row, place: placeOf(row) }));
  const left = all.filter(({ place }) => from === null || sign * compare(place, from) > 0);
  left.sort((one, other) => sign * compare(one.place, other.place));
  return {
    rows: left.slice(0, limit).map(({ row }) => row),
    next: left.length > limit ? (left[limit - 1]?.place ?? null) : null,
  };
}

/** An entry of the list's search index; `row` is its member, once that is read. */
type Named = Awaited<ReturnType<typeof listByName>>[number] & { readonly row?: Positioned };

/** By their names, in ranges of a bounded length; page by page where nothing narrows the list. */
async function readByName(tx: Tx, teamId: string, { search = "", ...filter }: Filter, part: Part): Promise<Page> {
  const { order, from, limit } = part;
  const needles = searchNeedlesOf(search);
  const searched = { scope: teamId, needles };
  const known = await findSearched(tx, teamId, filter);
  const few =
    needles.length === 0 ? known : await (known ? findAmong(tx, searched, known) : findFew(tx, searched, MAX_CHOSEN));
  if (few) return await readChosen(tx, teamId, filter, few, part);
  const { role, excludeProject, eligibleMembersForProjectId } = filter;
  const isNarrowed = needles.length > 0 || (role ?? excludeProject ?? eligibleMembersForProjectId) !== undefined;
  const list: SortedList<Named> = {
    read: (range, count) => listByName(tx, { scope: teamId }, range, count),
    placeOf: ({ key, position }) => ({ key, position }),
    async choose(entries) {
      const found = entries.filter(
        ({ content }) => needles.length === 0 || needles.some((one) => content.includes(one)),
      );
      const ids = found.map(({ userId }) => userId);
      const byId = new Map((await listChosen(tx, teamId, filter, ids)).map((row) => [row.person.id, row]));
      return found.flatMap((entry) => {
        const row = byId.get(entry.userId);
        return row ? [{ ...entry, row }] : [];
      });
    },
    isSparse: isNarrowed,
  };
  const { rows, next } = await fillSorted(list, rangeAfter("text", order, from), limit);
  return { rows: rows.flatMap(({ row }) => row ?? []), next };
}

async function readAccounts(tx: Tx, teamId: string, filter: Filter, sort: MemberSort, part: Part): Promise<Page> {
  switch (sort) {
    case "name":
      return await readByName(tx, teamId, filter, part);
    case "createdAt":
      return await readByPosition(tx, teamId, filter, [null], part);
    case "role": {
      const inOrder = part.order === "asc" ? TEAM_ROLES : TEAM_ROLES.toReversed();
      const roles = filter.role ? [filter.role] : inOrder;
      return await readByPosition(tx, teamId, filter, roles, { ...part, order: "desc" });
    }
  }
}

/** A page of the list of members in another order than its own. */
export async function findSorted(
  tx: Tx,
  teamId: string,
  { canReadInvites, ...filter }: Filter & { readonly canReadInvites: boolean },
  { sort, order, from }: Sorting<MemberSort>,
  limit: number,
): Promise<Page> {
  const key = INVITED[sort];
  const isBegun = from !== null && from.key !== key;
  const bounds = { limit, after: -1, before: from?.position ?? END, isForward: false };
  const invited = isBegun || !canReadInvites ? [] : await findInvited(tx, teamId, filter, bounds);
  const last = invited[limit - 1];
  if (last) return { rows: invited.slice(0, limit), next: { key, position: last.position } };
  const { userIds } = filter;
  const accounts = userIds ? { ...filter, userIds: await accountsOf(tx, teamId, userIds) } : filter;
  const part = { order, from: isBegun ? from : null, limit: limit - invited.length };
  const { rows, next } = await readAccounts(tx, teamId, accounts, sort, part);
  return { rows: [...invited, ...rows], next };
}
