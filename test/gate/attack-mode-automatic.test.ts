// What gates report of the application's responses, and attack challenge mode that their reports switch on.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { createGate } from "../../src/gate/middleware.ts";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { countLatencies, latencyAt } from "../../src/platform/kernel/telemetry/latencies.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { SILENT, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { clock, key, request, server, team, user } = world;
const scope = (project: string) => `teamId=${team.id}&projectId=${project}`;

interface Counted {
  readonly responses: number;
  readonly errors: number;
  readonly latencies: readonly number[];
}

/** What is stored of the responses of a project, all minutes together. */
async function counted(project: string): Promise<Counted> {
  const rows = await world.query(`select * from firewall_minutes where project_id = '${project}'`);
  const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
  const latencies = rows.flatMap((row) => (JSON.parse(String(row["latencies"])) as number[] | null) ?? []);
  return { responses: sum("responses"), errors: sum("errors"), latencies };
}

/** Answers with the status of its path. */
const answer: RequestListener = ({ url = "" }, res) => {
  res.statusCode = Number(url.slice(1));
  res.end("x");
};

test("a proxy reports responses, errors, and how long they took to begin", async () => {
  const project = await world.newProject();
  const application = await listenOn((message, res) => {
    if (message.url !== "/slow") return answer(message, res);
    setTimeout(() => {
      res.writeHead(200);
      res.flushHeaders();
      setTimeout(() => res.end(), 5);
    }, 40);
  });
  const hosts = [{ host: "*", team: team.slug, project }];
  const gate = await world.startGate({ hosts, upstream: application.url });
  for (const target of ["/200", "/404", "/500", "/503", "/slow"]) await sendTo(gate.url, target);
  await gate.close();
  const { latencies, ...rest } = await counted(project);
  assert.deepEqual([rest, countLatencies(latencies)], [{ responses: 5, errors: 2 }, 5]);
  assert.ok(latencyAt(latencies, 1) > 32, "the slow one");
});

test("an application that does not answer is an error", async () => {
  const project = await world.newProject();
  const upstream = `http://127.0.0.1:${await freePort()}`;
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }], upstream });
  assert.equal((await sendTo(gate.url, "/200")).status, 502);
  await gate.close();
  const { responses, errors } = await counted(project);
  assert.deepEqual([responses, errors], [1, 1]);
});

test("a gate within an application reports responses and errors, and what it refuses itself is none of them", async () => {
  // Such a gate has no clock but the machine's, and this file may have been loaded minutes ago.
  clock.now = Date.now();
  const rules = [
    {
      name: "No admin",
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
      action: { mitigate: { action: "deny" } },
    },
  ];
  const project = await world.newProject({ firewallEnabled: true, rules });
  const gate = createGate({ server, key, team: team.id, project, log: SILENT });
  await gate.ready;
  const application = await listenOn(gate.node(answer));
  for (const target of ["/200", "/500", "/admin"]) await sendTo(application.url, target);
  const handle = gate.fetch(async (message) => {
    const status = Number(new URL(message.url).pathname.slice(1));
    if (status === 0) throw new Error("the handler failed");
    return new Response("x", { status });
  });
  for (const target of ["200", "502", "admin"]) await handle(new Request(`http://shop.test/${target}`));
  await assert.rejects(async () => await handle(new Request("http://shop.test/0")), /the handler failed/);
  await gate.close();
  assert.deepEqual(await counted(project), { responses: 5, errors: 3, latencies: [] });
});

test("the mode that a report switches on is in force at the gate, and over when nothing unusual is reported", async () => {
  const project = await world.newProject();
  const report = async (counts: readonly object[]) => {
    const { status, text } = await request("POST", `/v1/firewalls/traffic?${scope(project)}`, {
      token: key,
      body: { counts: counts.map((count) => ({ host: "shop.test", action: "allow", ...count })) },
    });
    assert.equal(status, 200, text);
  };
  await report([
    { at: clock.now - DAY_MS, count: 10 },
    { at: clock.now - MINUTE_MS, count: 10 },
  ]);
  const automatic = `/v1/attack-challenge-mode/automatic?${scope(project)}`;
  const enabled = await request("PATCH", automatic, { token: user.token, body: { enabled: true } });
  assert.equal(enabled.status, 200, enabled.text);
  const application = await listenOn(answer);
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }], upstream: application.url });
  const asked = { headers: { host: "shop.test", accept: "text/html", "sec-fetch-mode": "navigate" } };
  assert.equal((await sendTo(gate.url, "/200", asked)).status, 200);
  await report([{ at: clock.now, count: 1_001 }]);
  const challenged = await waitFor("the challenge", async () => {
    const response = await sendTo(gate.url, "/200", asked);
    return response.status === 403 ? response : undefined;
  });
  assert.match(String(challenged.headers["x-reeve-decision"]), /^challenge; phase=attack_mode/);
  clock.advance(10 * MINUTE_MS);
  assert.equal((await sendTo(gate.url, "/200", asked)).status, 200, "the gate's clock ends it");
});
