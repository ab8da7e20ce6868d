// Caches the directory for reads: nearly every request looks up the caller of a credential and that caller's access to a team, and
// both seldom change.
import type { Caller, Directory, TeamAuthorization } from "../kernel/caller.ts";
import type { Awaitable } from "../kernel/tx.ts";
import { createVersionedCache } from "../store/versioned-cache.ts";
import type { VersionedCache } from "../store/versioned-cache.ts";
import { NO_OWNER, versionFor } from "../store/versions.ts";
import type { StoreVersions } from "../store/versions.ts";

const BOUNDS = { capacity: 10_000, sizeOf: () => 1 };

type Lookup = Parameters<Directory["findCaller"]>;

/** A key may be limited to addresses, so that its hash alone does not decide whether it is valid. */
function callerKey([, { kind, hash }, , ip]: Lookup): string {
  return kind === "key" ? `${kind} ${hash} ${ip}` : `${kind} ${hash}`;
}

/** Finds callers. Every request begins with this call. Absent ones are not cached. */
function createCallerFinder(directory: Directory, versions: StoreVersions): Directory["findCaller"] {
  const callers = createVersionedCache<Caller>(versions, BOUNDS);

  async function load(key: string, lookup: Lookup): Promise<Caller | undefined> {
    const readAt = versions.present();
    const found = await directory.findCaller(...lookup);
    if (!found) return undefined;
    const caller = { ...found, readAt };
    callers.set(key, caller, readAt, NO_OWNER);
    return caller;
  }

  function find(lookup: Lookup): Awaitable<Caller | undefined> {
    const key = callerKey(lookup);
    const caller = callers.find(key);
    if (!caller) return load(key, lookup);
    const now = lookup[2];
    return caller.expiresAt === null || caller.expiresAt > now ? caller : undefined;
  }

  return (...lookup) => {
    const refreshed = versions.refresh();
    return refreshed ? refreshed.then(() => find(lookup)) : find(lookup);
  };
}

async function loadAuthorization(
  cache: VersionedCache<TeamAuthorization>,
  key: string,
  readAt: number,
  loading: Awaitable<TeamAuthorization | undefined>,
): Promise<TeamAuthorization | undefined> {
  const value = await loading;
  if (value) cache.set(key, value, readAt, value.id);
  return value;
}

/** A directory for requests, whose callers it has found itself. */
export function cacheDirectory(directory: Directory, versions: StoreVersions): Directory {
  const authorizations = createVersionedCache<TeamAuthorization>(versions, BOUNDS);
  return {
    findCaller: createCallerFinder(directory, versions),
    findTeamAccess(tx, caller, idOrSlug) {
      // The credential's id identifies the data of the caller.
      const key = `${caller.credentialId} ${idOrSlug}`;
      const readAt = versionFor(versions, caller);
      const known = authorizations.find(key);
      return known ?? loadAuthorization(authorizations, key, readAt, directory.findTeamAccess(tx, caller, idOrSlug));
    },
    // Not cached, because it is rarely called.
    findDeletedTeam: (tx, caller, idOrSlug) => directory.findDeletedTeam(tx, caller, idOrSlug),
  };
}
