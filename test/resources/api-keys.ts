// API keys for tests.
import type { TestResponse, Body, TestApp, TestTeam, TestUser } from "../harness/test-app.ts";

export interface TeamKey {
  readonly team: TestTeam;
  /** Query that names the team. */
  readonly scope: string;
  readonly apiKey: Body;
  readonly value: string;
}

type Client = Pick<TestApp, "request" | "createTeam">;

/** Creates a key of the account behind `token`, or with `scope` of a team; role OWNER unless `body` says otherwise. */
export function createKey({ request }: Client, token: string, scope = "", body: object = {}): Promise<TestResponse> {
  return request("POST", `/v1/api-keys${scope}`, { token, body: { name: "deploy", role: "OWNER", ...body } });
}

/** A key of a new team whose OWNER is `user`. */
export async function createTeamKey(client: Client, user: TestUser, body: object = {}): Promise<TeamKey> {
  const team = await client.createTeam(user);
  const scope = `?teamId=${team.id}`;
  const created = await createKey(client, user.token, scope, body);
  if (created.status !== 200) throw new Error(`createTeamKey: ${created.text}`);
  return { team, scope, apiKey: created.body.apiKey, value: created.body.value };
}

/** Sends a read that any key with `api-key:read` may make, from an address. */
export function readKeys({ request }: Client, value: string, ip?: string): Promise<TestResponse> {
  return request("GET", "/v1/api-keys", { token: value, ...(ip === undefined ? {} : { ip }) });
}
