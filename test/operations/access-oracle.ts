// Who may call an endpoint, derived from its declaration and the table of roles alone: the rules of authorization, written down a
// second time. The server decides by src/platform/operations/authorize.ts, from the store, and shares no code with this; the tests hold its
// responses, and the table of docs/permissions.md, against it.
import { isMutation } from "../../src/platform/kernel/contract.ts";
import type { Endpoint } from "../../src/platform/kernel/contract.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../src/platform/kernel/roles.ts";
import type { Permission, TeamRole } from "../../src/platform/kernel/roles.ts";

/** The caller's status in the team of a call. */
export const RELATIONS = [...TEAM_ROLES, "administrator", "invited", "requested", "none"] as const;
export type Relation = (typeof RELATIONS)[number];

/** A caller: a status, and the limits of the credential. */
export interface AccessCase {
  /** The status of the user behind the credential; `key` for a team's own key. */
  readonly relation: Relation | "key";
  readonly isKey: boolean;
  /** A browser in which a person has signed in. */
  readonly isSession: boolean;
  /** The role that a key has at most. */
  readonly ceiling: TeamRole;
  /** The only permissions of that role that a key has, or a token, if it lists them. */
  readonly listed?: readonly Permission[];
  /** The team that the credential is limited to, if any: the one that the call is about, or another. */
  readonly limit: "none" | "this" | "other";
}

/** `yes`, or the status that refuses: 403 for what may not be done, 404 for what may not be seen. */
export type Decision = "yes" | 403 | 404;

/** A person with an access token that is good for everything they may do. */
export function inPerson(relation: Relation): AccessCase {
  return { relation, isKey: false, isSession: false, ceiling: "OWNER", limit: "none" };
}

function roleOf({ relation, limit, listed }: AccessCase): TeamRole | null {
  // In another team, a team's key has no status.
  if (relation === "key") return limit === "this" ? "OWNER" : null;
  // An administrator may do what an OWNER may, wherever the credential is not limited; so may its own key.
  if (relation === "administrator" && limit === "none" && listed === undefined) return "OWNER";
  return TEAM_ROLES.find((role) => role === relation) ?? null;
}

/** For objects of the team: callers with a role may see them, and callers with the permission may change them. */
function inTeam(accessCase: AccessCase, permissions: readonly Permission[], allowLimited = false): Decision {
  const role = roleOf(accessCase);
  if (role === null) return 404;
  if (accessCase.limit === "other") return allowLimited ? "yes" : 403;
  const may = (one: TeamRole) => permissions.every((permission) => ROLE_PERMISSIONS[one].includes(permission));
  const { ceiling, listed } = accessCase;
  const isListed = listed === undefined || permissions.every((permission) => listed.includes(permission));
  return may(role) && may(ceiling) && isListed ? "yes" : 403;
}

/** Invited users and users with an open request, in person and with a credential that is valid for the team. */
function isPending({ relation, isKey, listed, limit }: AccessCase): boolean {
  return (relation === "invited" || relation === "requested") && !isKey && listed === undefined && limit !== "other";
}

/** For objects of the caller. */
function ofOneself(endpoint: Endpoint, { relation, isKey, isSession, ceiling, listed, limit }: AccessCase): Decision {
  const { access } = endpoint;
  if (access.kind !== "user") return "yes";
  if (access.sessionsOnly !== undefined && !isSession) return 403;
  if (relation === "key" || (isKey && access.tokensOnly !== undefined)) return 403;
  if (listed !== undefined) return access.allowNarrow && !isKey ? "yes" : 403;
  if (!isMutation(endpoint) && !access.wholeOnly) return "yes";
  return ceiling === "OWNER" && (limit === "none" || access.allowLimited) ? "yes" : 403;
}

/**
 * Whether the case may call the endpoint about a team that is there, or where it is about none, at all; `isRecorded`
 * of a read that asks for what is recorded.
 */
export function decisionOf(endpoint: Endpoint, accessCase: AccessCase, isRecorded = false): Decision {
  const { access, recordingNeeds } = endpoint;
  switch (access.kind) {
    case "user":
      return ofOneself(endpoint, accessCase);
    case "owner":
      return inTeam(accessCase, [
        access.permission,
        ...(access.alsoNeeds ? [access.alsoNeeds] : []),
        ...(isRecorded && recordingNeeds ? [recordingNeeds] : []),
      ]);
    case "team":
      if (access.allowPending && isPending(accessCase)) return "yes";
      return inTeam(accessCase, [access.permission], access.allowLimited);
    case "known-team":
      if (access.others) return inTeam(accessCase, [access.others]);
      return accessCase.isKey || accessCase.listed || accessCase.limit === "other" ? 403 : "yes";
    case "key":
      return accessCase.isKey ? "yes" : 403;
    case "instance":
      return accessCase.relation === "administrator" &&
        !accessCase.isKey &&
        accessCase.listed === undefined &&
        accessCase.limit === "none"
        ? "yes"
        : 403;
  }
}
