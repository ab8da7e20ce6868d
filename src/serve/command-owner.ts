// The owner whose secrets or events a command is about, and its caller. Roles do not limit an operator, but the team or user
// must exist.
import type { Caller, Scope } from "../platform/kernel/caller.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import { ALL_PERMISSIONS } from "../platform/kernel/roles.ts";
import type { Tx } from "../platform/kernel/tx.ts";
import type { ArchiveHeader } from "../secrets/secrets/archive/archive-schema.ts";
import { findTeamAccess } from "../identity/team-access/team-access.ts";
import { findCommandCaller } from "./command-caller.ts";

/** The owner of the secrets or events of a command: a team, by id or slug, or a user, by username, e-mail address or id. */
export type OwnerReference = { readonly team: string } | { readonly user: string };

export interface CommandOwner {
  readonly caller: Caller;
  readonly scope: Scope;
  /** The owner as the header of an archive names it. */
  readonly shown: ArchiveHeader["owner"];
}

export async function findCommandOwner(tx: Tx, owner: OwnerReference): Promise<CommandOwner> {
  const caller = await findCommandCaller(tx, "user" in owner ? owner.user : null);
  if ("user" in owner) {
    const account = caller.account as NonNullable<Caller["account"]>;
    return {
      caller,
      scope: { ownerId: account.id, team: null, permissions: ALL_PERMISSIONS, isLimited: false },
      shown: { kind: "user", id: account.id, name: account.username },
    };
  }
  const team = await findTeamAccess(tx, caller, owner.team);
  if (!team) throw new ApiError("not_found", `there is no team "${owner.team}"`);
  return {
    caller,
    scope: { ownerId: team.id, team, permissions: team.permissions, isLimited: false },
    shown: { kind: "team", id: team.id, name: team.slug },
  };
}

/** A reference to the same owner by its id, which never changes. */
export function byId({ shown: { kind, id } }: CommandOwner): OwnerReference {
  return kind === "team" ? { team: id } : { user: id };
}
