// Caches the directory for reads: nearly every request looks up the caller of a credential and that caller's access to a team, and
// both seldom change.
import type { Caller, Directory, TeamAuthorization } from "../platform/kernel/caller.ts";
import type { CredentialKind } from "../platform/kernel/credential.ts";
import { isAllowedAddress } from "../platform/kernel/network/allowed-networks.ts";
import { afterRead } from "../platform/kernel/tx.ts";
import type { Awaitable } from "../platform/kernel/tx.ts";
import { createVersionedCache } from "../platform/store/versioned-cache.ts";
import type { VersionedCache } from "../platform/store/versioned-cache.ts";
import { NO_OWNER, versionFor } from "../platform/store/versions.ts";
import type { StoreVersions } from "../platform/store/versions.ts";

const BOUNDS = { capacity: 10_000, sizeOf: () => 1 };

type Lookup = Parameters<Directory["findCaller"]>;

/** What the store says of a credential that may have been read for another address, at another time. */
function isValid({ expiresAt, allowedCidrs }: Caller, now: number, ip: string): boolean {
  return (expiresAt === null || expiresAt > now) && (allowedCidrs === null || isAllowedAddress(allowedCidrs, ip));
}

/** Finds callers. Every request begins with this call. Absent ones are not cached. */
function createCallerFinder(directory: Directory, versions: StoreVersions) {
  const createCache = () => createVersionedCache<Caller>(versions, BOUNDS);
  // One for each kind, so that a hash alone is the key: it is found faster than a text that is made for each request.
  const caches = { token: createCache(), key: createCache(), session: createCache() };

  function load(callers: VersionedCache<Caller>, lookup: Lookup): Awaitable<Caller | undefined> {
    const readAt = versions.present();
    return afterRead(directory.findCaller(...lookup), (found) => {
      if (!found) return undefined;
      const caller = { ...found, readAt };
      callers.set(lookup[1].hash, caller, readAt, NO_OWNER);
      return caller;
    });
  }

  const find: Directory["findCaller"] = (tx, credential, now, ip) => {
    const callers = caches[credential.kind];
    const caller = callers.find(credential.hash);
    if (!caller) return load(callers, [tx, credential, now, ip]);
    return isValid(caller, now, ip) ? caller : undefined;
  };

  const findCaller: Directory["findCaller"] = (tx, credential, now, ip) => {
    const refreshed = versions.refresh();
    return refreshed ? refreshed.then(() => find(tx, credential, now, ip)) : find(tx, credential, now, ip);
  };
  const peek: CachedDirectory["peek"] = ({ kind, hash }) => caches[kind].find(hash);
  return { findCaller, peek };
}

export interface CachedDirectory extends Directory {
  /** The caller as the last request found it, if nothing has changed since. */
  peek(credential: { readonly kind: CredentialKind; readonly hash: string }): Caller | undefined;
}

/** A directory for requests, whose callers it has found itself. */
export function cacheDirectory(directory: Directory, versions: StoreVersions): CachedDirectory {
  const authorizations = createVersionedCache<TeamAuthorization>(versions, BOUNDS);
  return {
    ...createCallerFinder(directory, versions),
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
