// Gates that share a real Redis: limits, holds and spent challenges are those of all gates together, also when gates come and go.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { countInRedis } from "../../../src/gate/counters/count-script.ts";
import { createCounters } from "../../../src/firewall/evaluator/counters.ts";
import type { Count, Limit } from "../../../src/firewall/evaluator/counting.ts";
import type { RunningGate } from "../../../src/gate/run-gate.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { solveCounting } from "../challenge-world.ts";
import { sendTo, startGateWorld } from "../gate-world.ts";
import type { GateAnswer } from "../gate-world.ts";
import { roomyWindow } from "../roomy-window.ts";
import { connectTo, startRedis } from "./redis-server.ts";

const world = await startGateWorld();
const redis = await startRedis();

const onPath = (value: string) => [{ conditions: [{ type: "path", op: "pre", value }] }];

const limiting = (path: string, limit: number, more: object = {}, mitigation: object = {}) => ({
  name: path,
  active: true,
  conditionGroup: onPath(path),
  action: {
    mitigate: {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: roomyWindow(), limit, keys: ["ip"], action: "rate_limit", ...more },
      ...mitigation,
    },
  },
});
const on = (...rules: object[]) => ({ firewallEnabled: true, rules });

async function metrics({ url }: RunningGate): Promise<string> {
  return (await sendTo(url, "/.well-known/reeve/metrics")).text;
}

/** A gate that shares. */
async function startGate(project: string, redisUrl = redis.url): Promise<RunningGate> {
  const gate = await world.startGate({ hosts: [{ host: "*", team: world.team.slug, project }], redisUrl });
  await waitFor("the store", async () => (await metrics(gate)).includes("reeve_gate_counter_store_up 1") || undefined);
  return gate;
}

async function check(
  { url }: RunningGate,
  target: string,
  ip = "192.0.2.1",
  headers: object = {},
): Promise<GateAnswer> {
  const asked = { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target };
  return await sendTo(url, "/.well-known/reeve/check", { headers: { ...asked, "x-forwarded-for": ip, ...headers } });
}

const statusOf = async (gate: RunningGate, target: string, ip?: string) => (await check(gate, target, ip)).status;

const newClient = (() => {
  let clients = 0;
  return () => `198.51.100.${++clients}`;
})();

/**
 * What a client gets, with another client again whenever a gate has counted by itself: on a busy machine the store may miss its
 * deadline, which says nothing about what it counts.
 */
async function whileShared(attempt: (ip: string) => Promise<readonly GateAnswer[]>): Promise<readonly number[]> {
  return await waitFor("answers that all come of the store", async () => {
    const answers = await attempt(newClient());
    const isLocal = answers.some(({ headers }) => String(headers["x-reeve-decision"]).includes("reason="));
    return isLocal ? undefined : answers.map(({ status }) => status);
  });
}

test("the script counts as the evaluator does, at the store's time", async () => {
  const connection = await connectTo(redis.url);
  const limitOf = (at: number): Limit => ({
    rule: `rule ${at}`,
    key: `count ${at}`,
    algo: at % 2 === 0 ? "token_bucket" : "fixed_window",
    windowMs: [1, 7, 40, 1_000, 3_600_000][at % 5] as number,
    limit: [1, 3, 20, 10_000_000][at % 4] as number,
    hold: at % 3 === 0 ? { key: `hold ${at}`, action: "challenge", forMs: 30 } : null,
    continues: at % 7 === 0,
  });
  const limits = Array.from({ length: 60 }, (_, at) => limitOf(at));
  const own = createCounters();
  const seen = { exceeded: 0, held: 0, under: 0 };
  for (let round = 0; round < 200; round++) {
    const first = (round * 17) % 50;
    const queries = limits.slice(first, first + 1 + (round % 10)).map((limit) => ({ limit, client: `${round % 3}` }));
    const { now, counts } = await countInRedis(connection.send, "reeve:team:exact", queries);
    const expected: Count[] = [];
    for (const { limit, client } of queries) {
      const held = limit.hold && own.findHold(limit.hold.key, client, now);
      const count: Count = held
        ? { isExceeded: false, waitMs: held.endsAt - now, count: 0, held: held.action }
        : own.count(limit, client, now);
      expected.push(count);
      seen[held ? "held" : count.isExceeded ? "exceeded" : "under"]++;
      if (held) break;
      if (count.isExceeded && limit.hold)
        own.hold(limit.hold.key, client, { action: limit.hold.action, endsAt: now + limit.hold.forMs }, now);
      if (count.isExceeded && !limit.continues) break;
    }
    assert.deepEqual(counts, expected, `round ${round} at ${now}`);
  }
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 10, `${what}: ${times}`);
});

test("a limit is exact over two gates, however many requests come at once", async () => {
  const project = await world.newProject(
    on(limiting("/window", 50), limiting("/bucket", 5, { algo: "token_bucket", window: 3_600, action: "deny" })),
  );
  const gates = [await startGate(project), await startGate(project)] as const;
  const statuses = async (target: string, requests: number) =>
    await whileShared((ip) =>
      Promise.all(Array.from({ length: requests }, (_, at) => check(gates[at % 2] as RunningGate, target, ip))),
    );
  const window = await statuses("/window", 200);
  assert.deepEqual([window.filter((one) => one === 204).length, window.filter((one) => one === 429).length], [50, 150]);
  const bucket = await statuses("/bucket", 40);
  assert.deepEqual([bucket.filter((one) => one === 204).length, bucket.filter((one) => one === 403).length], [5, 35]);
  assert.equal(await statusOf(gates[1], "/window", newClient()), 204, "another client has a counter of its own");
});

test("a gate that is started again goes on counting where the others are", async () => {
  const project = await world.newProject(on(limiting("/", 3)));
  const statuses = await whileShared(async (ip) => {
    const first = await startGate(project);
    const before = [await check(first, "/", ip), await check(first, "/", ip)];
    await first.close();
    const second = await startGate(project);
    return [...before, await check(second, "/", ip), await check(second, "/", ip)];
  });
  assert.deepEqual(statuses, [204, 204, 204, 429]);
});

test("who is held at one gate is held at all, also at those that start later, and not elsewhere", async () => {
  const held = { actionDuration: "1h" };
  const project = await world.newProject(
    on(limiting("/limited", 1, { action: "deny" }, held), {
      name: "trap",
      active: true,
      conditionGroup: onPath("/trap"),
      action: { mitigate: { action: "deny", ...held } },
    }),
  );
  const other = await world.newProject(on());
  const [one, two, elsewhere] = [await startGate(project), await startGate(project), await startGate(other)];
  let limited = "";
  const statuses = await whileShared(async (ip) => {
    limited = ip;
    return [await check(one, "/limited", ip), await check(one, "/limited", ip)];
  });
  assert.deepEqual(statuses, [204, 403]);
  const trapped = newClient();
  assert.equal(await statusOf(one, "/trap", trapped), 403);
  for (const ip of [limited, trapped]) {
    // Neither rule matches "/": the hold alone refuses.
    assert.equal(await statusOf(one, "/", ip), 403);
    const answer = await waitFor("the hold", async () => {
      const given = await check(two, "/", ip);
      return given.status === 403 ? given : undefined;
    });
    const wait = Number(answer.headers["retry-after"]);
    assert.ok(wait > 3_000 && wait <= 3_600, String(wait));
    const late = await startGate(project);
    await waitFor("the hold at a gate that starts", async () => (await statusOf(late, "/", ip)) === 403 || undefined);
    assert.equal(await statusOf(elsewhere, "/", ip), 204);
  }
});

test("the solution of a challenge buys one pass over all gates", async () => {
  const project = await world.newProject(on());
  await world.setAttackMode(project, true);
  const gates = [await startGate(project), await startGate(project)] as const;
  const browser = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  async function solveAt(gate: RunningGate, fields: Record<string, string>): Promise<GateAnswer> {
    return await sendTo(gate.url, "/.well-known/reeve/challenge/solve", {
      method: "POST",
      headers: { host: "shop.test", "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams(fields)),
    });
  }
  async function solveInTurn(order: readonly RunningGate[]): Promise<readonly number[]> {
    const { text } = await check(order[0] as RunningGate, "/", "192.0.2.1", browser);
    const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? assert.fail(text);
    const token = attribute("data-token");
    const { solution } = solveCounting(token, Number(attribute("data-difficulty")));
    const statuses: number[] = [];
    for (const gate of order) statuses.push((await solveAt(gate, { token, solution })).status);
    return statuses;
  }
  const [one, two] = gates;
  const failures = async () =>
    (await Promise.all(gates.map(metrics))).map((text) => /store_failures_total\{.*/.exec(text)?.[0]).join();
  for (const order of [
    [one, two, one],
    [two, one, two],
  ]) {
    const statuses = await waitFor("a store that answers in time", async () => {
      const before = await failures();
      const given = await solveInTurn(order);
      return (await failures()) === before ? given : undefined;
    });
    assert.deepEqual(statuses, [204, 403, 403]);
  }
});

test("the rights that the page names are enough", async () => {
  const page = readFileSync(new URL("../../../docs/gate.md", import.meta.url), "utf8");
  const rights = (/Gates need `([^`]+)`/.exec(page)?.[1] ?? "").split(" ");
  await redis.command("ACL", "SETUSER", "gate", "on", ">hunter2", "~reeve:*", "-@all", ...rights);
  const url = redis.url.replace("redis://", "redis://gate:hunter2@");
  const project = await world.newProject(on(limiting("/", 1, { action: "deny" }, { actionDuration: "1h" })));
  const [one, two] = [await startGate(project, url), await startGate(project, url)];
  const ip = newClient();
  await waitFor("a hold of the store", async () => {
    const { status, headers } = await check(one, "/", ip);
    return (status === 403 && !String(headers["x-reeve-decision"]).includes("reason=")) || undefined;
  });
  await waitFor("the hold elsewhere", async () => (await statusOf(two, "/", ip)) === 403 || undefined);
  const log = (await redis.command("ACL", "LOG")) as unknown[];
  assert.deepEqual(log, []);
});

test("the store holds no address, and nothing for ever", async () => {
  const project = await world.newProject(
    on(limiting("/", 1, { keys: ["ip", "header:x-user"] }, { actionDuration: "1m" })),
  );
  const gate = await startGate(project);
  const secrets = ["203.0.113.99", "alice@example.com"];
  await waitFor("a hold in the store", async () => {
    for (const _ of [1, 2]) await check(gate, "/", secrets[0], { "x-user": secrets[1] });
    return ((await redis.command("KEYS", `*:${project}:holds:60000`)) as string[])[0];
  });
  const keys = (await redis.command("KEYS", "*")) as string[];
  const mine = keys.filter((key) => key.includes(project));
  assert.equal(mine.length, 4, mine.join(" "));
  for (const key of keys) {
    assert.ok(key.startsWith("reeve:"), key);
    assert.ok(Number(await redis.command("PTTL", key)) > 0 || !(await redis.command("EXISTS", key)), key);
    const read = { stream: ["XRANGE", key, "-", "+"], hash: ["HGETALL", key], string: ["GET", key] };
    const type = (await redis.command("TYPE", key)) as keyof typeof read;
    // It has expired meanwhile.
    if (!Object.hasOwn(read, type)) continue;
    const value = JSON.stringify(await redis.command(...read[type]));
    for (const secret of secrets) assert.ok(!key.includes(secret) && !value.includes(secret), `${key} ${value}`);
  }
});
