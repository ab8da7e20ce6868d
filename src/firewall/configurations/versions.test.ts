// Versions: every change creates one, none is ever changed, one is active, and each has its author, time, note and base.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENFORCED_BY } from "../evaluator/config.ts";
import { createTeamKey } from "../../../test/resources/api-keys.ts";
import { CRS_OFF, denyPath, openFirewall, outcome, saidBy } from "../../../test/resources/firewalls.ts";
import { START_TIME, send, startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startOwnApp();
const { clock, createUser, createTeam, request, readEvents } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

test("a project without a configuration has none, and reading stores nothing", async () => {
  const { user, firewall } = await ownFirewall();
  for (const version of ["active", "draft", 1]) assert.equal(outcome(await firewall.get(version)), "not_found");
  for (const version of ["active", "draft", 1]) assert.equal(outcome(await firewall.activate(version)), "not_found");
  assert.equal(outcome(await firewall.discard()), "not_found");
  assert.equal(outcome(await firewall.call("GET", "/previous/diff/1")), "not_found");
  assert.deepEqual(await firewall.list(), {
    active: null,
    draft: null,
    versions: [],
    pagination: { count: 0, next: null, prev: null },
  });
  assert.deepEqual(await client.query(`select 1 from projects where owner_id = '${user.id}'`), []);
});

test("a PUT creates and activates a version, and the response wraps it", async () => {
  const { user, firewall } = await ownFirewall();
  const rule = denyPath("admin", { id: "rule_admin", description: "Nobody goes there" });
  const { status, body, headers } = await firewall.put({ firewallEnabled: true, rules: [rule], note: "first" });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ["active"]);
  const { id, cost, ...rest } = body.active;
  assert.match(id, /^waf_/);
  assert.equal(cost, 1);
  assert.deepEqual(rest, {
    ownerId: user.id,
    projectKey: "default",
    version: 1,
    updatedAt: new Date(clock.now).toISOString(),
    firewallEnabled: true,
    crs: CRS_OFF,
    rules: [{ ...rule, valid: true, validationErrors: null }],
    ips: [],
    changes: [],
    note: "first",
    basedOn: null,
    changeCount: 1,
    createdBy: { id: user.id, name: user.username },
    enforcedBy: ENFORCED_BY,
  });
  assert.equal(headers["etag"], '"1"');
  for (const version of ["active", 1]) {
    const read = await firewall.get(version);
    assert.deepEqual(read.body, body.active);
    assert.equal(read.headers["etag"], '"1"');
  }
  assert.deepEqual(await firewall.list(), {
    active: body.active,
    draft: null,
    versions: [body.active],
    pagination: { count: 1, next: null, prev: START_TIME },
  });
});

test("versions never change", async () => {
  const { firewall } = await ownFirewall();
  const made: Body[] = [await firewall.set({ rules: [denyPath("a")] })];
  clock.advance(1_000);
  made.push(await firewall.set({ rules: [denyPath("a"), denyPath("b")], note: null }));
  made.push((await firewall.patch({ action: "firewallEnabled", value: false, note: "maintenance" })).body);
  made.push((await firewall.activate(1)).body, await firewall.set({ ips: [] }));
  assert.deepEqual(
    made.map(({ version, basedOn, note }) => [version, basedOn, note]),
    [
      [1, null, null],
      [2, 1, null],
      [3, 2, "maintenance"],
      [1, null, null],
      [4, 1, null],
    ],
  );
  assert.equal(Date.parse(made[1].updatedAt) - Date.parse(made[0].updatedAt), 1_000);
  for (const document of made) assert.deepEqual(await firewall.read(document.version), document);
  assert.deepEqual(await firewall.read(), made[4]);
  const { versions } = await firewall.list();
  assert.deepEqual(versions, [made[4], made[2], made[1], made[0]]);
});

test("activating an earlier version does not change it, and numbers continue after the last one", async () => {
  const { firewall } = await ownFirewall();
  const first = await firewall.set({ rules: [denyPath("a")] });
  await firewall.set({ rules: [denyPath("b")] });
  const restored = await firewall.activate(1, {});
  assert.deepEqual([restored.status, restored.body, restored.headers["etag"]], [200, first, '"1"']);
  assert.deepEqual(await firewall.read(), first);
  assert.deepEqual((await firewall.activate("active")).body, first);
  const { version, basedOn, changeCount } = await firewall.set({ rules: [denyPath("a"), denyPath("c")] });
  assert.deepEqual({ version, basedOn, changeCount }, { version: 3, basedOn: 1, changeCount: 1 });
});

test("an invalid version name is rejected, and an unknown version is not found", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  for (const name of ["0", "01", "-1", "1.0", "latest", "Active", "9999999999999999"]) {
    assert.equal(outcome(await firewall.get(name)), "invalid_path", name);
    assert.equal(outcome(await firewall.activate(name)), "invalid_path", name);
  }
  for (const name of ["2", "999999999999999"]) {
    assert.equal(outcome(await firewall.get(name)), "not_found");
    assert.equal(outcome(await firewall.activate(name)), "not_found");
  }
  for (const name of ["active", "1"]) assert.equal(outcome(await firewall.call("DELETE", `/${name}`)), "invalid_path");
  assert.equal(
    outcome(await firewall.call("PATCH", "/1", { body: { action: "botId.toggle", value: true } })),
    "invalid_path",
  );
});

test("an API key is the author by its name, and in the stamps of switches", async () => {
  const { team, value } = await createTeamKey(client, await createUser(), { name: "deployer" });
  const firewall = openFirewall(client, value, "site", team.id);
  const { ownerId, createdBy, managedRules } = await firewall.set({ managedRules: { ai_bots: { active: true } } });
  assert.deepEqual([ownerId, createdBy], [team.id, { id: null, name: "deployer" }]);
  assert.deepEqual(managedRules.ai_bots, {
    active: true,
    updatedAt: new Date(clock.now).toISOString(),
    username: "deployer",
  });
});

test("projects and owners are independent", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const places = [
    openFirewall(client, user.token, "site"),
    openFirewall(client, user.token, "Site"),
    openFirewall(client, user.token, "site", team.id),
    openFirewall(client, (await createUser()).token, "site"),
  ];
  for (const [index, place] of places.entries()) {
    for (let more = 0; more <= index; more++) await place.set({ rules: [denyPath(`p${index}-${more}`)] });
    await place.stage({ action: "rules.insert", value: denyPath(`staged-${index}`) });
  }
  for (const [index, place] of places.entries()) {
    const { active, draft, versions } = await place.list();
    assert.equal(versions.length, index + 1);
    assert.equal(active.rules[0].name, `p${index}-${index}`);
    assert.equal(draft.rules[1].name, `staged-${index}`);
    assert.equal(draft.version, index + 2);
  }
  await places[0]?.discard();
  await places[2]?.activate("draft");
  assert.deepEqual(
    await Promise.all(places.map(async (place) => (await place.get("draft")).status)),
    [404, 200, 404, 200],
  );
});

test("the project defaults to `default`, and every path has the same result", async () => {
  const { token } = await createUser();
  const body = { firewallEnabled: true };
  const put = await request("PUT", "/v1/security/firewall/config?teamId=", { token, body });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.body.active.projectKey, "default");
  for (const path of ["/v1/firewalls", "/firewalls", "/v1/security/firewall/config", "/security/firewall/config"]) {
    assert.deepEqual((await request("GET", `${path}/active?projectId=default`, { token })).body, put.body.active);
    assert.deepEqual((await request("GET", path, { token })).body.active, put.body.active);
  }
  assert.equal(outcome(await request("GET", "/v1/firewalls/active?projectId=a/b", { token })), "invalid_query");
});

test("HEAD returns only the headers of GET", async () => {
  const { firewall } = await ownFirewall();
  await firewall.set();
  for (const path of ["", "/active", "/1"]) {
    const get = await firewall.call("GET", path);
    const head = await firewall.call("HEAD", path);
    assert.deepEqual([head.status, head.text, head.headers["etag"]], [200, "", get.headers["etag"]]);
    assert.equal(head.headers["content-length"], String(Buffer.byteLength(get.text)));
  }
  assert.equal((await firewall.call("HEAD", "/draft")).status, 404);
});

test("the firewalls of a team are deleted with it", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const firewall = openFirewall(client, owner.token, "site", team.id);
  await firewall.set({ rules: [denyPath("a")] });
  await firewall.stage({ action: "botId.toggle", value: true });
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token, body: {} })).status, 200);
  for (const table of ["projects", "firewalls", "firewall_versions"]) {
    assert.deepEqual(await client.query(`select 1 from ${table} where owner_id = '${team.id}'`), [], table);
  }
  assert.ok((await readEvents(team.id)).some(({ type }) => type === "firewall-config-modified"));
});

test("everything is stored across a restart", async () => {
  const { user, firewall } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a")], rulesets: { a: [1, null, "x"] } });
  await firewall.stage({ action: "rules.insert", value: denyPath("b"), note: "soon" });
  const before = await firewall.list();
  await client.app.close();
  const again = await client.startAnother();
  const { body } = await send(again, "GET", "/v1/firewalls", { token: user.token });
  assert.deepEqual(body, before);
  const activated = await send(again, "POST", "/v1/firewalls/draft/activate", { token: user.token });
  assert.deepEqual(saidBy(activated.body).rules, saidBy(before.draft).rules);
  assert.deepEqual([activated.body.version, activated.body.note], [2, "soon"]);
});
