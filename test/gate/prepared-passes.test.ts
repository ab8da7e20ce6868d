// Attack challenge mode against passes that were made before it, through the control plane: switched on by a person or by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunningGate } from "../../src/gate/run-gate.ts";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { waitFor } from "../harness/wait-for.ts";
import { solveCounting } from "./challenge-world.ts";
import { check } from "./failing-gate.ts";
import { sendTo, startGateWorld } from "./gate-world.ts";
import type { GateAnswer } from "./gate-world.ts";

const world = await startGateWorld();
const { clock, key, request, team, user } = world;
const PAGE = "/.well-known/reeve/challenge";
const NAVIGATION = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const startGate = async (project: string) =>
  await world.startGate({ hosts: [{ host: "*", team: team.slug, project }] });

async function ask({ url }: RunningGate, target: string, options: { body?: string; ip?: string } = {}) {
  const { body = "", ip = "192.0.2.1" } = options;
  const type = body === "" ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const headers = { host: "shop.test", "x-forwarded-for": ip, ...NAVIGATION, ...type };
  return await sendTo(url, target, { headers, body, method: body === "" ? "GET" : "POST" });
}

async function open(gate: RunningGate) {
  const { text } = await ask(gate, PAGE);
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? assert.fail(text);
  return { token: attribute("data-token"), difficulty: Number(attribute("data-difficulty")) };
}

const passIn = ({ headers }: GateAnswer): string | undefined => headers["set-cookie"]?.[0]?.split(";", 1)[0];

async function solve(gate: RunningGate): Promise<string> {
  const { token, difficulty } = await open(gate);
  const { solution } = solveCounting(token, difficulty);
  const answer = await ask(gate, `${PAGE}/solve`, { body: String(new URLSearchParams({ token, solution })) });
  return passIn(answer) ?? assert.fail(answer.text);
}

const lets = async (gate: RunningGate, cookie: string, ip = "198.51.100.7") =>
  (await check(gate, "/", { cookie, "x-forwarded-for": ip })) === 204;

const becomesAttack = async (gate: RunningGate, cookie: string) =>
  await waitFor("the attack mode", async () => !(await lets(gate, cookie)) || undefined);

async function setMode(projectId: string, mode: object): Promise<void> {
  const body = { projectId, ...mode };
  const set = await request("POST", `/v1/attack-challenge-mode?teamId=${team.id}`, { token: user.token, body });
  assert.equal(set.status, 200, set.text);
}

test("forty pages and forty waits before an attack give ten passes, and none of them counts in the attack", async () => {
  const project = await world.newProject();
  const gate = await startGate(project);
  const tokens: string[] = [];
  for (let page = 0; page < 40; page++) tokens.push((await open(gate)).token);
  clock.advance(MINUTE_MS);
  const waits: GateAnswer[] = [];
  for (const token of tokens) waits.push(await ask(gate, `${PAGE}/wait?token=${token}&return=/`));
  const passes = waits.flatMap((wait) => passIn(wait) ?? []);
  assert.equal(passes.length, 10);
  for (const { status, headers } of waits.slice(10)) {
    assert.equal(status, 429);
    assert.ok(Number(headers["retry-after"]) > 0);
  }
  await world.setAttackMode(project, true);
  await becomesAttack(gate, "");
  for (const [at, pass] of passes.entries()) assert.ok(!(await lets(gate, pass, `203.0.113.${at}`)));
});

test("a pass counts as long as the attack in which it was made, also when the end is put off, and not in the next", async () => {
  const project = await world.newProject();
  const gate = await startGate(project);
  await setMode(project, { attackModeEnabled: true, attackModeActiveUntil: clock.now + 10 * MINUTE_MS });
  await becomesAttack(gate, "");
  const pass = await solve(gate);
  assert.ok(await lets(gate, pass));
  clock.advance(5 * MINUTE_MS);
  await setMode(project, { attackModeEnabled: true, attackModeActiveUntil: clock.now + 20 * MINUTE_MS });
  clock.advance(10 * MINUTE_MS);
  await becomesAttack(gate, "");
  assert.ok(await lets(gate, pass));
  clock.advance(10 * MINUTE_MS);
  assert.ok(await lets(gate, ""), "the attack has ended");
  await setMode(project, { attackModeEnabled: true });
  await becomesAttack(gate, pass);
  assert.ok(await lets(gate, await solve(gate)));
});

test("the mode that switches itself on has an attack of its own, which lasts while it is put off", async () => {
  const project = await world.newProject();
  const scope = `teamId=${team.id}&projectId=${project}`;
  const report = async (at: number, count: number) => {
    const body = { counts: [{ host: "shop.test", action: "allow", at, count }] };
    assert.equal((await request("POST", `/v1/firewalls/traffic?${scope}`, { token: key, body })).status, 200);
  };
  await report(clock.now - DAY_MS, 10);
  await report(clock.now - MINUTE_MS, 10);
  await request("PATCH", `/v1/attack-challenge-mode/automatic?${scope}`, {
    token: user.token,
    body: { enabled: true },
  });
  const gate = await startGate(project);
  const before = await solve(gate);
  assert.ok(await lets(gate, before));
  await report(clock.now, 1_001);
  await becomesAttack(gate, before);
  const during = await solve(gate);
  const endOf = async () =>
    (await request("GET", `/v1/attack-challenge-mode?${scope}`, { token: user.token })).body.attackModeActiveUntil;
  const end = await endOf();
  clock.advance(5 * MINUTE_MS);
  await report(clock.now, 1_001);
  assert.ok((await endOf()) > end, "it was put off");
  clock.now = end + 1_000;
  await becomesAttack(gate, before);
  assert.ok(await lets(gate, during));
});
