// Bundles and the stream that wakes gates, through HTTP.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../test/harness/test-app.ts";
import { listen, listenTo } from "../../../test/resources/event-streams.ts";
import type { Bundle } from "../evaluator/bundle.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const app = await startOwnApp();
const { clock, request, createUser, createTeam } = app;

let port: number;
let user: TestUser;
let team: TestTeam;

before(async () => {
  port = await listen(app.app);
  user = await createUser();
  team = await createTeam(user);
});

const RULE = {
  name: "No admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};

async function publish(projectId: string, rules: readonly unknown[] = [RULE], ownerId = team.id): Promise<void> {
  const url = `/v1/firewalls?teamId=${ownerId}&projectId=${projectId}`;
  const { status } = await request("PUT", url, { token: user.token, body: { firewallEnabled: true, rules } });
  assert.equal(status, 200);
}

async function read(projectId: string, headers: Record<string, string> = {}, token = user.token) {
  const response = await request("GET", `/v1/gate/bundle?teamId=${team.id}&projectId=${projectId}`, { token, headers });
  return { ...response, bundle: response.body as Bundle };
}

test("a bundle has the active configuration, and not the draft", async () => {
  const projectId = uniqueName("shop");
  await publish(projectId);
  const draft = `/v1/firewalls/draft?teamId=${team.id}&projectId=${projectId}`;
  await request("PATCH", draft, { token: user.token, body: { action: "rules.insert", value: RULE } });
  const { status, bundle } = await read(projectId);
  assert.equal(status, 200);
  assert.deepEqual([bundle.ownerId, bundle.projectId, bundle.configuration?.version], [team.id, projectId, 1]);
  assert.deepEqual(
    bundle.configuration?.rules.map(({ name }) => name),
    ["No admin"],
  );
  assert.deepEqual(bundle.attackMode, { isEnabled: false, activeUntil: null, since: null });
  assert.deepEqual([bundle.bypasses, bundle.bypassRules], [[], []]);
});

test("it is not sent again while nothing changes", async () => {
  const projectId = uniqueName("shop");
  await publish(projectId);
  const first = await read(projectId);
  const etag = String(first.headers["etag"]);
  const again = await read(projectId, { "if-none-match": etag });
  assert.deepEqual([again.status, again.text, again.headers["etag"]], [304, "", etag]);
  clock.advance(MINUTE_MS);
  const among = await read(projectId, { "if-none-match": `"other", W/${etag}` });
  assert.equal(among.status, 304);
  await publish(projectId, []);
  const changed = await read(projectId, { "if-none-match": etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers["etag"], etag);
  assert.deepEqual(changed.bundle.configuration?.rules, []);
});

test("attack challenge mode and bypasses have their ends, and are left out after them", async () => {
  const projectId = uniqueName("shop");
  const until = clock.now + HOUR_MS;
  const mode = { projectId, attackModeEnabled: true, attackModeActiveUntil: until };
  await request("POST", `/v1/attack-challenge-mode?teamId=${team.id}`, { token: user.token, body: mode });
  const bypass = { domain: "shop.test", sourceIp: "203.0.113.7", ttl: HOUR_MS };
  const path = `/v1/security/firewall/bypass?teamId=${team.id}&projectId=${projectId}`;
  assert.equal((await request("POST", path, { token: user.token, body: bypass })).status, 200);
  const { bundle } = await read(projectId);
  assert.deepEqual(bundle.configuration, null);
  assert.deepEqual(bundle.attackMode, { isEnabled: true, activeUntil: until, since: until - HOUR_MS });
  assert.deepEqual(
    bundle.bypasses.map(({ domain, ip, expiresAt }) => [domain, ip, expiresAt !== null && expiresAt > clock.now]),
    [["shop.test", "203.0.113.7/32", true]],
  );
  clock.advance(2 * HOUR_MS);
  const later = await read(projectId);
  assert.deepEqual(later.bundle.attackMode, { isEnabled: false, activeUntil: null, since: null });
  assert.deepEqual(later.bundle.bypasses, []);
});

test("challenge keys are of yesterday to seven days ahead, the same each time, and others for another project", async () => {
  const [one, other] = [uniqueName("one"), uniqueName("other")];
  await publish(one);
  await publish(other);
  const today = Math.floor(clock.now / DAY_MS);
  const { challengeKeys } = (await read(one)).bundle;
  assert.deepEqual(
    challengeKeys.map(({ day }) => day - today),
    [-1, 0, 1, 2, 3, 4, 5, 6, 7],
  );
  for (const { key } of challengeKeys) assert.equal(Buffer.from(key, "base64url").length, 32);
  const others = (await read(other)).bundle.challengeKeys;
  const all = [...challengeKeys, ...others].map(({ key }) => key);
  assert.equal(new Set(all).size, 18);
  clock.advance(DAY_MS);
  const tomorrow = (await read(one)).bundle.challengeKeys;
  assert.deepEqual(tomorrow.slice(0, 8), challengeKeys.slice(1));
});

test("what one may not see is not found, and a project under which nothing is stored is not either", async () => {
  const projectId = uniqueName("shop");
  await publish(projectId);
  const stranger = await createUser();
  assert.equal((await read(projectId, {}, stranger.token)).status, 404);
  const name = uniqueName("unknown");
  const { status, body } = await read(name);
  assert.deepEqual([status, (body as { error: { projectId: string } }).error.projectId], [404, name]);
});

test("the stream names the project whose bundle has changed, and no other event", async () => {
  const projectId = uniqueName("shop");
  // The modes of other tests' projects end in the background, which wakes as well.
  const { id } = await createTeam(user);
  const stream = await listenTo(port, `/v1/gate/stream?teamId=${id}`, user.token);
  assert.equal(stream.status, 200);
  await stream.until(({ lastEventId }) => lastEventId !== "");
  await request("PATCH", `/v2/teams/${id}`, { token: user.token, body: { name: uniqueName("name") } });
  await publish(projectId, [RULE], id);
  await stream.until(({ events }) => events.length >= 1);
  assert.deepEqual(
    stream.events.map(({ type, data }) => [type, data]),
    [["change", { projectId }]],
  );
  const seen = stream.lastEventId;
  stream.close();
  await request("POST", `/v1/attack-challenge-mode?teamId=${id}`, {
    token: user.token,
    body: { projectId, attackModeEnabled: true },
  });
  const again = await listenTo(port, `/v1/gate/stream?teamId=${id}`, user.token, { "last-event-id": seen });
  await again.until(({ events }) => events.length >= 1);
  assert.deepEqual(again.events[0]?.data, { projectId });
  again.close();
});

test("a team has at most a hundred gates that listen", async () => {
  const path = `/v1/gate/stream?teamId=${team.id}`;
  const streams = await Promise.all(Array.from({ length: 100 }, () => listenTo(port, path, user.token)));
  assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]));
  const refused = await request("GET", path, { token: user.token });
  assert.deepEqual(
    [refused.status, (refused.body as { error: { code: string } }).error.code],
    [429, "too_many_streams"],
  );
  for (const stream of streams) stream.close();
});

test("the key of a gate that is limited to a project gets that bundle alone, and is woken for no other", async () => {
  const [shop, other] = [uniqueName("shop"), uniqueName("other")];
  await publish(shop);
  await publish(other);
  const body = { name: "gate", role: "SECURITY", permissions: ["gate:connect"], projects: [shop] };
  const made = await request("POST", `/v1/api-keys?teamId=${team.id}`, { token: user.token, body });
  const { value } = made.body as { value: string };
  assert.equal((await read(shop, {}, value)).status, 200);
  assert.equal((await read(other, {}, value)).status, 404);
  const report = (projectId: string) =>
    request("POST", `/v1/firewalls/traffic?projectId=${projectId}`, {
      token: value,
      body: { counts: [{ at: clock.now, host: "shop.example.com", action: "deny", count: 1 }] },
    });
  assert.deepEqual([(await report(shop)).status, (await report(other)).status], [200, 404]);
  const stream = await listenTo(port, "/v1/gate/stream", value);
  await stream.until(({ lastEventId }) => lastEventId !== "");
  await publish(other, []);
  await publish(shop, []);
  await stream.until(({ events }) => events.length > 0);
  assert.deepEqual(
    stream.events.map(({ data }) => data),
    [{ projectId: shop }],
  );
  stream.close();
});
