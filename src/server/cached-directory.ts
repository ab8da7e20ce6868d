// The directory for reads on the embedded store: who a token stands for, and how that caller stands to a team, are
// asked for by nearly every request and seldom change.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Caller, Directory, TeamAuthorization } from "../kernel/caller.ts";
import type { Awaitable } from "../kernel/tx.ts";
import type { SqliteReader } from "../store/sqlite/reader.ts";
import { createVersionedCache } from "../store/versioned-cache.ts";

const BOUNDS = { capacity: 10_000, sizeOf: () => 1 };

/** Finds through a cache; absent things are not kept. */
function createFinder<V>(readVersion: () => number) {
  const cache = createVersionedCache<V>(readVersion, BOUNDS);
  async function loadAndKeep(key: string, readAt: number, load: () => Awaitable<V | undefined>) {
    const value = await load();
    if (value !== undefined) cache.keep(key, value, readAt);
    return value;
  }
  return (key: string, load: () => Awaitable<V | undefined>): Awaitable<V | undefined> => {
    const readAt = cache.version();
    return cache.find(key) ?? loadAndKeep(key, readAt, load);
  };
}

export function cacheDirectory(
  directory: Directory,
  { readVersion, isOutdated }: Pick<SqliteReader, "readVersion" | "isOutdated">,
): Directory {
  const findCaller = createFinder<Caller>(readVersion);
  const findAuthorization = createFinder<TeamAuthorization>(readVersion);
  const unlessExpired = (caller: Caller | undefined, now: number) =>
    caller && (caller.expiresAt === null || caller.expiresAt > now) ? caller : undefined;
  const look: Directory["findCaller"] = (tx, credential, now, ip) => {
    const find = () => directory.findCaller(tx, credential, now, ip);
    // A key may be bound to addresses: its hash alone does not tell whether it is valid here.
    if (credential.kind === "key") return find();
    const found = findCaller(credential.hash, find);
    return found instanceof Promise ? found.then((caller) => unlessExpired(caller, now)) : unlessExpired(found, now);
  };
  return {
    // Every request begins here. When somebody has committed since the turn's snapshot was taken, it waits for the next turn and
    // its snapshot. Ending this one would mix two states in what other requests of the turn are reading.
    findCaller: (...of) => (isOutdated() ? nextTurn().then(() => look(...of)) : look(...of)),
    // The credential's id stands for all that was read of the caller, because nobody awaits the event loop between that and
    // this: both belong to one turn, and so to one version.
    findTeamAccess: (tx, caller, idOrSlug) =>
      findAuthorization(`${caller.credentialId} ${idOrSlug}`, () => directory.findTeamAccess(tx, caller, idOrSlug)),
    // Seldom asked for.
    findDeletedTeam: (tx, caller, idOrSlug) => directory.findDeletedTeam(tx, caller, idOrSlug),
  };
}
