// The directory for reads on the embedded store: who a token stands for, and how that caller stands to a team, are
// asked for by nearly every request and seldom change.
import type { Caller, Directory, TeamStanding } from "../kernel/caller.ts";
import { createVersionedCache } from "./versioned-cache.ts";

export function cacheDirectory(directory: Directory, readVersion: () => number): Directory {
  const callers = createVersionedCache<Caller>(readVersion);
  const standings = createVersionedCache<TeamStanding>(readVersion);
  return {
    async findCaller(tx, credential, now, ip) {
      const find = () => directory.findCaller(tx, credential, now, ip);
      // A key may be bound to addresses: its hash alone does not tell whether it is valid here.
      if (credential.kind === "key") return await find();
      const caller = await callers.find(credential.hash, find);
      return caller && (caller.expiresAt === null || caller.expiresAt > now) ? caller : undefined;
    },
    // The credential's id stands for all that was read of the caller, because nothing awaits the event loop between the
    // gate that read it and this: both belong to one turn, and so to one version.
    findTeamAccess: (tx, caller, idOrSlug) =>
      standings.find(`${caller.credentialId} ${idOrSlug}`, () => directory.findTeamAccess(tx, caller, idOrSlug)),
  };
}
