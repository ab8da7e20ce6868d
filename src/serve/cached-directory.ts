// Caches the directory for reads: nearly every request looks up the caller of a credential and that caller's access to a team, and
// both seldom change.
import type { Caller, Directory, TeamAuthorization } from "../platform/kernel/caller.ts";
import { isAllowedAddress } from "../platform/kernel/network/allowed-networks.ts";
import { afterRead } from "../platform/kernel/tx.ts";
import { createVersionedCache } from "../platform/store/versioned-cache.ts";
import { NO_OWNER, versionFor } from "../platform/store/versions.ts";
import type { StoreVersions } from "../platform/store/versions.ts";

const BOUNDS = { capacity: 10_000, sizeOf: () => 1 };

/** What the store says of a credential that may have been read for another address, at another time. */
function isValid({ expiresAt, allowedCidrs }: Caller, now: number, ip: string): boolean {
  return (expiresAt === null || expiresAt > now) && (allowedCidrs === null || isAllowedAddress(allowedCidrs, ip));
}

/** Finds callers. Every request begins with this call. Absent ones are not cached. */
function createCallerFinder(directory: Directory, versions: StoreVersions): Directory["findCaller"] {
  const createCache = () => createVersionedCache<Caller>(versions, BOUNDS);
  // One for each kind, so that a hash alone is the key: it is found faster than a text that is made for each request.
  const caches = { token: createCache(), key: createCache(), session: createCache() };

  const find: Directory["findCaller"] = (tx, credential, now, ip) => {
    const callers = caches[credential.kind];
    const known = callers.find(credential.hash);
    if (known) return isValid(known, now, ip) ? known : undefined;
    const readAt = versions.present();
    return afterRead(directory.findCaller(tx, credential, now, ip), (found) => {
      if (!found) return undefined;
      const caller = { ...found, readAt };
      callers.set(credential.hash, caller, readAt, NO_OWNER);
      return caller;
    });
  };

  return (...lookup) => {
    const refreshed = versions.refresh();
    return refreshed ? refreshed.then(() => find(...lookup)) : find(...lookup);
  };
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
      if (known) return known;
      return afterRead(directory.findTeamAccess(tx, caller, idOrSlug), (team) => {
        if (team) authorizations.set(key, team, readAt, team.id);
        return team;
      });
    },
    // Not cached, because it is rarely called.
    findDeletedTeam: (tx, caller, idOrSlug) => directory.findDeletedTeam(tx, caller, idOrSlug),
  };
}
