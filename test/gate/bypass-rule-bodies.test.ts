// Bypass rules that read bodies: they exempt requests from attack challenge mode, and refuse nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";
import type { GateAnswer } from "./gate-world.ts";

const world = await startGateWorld();
const { team, user } = world;
const application = await listenOn(echo);
const FORM = "application/x-www-form-urlencoded";
const LARGE = "x".repeat(70_000);
const TOKEN = { type: "body", key: "token", op: "eq", value: "right" };

async function siteWith(conditions: readonly object[], { isAttackMode = false, rules = [] as object[] } = {}) {
  const project = await world.newProject({ firewallEnabled: true, rules });
  const body = { domain: "hooks.test", conditionGroup: [{ conditions }] };
  const scope = `teamId=${team.id}&projectId=${project}`;
  const made = await world.request("POST", `/v1/security/firewall/bypass/rules?${scope}`, { token: user.token, body });
  assert.equal(made.status, 200, made.text);
  await world.setAttackMode(project, isAttackMode);
  const { url } = await world.startGate({
    hosts: [{ host: "*", team: team.slug, project }],
    upstream: application.url,
  });
  return (host: string, sent: string, type = FORM, more = {}): Promise<GateAnswer> =>
    sendTo(url, "/upload", { method: "POST", headers: { host, "content-type": type, ...more }, body: sent });
}

test("outside of attack mode bypass rules neither read a body nor evaluate anything", async () => {
  const agent = "/v1/".repeat(4_000);
  const costly = { type: "user_agent", op: "re", value: "/v[0-9]+/.{0,60}/(delete|remove)/.{0,60}/end" };
  for (const conditions of [[TOKEN], [costly, TOKEN]]) {
    const send = await siteWith(conditions);
    for (const host of ["shop.test", "hooks.test"]) {
      const { status, text } = await send(host, LARGE, "application/octet-stream", { "user-agent": agent });
      assert.equal(status, 200, host);
      assert.equal((JSON.parse(text) as { body: string }).body.length, LARGE.length);
    }
    assert.equal((await send("hooks.test", "{a:1}", "application/json")).status, 200);
  }
});

test("in attack mode a bypass rule reads the bodies of its host, and one that cannot be read is challenged", async () => {
  const isChallenge = ({ status, headers }: GateAnswer) =>
    status === 403 && String(headers["x-reeve-decision"]).startsWith("challenge; ");
  const send = await siteWith([TOKEN], { isAttackMode: true });
  assert.equal((await send("hooks.test", "token=right")).status, 200);
  assert.ok(isChallenge(await send("hooks.test", "token=wrong")));
  assert.ok(isChallenge(await send("shop.test", "token=right")));
  for (const host of ["hooks.test", "shop.test"]) {
    assert.ok(isChallenge(await send(host, `token=right&more=${LARGE}`)), host);
    assert.ok(isChallenge(await send(host, "{token:1}", "application/json")), host);
  }
  const negated = await siteWith([{ ...TOKEN, op: "neq", value: "wrong" }], { isAttackMode: true });
  assert.equal((await negated("hooks.test", "a=1")).status, 200);
  assert.ok(isChallenge(await negated("hooks.test", `token=wrong&more=${LARGE}`)));
  assert.ok(isChallenge(await negated("hooks.test", "{token:1}", "application/json")));
});

test("a rule that reads the same body refuses what cannot be read, in attack mode as well", async () => {
  const role = {
    name: "role",
    active: true,
    conditionGroup: [{ conditions: [{ type: "body", key: "role", op: "eq", value: "admin" }] }],
    action: { mitigate: { action: "deny" } },
  };
  const send = await siteWith([TOKEN], { isAttackMode: true, rules: [role] });
  const { status, headers } = await send("hooks.test", LARGE);
  assert.equal(status, 403);
  assert.match(String(headers["x-reeve-decision"]), /^deny; .*reason=body_too_large/);
});
