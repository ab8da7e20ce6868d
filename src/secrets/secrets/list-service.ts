// Pages of the list of secrets, with any filter and in any order. A filter that few secrets match chooses them by its index; otherwise the
// list is read in its order, in ranges of a bounded length.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { isWithin, limitOf } from "../../platform/kernel/limits.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { rangeAfter, readSorting, sortedPage } from "../../platform/kernel/sorted-pagination.ts";
import type { Sorting } from "../../platform/kernel/sorted-pagination.ts";
import type { Awaitable, Tx } from "../../platform/kernel/tx.ts";
import { secretsScope } from "../../platform/store/search/entries.ts";
import { fillPage, findFew, paginateFiltered, paginateKnown } from "../../platform/store/search/find.ts";
import type { FoundPage } from "../../platform/store/search/find.ts";
import { fillSorted, filterKnown } from "../../platform/store/search/sorted-page.ts";
import type { secretListContract } from "./list-contract.ts";
import {
  SORTED,
  findSecretPosition,
  listChosen,
  listDeleted,
  listEnding,
  listFound,
  listOfProject,
  listSecrets,
  listTagged,
} from "./list-store.ts";
import type { ListedSecret, SecretFilter } from "./list-store.ts";
import { RESTORABLE_MS, nameKey } from "./rules.ts";
import { publicSecret } from "./view.ts";

type ListCall = Call<typeof secretListContract.listSecrets>;
type Sort = keyof typeof SORTED;

/** The secrets to which entries of environments refer, as far as the caller may know of those. `place` is PROJECT or PROJECT/ENVIRONMENT. */
export type FindUsed = (tx: Tx, call: Pick<Call, "scope" | "caller">, place: string) => Promise<ReadonlySet<string>>;

/** More secrets are read in the order of the list rather than by their ids. */
const MAX_CHOSEN = 500;
const NEVER = Number.MAX_SAFE_INTEGER;

const KINDS = { name: "text", updatedAt: "number", expiresAt: "number" } as const;

function placeOf(sort: Sort, { name, updatedAt, expiresAt, position }: ListedSecret) {
  const key = { name: nameKey(name), updatedAt, expiresAt: expiresAt ?? NEVER }[sort];
  return { key, position };
}

function filterOf({ search, tag, expiresBefore }: ListCall["query"]): SecretFilter {
  return {
    search: nameKey(search ?? ""),
    tag: tag ?? null,
    endsBy: expiresBefore === undefined ? NEVER : expiresBefore - 1,
  };
}

function hasFilter({ search, tag, endsBy }: SecretFilter): boolean {
  return search !== "" || tag !== null || endsBy !== NEVER;
}

/** What the index of names can look for: a shorter text has no trigram, and no name has other characters. */
const INDEXED = /^[\w.-]{3,}$/;

/** Where the index looks for the names; null: it does not help. */
function searchedOf({ scope }: ListCall, { search }: SecretFilter) {
  return INDEXED.test(search) ? { scope: secretsScope(scope.ownerId), needles: [search] } : null;
}

/** Whether nothing but the search narrows the list in its own order, which is that of the index. */
function isSearchAlone({ caller, query }: ListCall, { tag, endsBy }: SecretFilter): boolean {
  return query.sort === undefined && tag === null && endsBy === NEVER && limitOf(caller.limits, "name") === null;
}

/** Refuses filters that do not go together. */
function requireTogether({ id, projectId, deleted, ...others }: ListCall["query"], isSorted: boolean): void {
  const { search = "", tag, usedIn, expiresBefore } = others;
  const combined = search !== "" || tag !== undefined || usedIn !== undefined || expiresBefore !== undefined;
  const alone = [id, projectId, deleted || undefined].filter((one) => one !== undefined).length;
  if (alone + (combined || isSorted ? 1 : 0) <= 1) return;
  throw new ApiError(
    "invalid_query",
    "id, projectId and deleted: expected one of them at most, without search, tag, usedIn, expiresBefore and sort",
  );
}

/** The ids of the secrets among which a filter finds its own; null: they are too many. */
async function findCandidates(
  tx: Tx,
  call: ListCall,
  filter: SecretFilter,
  findUsed: FindUsed,
  isByEnd: boolean,
): Promise<readonly string[] | null> {
  const { ownerId } = call.scope;
  const { id, usedIn } = call.query;
  const { tag, endsBy } = filter;
  if (id !== undefined) return id.split(",");
  if (usedIn !== undefined) return [...(await findUsed(tx, call, usedIn))];
  const few = (rows: readonly { readonly id: string }[]) => rows.length <= MAX_CHOSEN && rows.map((row) => row.id);
  const limit = MAX_CHOSEN + 1;
  const tagged = tag !== null && few(await listTagged(tx, { ownerId, tag, limit }));
  if (tagged) return tagged;
  // In the order of their ends they are found without.
  const ending = !isByEnd && endsBy !== NEVER && few(await listEnding(tx, { ownerId, endsBy, limit }));
  if (ending) return ending;
  const searched = isSearchAlone(call, filter) ? null : searchedOf(call, filter);
  return searched && (await findFew(tx, searched, MAX_CHOSEN));
}

/** A page of those that the caller may know of, newest first. */
async function readNewest(
  tx: Tx,
  call: ListCall,
  filter: SecretFilter,
  candidates: readonly string[] | null,
  bounds: PageBounds,
): Promise<FoundPage<ListedSecret>> {
  const { caller, scope, query } = call;
  const { ownerId } = scope;
  const read = (batch: PageBounds): Awaitable<ListedSecret[]> => {
    if (candidates) return listChosen(tx, { ownerId, ids: JSON.stringify(candidates), ...filter }, batch);
    if (query.projectId !== undefined) return listOfProject(tx, { ownerId, projectId: query.projectId }, batch);
    if (query.deleted) return listDeleted(tx, { ownerId, deletedAfter: call.now - RESTORABLE_MS }, batch);
    return hasFilter(filter) ? listFound(tx, { ownerId, ...filter }, batch) : listSecrets(tx, { ownerId }, batch);
  };
  const isLong = candidates === null && hasFilter(filter);
  if (limitOf(caller.limits, "name") !== null) {
    // A name is held against the patterns of the credential and the search alike.
    const wanted = candidates ? filter : { ...filter, search: "" };
    const all = isLong && !hasFilter(wanted) ? (batch: PageBounds) => listSecrets(tx, { ownerId }, batch) : read;
    const isKnown = ({ name }: ListedSecret) => isWithin(caller, "name", name) && nameKey(name).includes(filter.search);
    return await paginateKnown(bounds, all, isKnown);
  }
  if (!isLong) return { rows: await read(bounds), isCut: false };
  const searched = isSearchAlone(call, filter) ? searchedOf(call, filter) : null;
  if (searched) {
    return await fillPage(
      tx,
      searched,
      bounds,
      async (ids) => await listChosen(tx, { ownerId, ids: JSON.stringify(ids), ...filter }, bounds),
    );
  }
  return await paginateFiltered(bounds, {
    findPosition: (left, skip) => findSecretPosition(tx, { ownerId }, left, skip),
    read,
  });
}

/** A page of those that the caller may know of, in another order. */
async function readSorted(
  tx: Tx,
  { caller, scope, query }: ListCall,
  filter: SecretFilter,
  candidates: readonly string[] | null,
  { sort, order, from }: Sorting<Sort>,
) {
  const { ownerId } = scope;
  const { list, listFound: found, listChosen: chosen, findPlace } = SORTED[sort];
  const whole = rangeAfter(KINDS[sort], order, from);
  // In the order of their ends, those that end by a time are a part of the list.
  const last = { key: filter.endsBy, position: NEVER };
  const isPart = sort === "expiresAt" && filter.endsBy !== NEVER;
  const range = !isPart ? whole : order === "asc" ? { ...whole, to: last } : { ...whole, from: from ?? last };
  const wanted = isPart ? { ...filter, endsBy: NEVER } : filter;
  const isLong = candidates === null && hasFilter(wanted);
  const isLimited = limitOf(caller.limits, "name") !== null;
  return await fillSorted<ListedSecret>(
    {
      read: (part, limit) =>
        candidates
          ? chosen(tx, { ownerId, ids: JSON.stringify(candidates), ...wanted }, part, limit)
          : isLong
            ? found(tx, { ownerId, ...wanted }, part, limit)
            : list(tx, { ownerId }, part, limit),
      findPlace: isLong ? (part, skip) => findPlace(tx, { ownerId }, part, skip) : undefined,
      placeOf: (row) => placeOf(sort, row),
      choose: isLimited ? (rows) => filterKnown(rows, ({ name }) => isWithin(caller, "name", name)) : undefined,
      isSparse: isLimited,
    },
    range,
    paginationBounds(query).limit,
  );
}

export const createSecretListService = (findUsed: FindUsed): Implements<typeof secretListContract> => ({
  async listSecrets(tx, call) {
    const { query } = call;
    const sorting = readSorting<Sort>(query, KINDS);
    requireTogether(query, sorting !== null);
    const filter = filterOf(query);
    const candidates = await findCandidates(tx, call, filter, findUsed, sorting?.sort === "expiresAt");
    if (sorting) {
      const { rows, next } = await readSorted(tx, call, filter, candidates, sorting);
      return { secrets: rows.map(publicSecret), ...sortedPage(sorting, rows.length, next) };
    }
    const bounds = paginationBounds(query);
    const { rows, isCut } = await readNewest(tx, call, filter, candidates, bounds);
    const { items, page } = paginate(rows, bounds, isCut);
    return { secrets: items.map(publicSecret), pagination: page, page };
  },
});
