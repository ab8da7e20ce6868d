// One release of the SDK against the started Reeve, with the calls that differ between releases brought to one form.
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import type { StartedApp } from "../started-app.ts";
import { loadSdk } from "./releases.ts";
import type { Release, Sdk } from "./releases.ts";

export interface Session extends Pick<StartedApp, "createUser" | "createTeam" | "request"> {
  readonly release: Release;
  connect(bearerToken: string): Sdk;
  as(user: TestUser): Sdk;
  createOwnerAndTeam(): Promise<{ owner: TestUser; team: TestTeam }>;
  /** Invites one person the way that this release sends it. */
  invite(owner: TestUser, teamId: string, person: { email: string; role?: string }): Promise<Body>;
  /** The members, through the client where it can list them. */
  listMembers(owner: TestUser, teamId: string): Promise<Body>;
}

export async function openSession(release: Release, reeve: StartedApp): Promise<Session> {
  const { createUser, createTeam, request } = reeve;
  const connect = await loadSdk(release, reeve.url);
  const as = ({ token }: TestUser) => connect(token);
  return {
    release,
    connect,
    as,
    createUser,
    createTeam,
    request,
    async createOwnerAndTeam() {
      const owner = await createUser();
      return { owner, team: await createTeam(owner) };
    },
    async invite(owner, teamId, person) {
      const requestBody = release.invites === "array" ? [person] : person;
      return await as(owner).teams.inviteUserToTeam({ teamId, requestBody });
    },
    async listMembers(owner, teamId) {
      if (release.canListMembers) return await as(owner).teams.getTeamMembers({ teamId });
      return (await request("GET", `/v3/teams/${teamId}/members`, { token: owner.token })).body;
    },
  };
}
