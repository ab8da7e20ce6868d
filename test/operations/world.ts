// The users and objects that the tests call every endpoint with, and direct access to the store.
import type { TeamRole } from "../../src/platform/kernel/roles.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp, TestTeam, TestUser } from "../harness/test-app.ts";
import { createWatch } from "./watched-store.ts";
import type { WatchStore } from "./watched-store.ts";

export interface World extends TestApp {
  /** OWNER of `team`, and of nothing else. */
  readonly owner: TestUser;
  readonly team: TestTeam;
  /** A user in none of these teams. */
  readonly outsider: TestUser;
  /** A new account that is a confirmed member of a team of the owner's. */
  addMember(team: TestTeam, role: TeamRole): Promise<TestUser>;
  readonly watchStore: WatchStore;
  /** Types of all events so far, oldest first within each chain. */
  eventTypes(): Promise<string[]>;
}

export async function createWorld(): Promise<World> {
  // Nothing listens where the examples' webhooks lead.
  const api = await startOwnApp({ egressAllow: "127.0.0.1" });
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const outsider = await api.createUser();
  return {
    ...api,
    owner,
    team,
    outsider,
    async addMember({ id }, role) {
      const user = await api.createUser();
      const invited = { token: owner.token, body: { uid: user.id, role } };
      await api.request("POST", `/v1/teams/${id}/members`, invited);
      const joined = await api.request("POST", "/v1/teams/join", { token: user.token, body: { teamId: id } });
      if (joined.status !== 200) throw new Error(`addMember: ${joined.text}`);
      return user;
    },
    watchStore: await createWatch(api),
    async eventTypes() {
      const rows = await api.query("select type from events order by owner_id, sequence");
      return rows.map((row) => String(row["type"]));
    },
  };
}
