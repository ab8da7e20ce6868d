// A team with shorthands for its members, for tests about membership.
import assert from "node:assert/strict";
import type { TestResponse, Body, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";

export interface OpenTeam extends TestTeam {
  readonly owner: TestUser;
  /** `POST members` as the owner. */
  invite(body: unknown): Promise<TestResponse>;
  /** `POST request` as somebody. */
  ask(user: TestUser, body?: unknown): Promise<TestResponse>;
  /** Joins by an invite code, or by the team's id. */
  join(user: TestUser, inviteCode?: string): Promise<TestResponse>;
  /** Makes somebody a confirmed member. */
  add(user: TestUser, role?: string): Promise<void>;
  /** `PATCH` and `DELETE members/{uid}`, as the owner or somebody else. */
  change(user: TestUser, body: unknown, as?: TestUser, headers?: Record<string, string>): Promise<TestResponse>;
  remove(user: TestUser, as?: TestUser): Promise<TestResponse>;
  /** The list of members as the owner sees it. */
  list(query?: string): Promise<Body>;
  /** Gives the team a name that is not its slug, and returns it. */
  rename(): Promise<string>;
  /** One person of the list; undefined when it does not hold them. */
  find(user: TestUser): Promise<Body>;
  /** The newest event of the team. */
  lastEvent(): Promise<{ readonly type: string; readonly payload: Body; readonly previous: Body; readonly next: Body }>;
}

export async function openTeam(api: TestApp, owner: TestUser): Promise<OpenTeam> {
  const team = await api.createTeam(owner);
  const path = `/v1/teams/${team.id}`;
  const post = (url: string, { token }: TestUser, body: unknown) =>
    api.request("POST", url, { token, ...(body === undefined ? {} : { body }) });
  const self: OpenTeam = {
    ...team,
    owner,
    invite: (body) => post(`${path}/members`, owner, body),
    ask: (user, body) => post(`${path}/request`, user, body),
    join: (user, inviteCode) =>
      post("/v1/teams/join", user, inviteCode === undefined ? { teamId: team.id } : { inviteCode }),
    async add(user, role = "MEMBER") {
      const invited = await self.invite({ uid: user.id, role });
      assert.equal(invited.status, 200, invited.text);
      const joined = await self.join(user);
      assert.equal(joined.status, 200, joined.text);
    },
    change: (user, body, { token } = owner, headers = {}) =>
      api.request("PATCH", `${path}/members/${user.id}`, { token, body, headers }),
    remove: (user, { token } = owner) => api.request("DELETE", `${path}/members/${user.id}`, { token }),
    list: async (query = "") => (await api.request("GET", `/v2/teams/${team.id}/members${query}`, owner)).body,
    async rename() {
      const name = `The team ${team.slug}`;
      const renamed = await api.request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name } });
      assert.equal(renamed.status, 200, renamed.text);
      return name;
    },
    find: async (user) => (await self.list(`?filterByUserIds=${user.id}`)).members[0],
    async lastEvent() {
      const [row] = await api.query(
        `select * from events where owner_id = '${team.id}' order by sequence desc limit 1`,
      );
      const read = (name: string): Body => JSON.parse((row?.[name] as string | null | undefined) ?? "null");
      return { type: String(row?.["type"]), payload: read("payload"), previous: read("previous"), next: read("next") };
    },
  };
  return self;
}
