// Which engine enforces the categories of attacks: what gates report is in every configuration of the project.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const { app, clock, createUser, createTeam, request } = await startOwnApp();
const user = await createUser();
const team = await createTeam(user);
const { token } = user;

async function newProject() {
  const projectId = uniqueName("shop");
  const scope = `teamId=${team.id}&projectId=${projectId}`;
  const call = (method: string, path: string, body?: unknown) =>
    request(method, `${path}?${scope}`, { token, ...(body !== undefined && { body }) });
  await call("PUT", "/v1/firewalls", { firewallEnabled: true, rules: [] });
  return { projectId, call, report: (crs: unknown) => call("POST", "/v1/gate/engine", { crs }) };
}

test("a reported engine is in the active version, in others, in the draft, and in what changes return", async () => {
  const { call, report } = await newProject();
  const sqli = { action: "crs.update", id: "sqli", value: { active: true, action: "deny" } };
  const before = (await call("GET", "/v1/firewalls/active")).body;
  assert.equal(before.enforcedBy.crs.sqli, null);
  const { status, body } = await report("modsecurity");
  assert.deepEqual([status, body], [200, { ok: true }]);
  const changed = (await call("PATCH", "/v1/firewalls", sqli)).body;
  const staged = (await call("PATCH", "/v1/firewalls/draft", { action: "ja4Enabled", value: true })).body;
  const { active, draft, versions } = (await call("GET", "/v1/firewalls")).body;
  const read = [];
  for (const name of ["active", "1", "draft"]) read.push((await call("GET", `/v1/firewalls/${name}`)).body);
  const activated = [];
  for (const name of ["draft", "1"]) activated.push((await call("POST", `/v1/firewalls/${name}/activate`)).body);
  const all = [changed, staged, active, draft, ...versions, ...read, ...activated];
  assert.equal(all.length, 11);
  for (const { enforcedBy } of all) {
    assert.deepEqual([...new Set(Object.values(enforcedBy.crs))], ["modsecurity"]);
    assert.deepEqual(enforcedBy.managedRules, before.enforcedBy.managedRules);
  }
});

test("it replaces the one before, and is forgotten after fifteen minutes without a report", async () => {
  const { call, report } = await newProject();
  const other = await newProject();
  const now = async (of = call) => (await of("GET", "/v1/firewalls/active")).body.enforcedBy.crs.xss;
  await report("modsecurity");
  await report("coraza");
  assert.deepEqual([await now(), await now(other.call)], ["coraza", null]);
  clock.advance(14 * MINUTE_MS);
  await app.runner.changes.forgetEngines(null, clock.now);
  assert.equal(await now(), "coraza");
  await report("coraza");
  clock.advance(2 * MINUTE_MS);
  await app.runner.changes.forgetEngines(null, clock.now);
  assert.equal(await now(), "coraza");
  clock.advance(14 * MINUTE_MS);
  assert.equal(await app.runner.changes.forgetEngines(null, clock.now), 1);
  assert.equal(await app.runner.changes.forgetEngines(null, clock.now), 0);
  assert.equal(await now(), null);
});

test("an engine that nobody knows is refused, and so is a project without anything", async () => {
  const { call, report } = await newProject();
  const refused = await report("mine");
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.crs"]);
  const url = `/v1/gate/engine?teamId=${team.id}&projectId=${uniqueName("none")}`;
  const { status } = await request("POST", url, { token, body: { crs: "modsecurity" } });
  assert.equal(status, 404);
  assert.equal((await call("GET", "/v1/firewalls/active")).body.enforcedBy.crs.xss, null);
});
