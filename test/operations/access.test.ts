// Refused access at every endpoint: without a valid credential, and to a team that the caller cannot see, whose response equals that
// of a team that does not exist. permissions.test.ts tests the permissions.
import assert from "node:assert/strict";
import { before as beforeAll, test } from "node:test";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { createCredential } from "../../src/platform/kernel/credential.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../src/platform/kernel/roles.ts";
import type { Permission } from "../../src/platform/kernel/roles.ts";
import { aboutNoTeam } from "../../src/platform/operations/empty-parameters.ts";
import { createKey } from "../resources/api-keys.ts";
import { sessionAsToken } from "../sign-in/session-token.ts";
import type { TestResponse, TestUser } from "../harness/test-app.ts";
import { openSession } from "../sign-in/open-session.ts";
import { OPERATIONS, aboutTeam, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const ABSENT_TEAM = `team_${"0".repeat(24)}`;

const world = await createWorld();
/** Credentials that were good once. */
const formerTokens: Record<string, string> = {};

async function createToken(
  user: TestUser,
  expiresAt?: number,
): Promise<{ readonly id: string; readonly value: string }> {
  const body = { name: "former", ...(expiresAt === undefined ? {} : { expiresAt }) };
  const created = await world.request("POST", "/v3/user/tokens", { token: user.token, body });
  return { id: created.body.token.id, value: created.body.bearerToken };
}

beforeAll(async () => {
  const { owner, clock } = world;
  const revoked = await createToken(owner);
  await world.request("DELETE", `/v3/user/tokens/${revoked.id}`, { token: owner.token });
  formerTokens["revoked"] = revoked.value;
  formerTokens["expired"] = (await createToken(owner, clock.now + DAY_MS)).value;
  const expiring = await createKey(world, owner.token, "", { expiresAt: clock.now + DAY_MS });
  formerTokens["of an expired key"] = expiring.body.value;
  const scope = `?teamId=${world.team.id}`;
  const { apiKey, value } = (await createKey(world, owner.token, scope)).body;
  await world.request("DELETE", `/v1/api-keys/${apiKey.id}${scope}`, { token: owner.token });
  formerTokens["of a deleted key"] = value;
  const elsewhere = await createKey(world, owner.token, "", { allowedCidrs: ["192.0.2.0/24"] });
  formerTokens["of a key that is used from another address"] = elsewhere.body.value;
  clock.advance(DAY_MS);
  const suspended = await world.createUser();
  await world.request("PATCH", `/v1/users/${suspended.id}`, { body: { suspended: true } });
  formerTokens["of a suspended account"] = suspended.token;
  const deleted = await world.createUser();
  await world.request("DELETE", "/v1/user", { token: deleted.token });
  formerTokens["of a deleted account"] = deleted.token;
  outsiderSession = sessionAsToken((await openSession(world, world.outsider)).session);
});

let outsiderSession = "";

/** The permission that the declaration asks for in a team; undefined when it asks for none. */
function permissionOf({ endpoint: { access } }: Operation): Permission | undefined {
  return access.kind === "owner" || access.kind === "team" ? access.permission : undefined;
}

function isForSessions({ access }: Operation["endpoint"]): boolean {
  return access.kind === "user" && access.sessionsOnly !== undefined;
}

/** The part of a response that may tell the caller something; request id and date differ anyhow. */
function visible({ status, body, headers }: TestResponse): unknown {
  const { "x-request-id": _id, date: _date, ...rest } = headers;
  return { status, body, headers: rest };
}

function refused(response: TestResponse, status: number, code: string, what: string): void {
  assert.equal(response.status, status, `${what}: ${response.text}`);
  assert.equal(response.body.error.code, code, what);
}

for (const operation of OPERATIONS) {
  const { id, endpoint } = operation;
  const paths = [endpoint.path, ...(endpoint.aliases ?? [])];

  test(`${id}: 401 without a valid credential, on every path`, async () => {
    const example = await exampleOf(operation, world);
    const changes = await world.watchStore();
    const unknown = createCredential("token").value;
    const credentials: Record<string, Record<string, string>> = {
      missing: {},
      malformed: { authorization: "Bearer a b" },
      "of another scheme": { authorization: `Basic ${Buffer.from(`a:${unknown}`).toString("base64")}` },
      "with a wrong checksum": { authorization: `Bearer ${unknown.slice(0, -1)}${unknown.endsWith("0") ? "1" : "0"}` },
      unknown: { authorization: `Bearer ${unknown}` },
      "an unknown key": { "x-api-key": createCredential("key").value },
      "a token for a key": { "x-api-key": world.owner.token },
    };
    for (const [what, token] of Object.entries(formerTokens)) credentials[what] = { authorization: `Bearer ${token}` };
    for (const path of paths) {
      for (const [what, headers] of Object.entries(credentials)) {
        const response = await call(operation, world, example, { path, token: null, headers });
        refused(response, 401, "not_authorized", `${path} with a credential ${what}`);
        assert.equal(response.headers["www-authenticate"], "Bearer");
      }
    }
    assert.deepEqual(await changes(), []);
  });

  if (aboutNoTeam(endpoint) !== null) {
    test(`${id}: a team in the query is refused, whether it is there or not`, async () => {
      const example = await exampleOf(operation, world);
      const changes = await world.watchStore();
      const token = isForSessions(endpoint) ? outsiderSession : world.outsider.token;
      for (const name of [world.team.id, world.team.slug, ABSENT_TEAM]) {
        const response = await call(operation, world, aboutTeam(operation, example, name), { token });
        refused(response, 400, "invalid_query", name);
      }
      assert.deepEqual(await changes(), []);
    });
    continue;
  }

  // Users who may join a team may know that it exists.
  if (endpoint.access.kind !== "known-team" && endpoint.access.kind !== "instance") {
    test(`${id}: a team that the caller cannot see gets the same response as one that does not exist`, async () => {
      const example = await exampleOf(operation, world);
      const changes = await world.watchStore();
      const token = isForSessions(endpoint) ? outsiderSession : world.outsider.token;
      const absent = await call(operation, world, aboutTeam(operation, example, ABSENT_TEAM), { token });
      refused(absent, 404, "not_found", "absent");
      for (const name of [world.team.id, world.team.slug]) {
        const foreign = await call(operation, world, aboutTeam(operation, example, name), { token });
        assert.deepEqual(visible(foreign), visible(absent));
      }
      assert.deepEqual(await changes(), []);
    });
  }
}

test("a viewer may change nothing in a team", () => {
  const changing = OPERATIONS.filter(({ endpoint }) => endpoint.access.kind === "team" && endpoint.method !== "GET");
  const allowed = changing.filter((operation) =>
    ROLE_PERMISSIONS.VIEWER.includes(permissionOf(operation) as Permission),
  );
  assert.deepEqual(
    allowed.map(({ id }) => id),
    [],
  );
});

test("a role that may create webhooks or read their log may read the events that these show", () => {
  const unfit = TEAM_ROLES.filter((role) => {
    const may = (permission: Permission) => ROLE_PERMISSIONS[role].includes(permission);
    return (may("webhook:write") || may("webhook:read")) && !may("event:read");
  });
  assert.deepEqual(unfit, []);
});
