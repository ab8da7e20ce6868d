// A member as served and as recorded in events.
import type { JoinedFrom } from "../../platform/kernel/membership.ts";
import type { Invite } from "../invites/row.ts";
import type { Membership, Person } from "./row.ts";

/** The account at the code host that somebody joined from, under the name of the host. */
export function gitAccounts({ origin, gitUserLogin }: JoinedFrom) {
  const isGit = origin === "github" || origin === "gitlab" || origin === "bitbucket";
  return isGit ? { [origin]: gitUserLogin === undefined ? {} : { login: gitUserLogin } } : {};
}

/** Absent rather than null: old clients reject null for these. */
export function viewMember(person: Person, membership: Membership) {
  const { role, joinedFrom, teamPermissions, projects, confirmedAt, accessRequestedAt, createdAt } = membership;
  return {
    uid: person.id,
    email: person.email,
    username: person.username,
    ...(person.name === null ? {} : { name: person.name }),
    ...(person.avatar === null ? {} : { avatar: person.avatar }),
    role,
    confirmed: membership.state === "member",
    createdAt,
    ...(confirmedAt === null ? {} : { confirmedAt }),
    ...(accessRequestedAt === null ? {} : { accessRequestedAt }),
    joinedFrom,
    teamRoles: [role],
    teamPermissions: [...teamPermissions],
    projects: projects.map((grant) => ({ id: grant.projectId, name: grant.projectId, role: grant.role })),
    ...gitAccounts(joinedFrom),
  };
}

/** A person's invitation as clients withdraw it: by its own id. */
export function viewEmailInvite({ id, email, role, projects, teamPermissions, createdAt }: Invite) {
  return {
    id,
    email: email ?? "",
    role,
    isDSyncUser: false,
    teamRoles: [role],
    teamPermissions: [...teamPermissions],
    projects: Object.fromEntries(projects.map((grant) => [grant.projectId, grant.role])),
    createdAt,
  };
}

/** The membership as events record it before and after a change. */
export function memberState({ state, role, teamPermissions, projects }: Membership): Record<string, unknown> {
  return {
    state,
    role,
    teamPermissions,
    projects: projects.map(({ projectId, role: given }) => ({ projectId, role: given })),
  };
}
