// The requests that existing clients send, in order, and what each reads from the responses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { DAY_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startTestApp();
const { request, clock, createUser, createTeam } = client;

const PATH = "/v1/security/firewall/bypass";

async function openTeam() {
  const user = await createUser();
  const { id } = await createTeam(user);
  return {
    teamId: id,
    call: (method: string, query: string, body?: unknown) =>
      request(method, `${PATH}?${query}`, { token: user.token, ...(body === undefined ? {} : { body }) }),
  };
}

/** The Terraform provider's state of an entry. */
function terraformState({ Id, OwnerId, Domain, Ip, IsProjectRule, Note }: Body) {
  return { id: Id, team: OwnerId, project: Id.split("#")[0], domain: IsProjectRule ? "*" : Domain, ip: Ip, note: Note };
}

test("Terraform finds an entry as planned, and removes it", async () => {
  for (const [domain, ip] of [
    ["example.com", "5.6.7.8"],
    ["*.example.com", "52.33.44.0/24"],
    ["*", "2001:db8:0:1::/64"],
  ] as const) {
    const { teamId, call } = await openTeam();
    const scope = `projectId=prj_2WjyKQmM8ZnGcJsPWMrHRHrE&teamId=${teamId}`;
    // Another entry of the same network must not interfere.
    await call("POST", scope, { domain: "a.example", sourceIp: ip });
    const target = domain === "*" ? { sourceIp: ip, projectScope: true } : { domain, sourceIp: ip };
    const created = await call("POST", scope, { ...target, note: "office" });
    const state = { team: teamId, project: "prj_2WjyKQmM8ZnGcJsPWMrHRHrE", domain, ip, note: "office" };
    const { id, ...planned } = terraformState(created.body.result[0]);
    assert.deepEqual(planned, state);
    const filter = domain === "*" ? "projectScope=true" : `domain=${domain}`;
    const read = await call("GET", `${scope}&sourceIp=${ip}&${filter}`);
    assert.deepEqual(terraformState(read.body.result[0]), { id, ...state });
    // The provider sends the domain as the plan has it.
    assert.equal((await call("DELETE", scope, { domain, sourceIp: ip })).status, 200);
    assert.equal((await call("DELETE", scope, { domain, sourceIp: ip })).body.error.code, "not_found");
    assert.deepEqual((await call("GET", `${scope}&sourceIp=${ip}&${filter}`)).body.result, []);
  }
});

test("an empty teamId means the account", async () => {
  const { call } = await openTeam();
  const created = await call("POST", "projectId=p&teamId=", { domain: "example.com", sourceIp: "192.0.2.1" });
  assert.equal(created.status, 200, created.text);
});

test("the command line adds, lists and removes entries, and pauses all challenges", async () => {
  const { teamId, call } = await openTeam();
  const scope = `projectId=prj_1&teamId=${teamId}`;
  const isPaused = async () =>
    (await call("GET", scope)).body.result.some(
      ({ Ip, Domain, ExpiresAt }: Body) =>
        Ip === "0.0.0.0/0" && Domain === "*" && (ExpiresAt ?? Infinity) > clock.now / SECOND_MS,
    );
  for (let at = 0; at < 12; at++) {
    const added = await call("POST", scope, { sourceIp: `192.0.2.${at}`, projectScope: true, note: "from the shell" });
    assert.equal(added.status, 200, added.text);
  }
  assert.equal(await isPaused(), false);
  assert.equal((await call("POST", scope, { allSources: true, projectScope: true })).status, 200);
  assert.equal(await isPaused(), true, "on the first page, however many entries there are");
  // The command line tells its user that the pause ends after a day.
  clock.advance(DAY_MS - 1);
  assert.equal(await isPaused(), true);
  clock.advance(1);
  assert.equal(await isPaused(), false);
  assert.equal((await call("POST", scope, { allSources: true, projectScope: true })).status, 200);
  assert.equal((await call("DELETE", scope, { allSources: true, projectScope: true })).status, 200);
  assert.equal(await isPaused(), false);
  assert.equal((await call("DELETE", scope, { sourceIp: "192.0.2.1", projectScope: true })).status, 200);
  assert.equal((await call("DELETE", scope, { sourceIp: "192.0.2.1", projectScope: true })).status, 404);
});
