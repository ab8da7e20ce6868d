// What gates do when their Redis fails: they count by themselves, say so, lose little time on it, and share again when it is back.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateLog } from "../../../src/gate/gate-log.ts";
import type { RunningGate } from "../../../src/gate/run-gate.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { sendTo, startGateWorld } from "../gate-world.ts";
import { startRedis } from "./redis-server.ts";

const world = await startGateWorld();

/** Two requests a day and client, or nearly: a bucket of two that fills in an hour. */
const LIMITED = {
  firewallEnabled: true,
  rules: [
    {
      name: "limit",
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/limited" }] }],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "token_bucket", window: 3_600, limit: 2, keys: ["ip"], action: "rate_limit" },
        },
      },
    },
  ],
};
const project = await world.newProject(LIMITED);

interface LogLine {
  readonly level: string;
  readonly details: object;
  readonly message: string;
}

async function startGate(redisUrl: string): Promise<{ readonly gate: RunningGate; readonly lines: LogLine[] }> {
  const lines: LogLine[] = [];
  const at = (level: string) => (details: object, message: string) => void lines.push({ level, details, message });
  const log: GateLog = { info: at("info"), warn: at("warn"), error: at("error") };
  const hosts = [{ host: "*", team: world.team.slug, project }];
  return { gate: await world.startGate({ hosts, redisUrl }, { log }), lines };
}

let clients = 0;
const newClient = () => `192.0.2.${++clients}`;

async function check({ url }: RunningGate, ip: string, target = "/limited") {
  const asked = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target };
  const answer = await sendTo(url, "/.well-known/reeve/check", { headers: { ...asked, "x-forwarded-for": ip } });
  return {
    status: answer.status,
    isLocal: String(answer.headers["x-reeve-decision"]).includes("reason=local_counters"),
  };
}

async function storeHealth({ url }: RunningGate): Promise<{ readonly state: string; readonly problem?: string }> {
  const { status, text } = await sendTo(url, "/.well-known/reeve/health");
  assert.equal(status, 200, "the gate protects without the store");
  return (JSON.parse(text) as { counterStore: { state: string } }).counterStore;
}

async function metric({ url }: RunningGate, name: string): Promise<number> {
  const { text } = await sendTo(url, "/.well-known/reeve/metrics");
  return Number(
    new RegExp(`^${name.replaceAll(/[{}"]/g, String.raw`\$&`)} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN,
  );
}

const isUp = (gate: RunningGate) =>
  waitFor("the store to be up", async () => (await storeHealth(gate)).state === "up" || undefined);

/** The limit of one client, counted by the gate alone: a request that does not touch it says nothing of it. */
async function assertCountsAlone(gate: RunningGate): Promise<void> {
  const ip = newClient();
  const answers = [await check(gate, ip), await check(gate, ip), await check(gate, ip)];
  assert.deepEqual(
    answers.map(({ status, isLocal }) => [status, isLocal]),
    [
      [204, true],
      [204, true],
      [429, true],
    ],
  );
  assert.deepEqual(await check(gate, ip, "/"), { status: 204, isLocal: false });
}

/** Waits until both share one limit again: they may hear at different moments that the store is back. */
async function assertShared(one: RunningGate, two: RunningGate): Promise<void> {
  await Promise.all([isUp(one), isUp(two)]);
  const statuses = await waitFor("answers that all come of the store", async () => {
    const ip = newClient();
    const answers = [await check(one, ip), await check(two, ip), await check(one, ip), await check(two, ip)];
    return answers.some(({ isLocal }) => isLocal) ? undefined : answers.map(({ status }) => status);
  });
  assert.deepEqual(statuses, [204, 204, 429, 429]);
}

const storeLines = (lines: readonly LogLine[]) =>
  lines.flatMap(({ level, message }) => (message.includes("counter store") ? [`${level}: ${message}`] : []));
/** Each change once: as a rule there are two, on a busy machine more. */
function assertSaidOnce(lines: readonly LogLine[]): void {
  const said = storeLines(lines);
  assert.ok(said.length >= 2, String(said.length));
  assert.deepEqual(
    said,
    said.map((_, at) => (at % 2 === 0 ? AWAY : BACK)),
  );
}
const AWAY = "warn: the counter store does not answer: this gate counts rate limits by itself";
const BACK = "info: the counter store answers again: gates share their counters";

test("Redis killed: the gates count by themselves and say so; started again: they share", async () => {
  const redis = await startRedis();
  const [one, two] = [await startGate(redis.url), await startGate(redis.url)];
  await assertShared(one.gate, two.gate);
  await redis.kill();
  await waitFor("the gate to hear of it", async () => (await storeHealth(one.gate)).state === "away" || undefined);
  await assertCountsAlone(one.gate);
  await assertCountsAlone(two.gate);
  assert.equal(await metric(one.gate, "reeve_gate_counter_store_up"), 0);
  assert.ok((await storeHealth(one.gate)).problem);
  assert.ok((await metric(one.gate, 'reeve_gate_policies_total{reason="local_counters"}')) >= 3);
  await redis.start();
  await assertShared(one.gate, two.gate);
  assertSaidOnce(one.lines);
});

test("Redis frozen: who waits is decided at the deadline, those after at once; thawed: the gates share", async () => {
  const redis = await startRedis();
  const [one, two] = [await startGate(redis.url), await startGate(redis.url)];
  await assertShared(one.gate, two.gate);
  const timeouts = 'reeve_gate_counter_store_failures_total{reason="timeout"}';
  const before = (await metric(one.gate, timeouts)) || 0;
  redis.signal("SIGSTOP");
  const first = await Promise.all(Array.from({ length: 10 }, () => check(one.gate, newClient())));
  assert.ok(first.every(({ status, isLocal }) => status === 204 && isLocal));
  const waited = await metric(one.gate, timeouts);
  assert.ok(waited >= before + 1 && waited <= before + 10, `${before} ${waited}`);
  for (let at = 0; at < 100; at++) assert.equal((await check(one.gate, newClient())).isLocal, true);
  await assertCountsAlone(one.gate);
  assert.equal(await metric(one.gate, timeouts), waited, "nobody waits for a store that is away");
  assert.match((await storeHealth(one.gate)).problem ?? "", /no answer within 50 ms|[Ss]ocket/);
  redis.signal("SIGCONT");
  await assertShared(one.gate, two.gate);
  assertSaidOnce(one.lines);
});

test("a wrong password: the gate starts, counts by itself, and shows the password to nobody", async () => {
  const redis = await startRedis({ password: "correct-horse" });
  const right = await startGate(redis.url);
  await isUp(right.gate);
  const { gate, lines } = await startGate(redis.url.replace("correct-horse", "wrong-battery"));
  await assertCountsAlone(gate);
  const { state, problem } = await storeHealth(gate);
  assert.deepEqual([state, problem?.startsWith("WRONGPASS")], ["away", true], String(problem));
  assert.deepEqual(storeLines(lines), [AWAY]);
  assert.ok(lines.some(({ details }) => JSON.stringify(details).includes("REEVE_GATE_REDIS_URL")));
  const { text } = await sendTo(gate.url, "/.well-known/reeve/metrics");
  for (const shown of [JSON.stringify(lines), String(problem), text]) assert.ok(!shown.includes("wrong-battery"));
});

test("a Redis that takes no writes, because its memory is full, is away until it does", async () => {
  const redis = await startRedis();
  const { gate } = await startGate(redis.url);
  await isUp(gate);
  await redis.command("CONFIG", "SET", "maxmemory", "1");
  assert.deepEqual(await check(gate, newClient()), { status: 204, isLocal: true });
  await assertCountsAlone(gate);
  await waitFor("the reason", async () => (await storeHealth(gate)).problem?.includes("OOM") || undefined);
  await redis.command("CONFIG", "SET", "maxmemory", "0");
  await isUp(gate);
});

test("rights that do not suffice for reading holds are said", async () => {
  const redis = await startRedis();
  await redis.command("ACL", "SETUSER", "gate", "on", ">hunter2", "~reeve:*", "+@all", "-xread");
  const { gate, lines } = await startGate(redis.url.replace("redis://", "redis://gate:hunter2@"));
  const line = await waitFor("the warning", () =>
    lines.find(({ message }) => message.startsWith("holds cannot be read")),
  );
  assert.match(JSON.stringify(line.details), /NOPERM.*REEVE_GATE_REDIS_URL/);
  await isUp(gate);
});

test("no Redis at all: the gate starts, counts by itself, and shares when there is one", async () => {
  const redis = await startRedis();
  await redis.kill();
  const [one, two] = [await startGate(redis.url), await startGate(redis.url)];
  await assertCountsAlone(one.gate);
  assert.match((await storeHealth(one.gate)).problem ?? "", /ECONNREFUSED/);
  await redis.start();
  await assertShared(one.gate, two.gate);
});
