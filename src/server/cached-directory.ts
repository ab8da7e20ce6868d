// Caches the directory for reads on the embedded store: nearly every request looks up the caller of a token and that caller's
// access to a team, and both seldom change.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller, Directory, TeamAuthorization } from "../kernel/caller.ts";
import type { Awaitable } from "../kernel/tx.ts";
import type { SqliteReader } from "../store/sqlite/reader.ts";
import { createVersionedCache } from "../store/versioned-cache.ts";
import { NO_OWNER } from "../store/versions.ts";
import type { StoreVersions } from "../store/versions.ts";

const BOUNDS = { capacity: 10_000, sizeOf: () => 1 };

/** Finds through a cache; absent values are not cached. `ownerOf`: the owner on whose rows a value depends. */
function createFinder<V>(versions: StoreVersions, ownerOf: (value: V) => string) {
  const cache = createVersionedCache<V>(versions, BOUNDS);
  async function loadAndCache(key: string, readAt: number, load: () => Awaitable<V | undefined>) {
    const value = await load();
    if (value !== undefined) cache.set(key, value, readAt, ownerOf(value));
    return value;
  }
  return (key: string, load: () => Awaitable<V | undefined>): Awaitable<V | undefined> => {
    const readAt = cache.version();
    return cache.find(key) ?? loadAndCache(key, readAt, load);
  };
}

export function cacheDirectory(
  directory: Directory,
  { versions, isOutdated }: Pick<SqliteReader, "versions" | "isOutdated">,
): Directory {
  const findCaller = createFinder<Caller>(versions, () => NO_OWNER);
  const findAuthorization = createFinder<TeamAuthorization>(versions, ({ id }) => id);
  const unlessExpired = (caller: Caller | undefined, now: number) =>
    caller && (caller.expiresAt === null || caller.expiresAt > now) ? caller : undefined;
  const findNow: Directory["findCaller"] = (tx, credential, now, ip) => {
    const find = () => directory.findCaller(tx, credential, now, ip);
    // A key may be limited to addresses: its hash alone does not decide whether it is valid for this request.
    if (credential.kind === "key") return find();
    const found = findCaller(`${credential.kind} ${credential.hash}`, find);
    return found instanceof Promise ? found.then((caller) => unlessExpired(caller, now)) : unlessExpired(found, now);
  };
  return {
    // Every request begins with this call. If there was a commit since the turn's snapshot was taken, it waits for the next
    // turn and a new snapshot. Ending the snapshot here would mix two states in the reads of the turn's other requests.
    findCaller: (...args) => (isOutdated() ? nextTurn().then(() => findNow(...args)) : findNow(...args)),
    // The credential's id identifies the data of the caller: nothing awaits the event loop between findCaller and this call, so
    // both belong to one turn and to one version.
    findTeamAccess: (tx, caller, idOrSlug) =>
      findAuthorization(`${caller.credentialId} ${idOrSlug}`, () => directory.findTeamAccess(tx, caller, idOrSlug)),
    // Not cached, because it is rarely called.
    findDeletedTeam: (tx, caller, idOrSlug) => directory.findDeletedTeam(tx, caller, idOrSlug),
  };
}
