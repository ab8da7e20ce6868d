// Computes the table of docs/permissions.md: who may call an endpoint. It runs the server's own authorization on a store with a
// single team.
import { NO_SCOPE, resolveScope } from "../src/platform/operations/authorize.ts";
import type { ScopeReference } from "../src/platform/operations/authorize.ts";
import type { Caller, Directory, Scope } from "../src/platform/kernel/caller.ts";
import type { Endpoint } from "../src/platform/kernel/contract.ts";
import { ApiError } from "../src/platform/kernel/errors.ts";
import { requireForOthers, requirePermission, requireVisible } from "../src/platform/kernel/permission.ts";
import { ALL_PERMISSIONS, TEAM_ROLES } from "../src/platform/kernel/roles.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { teamAuthorization } from "../src/identity/team-access/team-access.ts";

/**
 * The callers of the table, each with an access token: members by role, an administrator who is no member, and any other user.
 */
export const TABLE_CALLERS = [...TEAM_ROLES, "administrator", "others"] as const;
export type TableCaller = (typeof TABLE_CALLERS)[number];

const TEAM_ID = "team";
/** Never used: authorization reads only the directory. */
const NO_STORE = {} as Tx;

function callerOf(who: TableCaller): Caller {
  const isAdmin = who === "administrator";
  const names = { email: "", username: "", name: null, avatar: null };
  return {
    kind: "user",
    principalId: "user",
    account: { id: "user", ...names, defaultTeamId: null, isAdmin, createdAt: 0, revision: 1 },
    credentialId: "token",
    keyName: null,
    teamId: null,
    ceiling: ALL_PERMISSIONS,
    limits: null,
    allowedCidrs: null,
    activeAt: 0,
    expiresAt: null,
    provedAt: null,
  };
}

function directoryOf(who: TableCaller): Directory {
  const role = TEAM_ROLES.find((one) => one === who) ?? null;
  const state = role === null ? null : "member";
  return {
    findCaller: () => undefined,
    findTeamAccess: (_tx, caller) => teamAuthorization(caller, { id: TEAM_ID, slug: "team", name: null, state, role }),
    findDeletedTeam: () => undefined,
  };
}

/** The team, in the place where the endpoint expects it. */
function referenceOf({ access: { kind } }: Endpoint): ScopeReference {
  if (kind === "owner") return { ...NO_SCOPE, teamId: TEAM_ID };
  return kind === "team" || kind === "known-team" ? { ...NO_SCOPE, pathTeam: TEAM_ID } : NO_SCOPE;
}

/**
 * Applies what handlers require beyond authorization, according to the declaration: for calls about another user, and of users
 * who are not confirmed members.
 */
function requireDeclared({ access, recordingNeeds }: Endpoint, scope: Scope, isRecorded: boolean): void {
  if (access.kind === "team" && access.allowPending) requireVisible(scope);
  if (access.kind === "known-team" && access.others) requireForOthers(scope, access.others);
  if (isRecorded && recordingNeeds) requirePermission(scope, recordingNeeds);
}

/** `yes`, or the status of the refusal; `isRecorded`: the call is a read that records an event. */
export async function findAccess(endpoint: Endpoint, who: TableCaller, isRecorded: boolean): Promise<"yes" | number> {
  try {
    const scope = await resolveScope(NO_STORE, directoryOf(who), endpoint, callerOf(who), {
      scope: referenceOf(endpoint),
      params: {},
      query: {},
      body: undefined,
    });
    requireDeclared(endpoint, scope, isRecorded);
    return "yes";
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}
