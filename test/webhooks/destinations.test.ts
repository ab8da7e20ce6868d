// Webhooks whose receiver cannot be reached: what their owners learn, what administrators and the log learn, and which settings
// change the outcome.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startNameServer } from "../egress/name-server.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startReceiver } from "./receiver.ts";
import { deliveriesOf, lookNow, untilStored } from "./webhook-world.ts";

const log: Record<string, unknown>[] = [];
const names = await startNameServer(({ name, type }) => {
  if (name.startsWith("vm.")) return type === "A" ? [{ type: "A", value: "127.0.0.3" }] : [];
  return name.startsWith("broken.") ? "failure" : "no such name";
});
/** Failures that are about addresses are reported at multiples of it. */
const STEP_MS = 50;
const api = await startOwnApp({ dnsServers: names.address, logLevel: "warn" }, (line) => log.push(JSON.parse(line)), {
  delivery: { addressFailureStepMs: STEP_MS },
});
const PROBED = ["vm", "absent", "broken"];
const TYPE = "deployment.created";

async function openProbe() {
  const owner = await api.createUser();
  const team = await openTeam(api, owner);
  const call = (method: string, path: string, { as = owner.token, body }: { as?: string; body?: unknown } = {}) =>
    api.request(method, `${path}?teamId=${team.id}`, { token: as, ...(body === undefined ? {} : { body }) });
  const hook = async (name: string) => {
    const body = { url: `http://${name}.corp.example:8080/`, events: [TYPE] };
    const made = await call("POST", "/v1/webhooks", { body });
    assert.equal(made.status, 200, made.text);
    return made.body.id as string;
  };
  return { team, call, hook };
}

/** The text without the name that the caller gave. */
function withoutName(text: string, name: string): string {
  return text.replaceAll(name, "NAME");
}

test("a test reveals facts about the server's network to administrators alone", async () => {
  const { call, hook } = await openProbe();
  const told = new Set<string>();
  for (const name of PROBED) {
    const id = await hook(name);
    const { body } = await call("POST", `/v1/webhooks/${id}/test`);
    told.add(withoutName(JSON.stringify([body.status, body.durationMs % STEP_MS, body.error]), name));
    const { body: full } = await call("POST", `/v1/webhooks/${id}/test`, { as: api.admin.token });
    const expected = {
      vm: "expected a public address, vm.corp.example has loopback (127.0.0.0/8) (REEVE_EGRESS_ALLOW=127.0.0.3 would allow it)",
      absent: "absent.corp.example could not be resolved (ENOTFOUND)",
      broken: "broken.corp.example could not be resolved (ESERVFAIL)",
    }[name];
    assert.equal(full.error.message, expected);
    assert.equal(full.error.stage, name === "vm" ? "refused" : "dns");
    const lines = log.filter(({ webhook }) => webhook === id);
    assert.ok(lines.length === 2 && lines.every(({ msg }) => String(msg).endsWith(`: ${expected}`)), name);
  }
  assert.deepEqual(
    [...told].map((text) => JSON.parse(text)),
    [
      [
        null,
        0,
        {
          stage: "unreachable",
          message: "the host can't be resolved, or is not one that webhooks may reach; an administrator sees which",
        },
      ],
    ],
  );
});

test("so does the log of deliveries, in its messages and in the states that follow", async () => {
  const { call, hook } = await openProbe();
  const told = new Set<string>();
  for (const name of PROBED) {
    const id = await hook(name);
    assert.equal((await call("POST", "/v1/events", { body: { type: TYPE } })).status, 200);
    const [stored] = await untilStored(api, id, ([one]) => one?.attempts === 1);
    const { deliveries } = (await call("GET", `/v1/webhooks/${id}/deliveries`)).body;
    const path = `/v1/webhooks/${id}/deliveries/${deliveries[0].id}`;
    const { delivery, attempts } = (await call("GET", path)).body;
    assert.deepEqual([deliveries[0].errorStage, delivery.errorStage], ["unreachable", "unreachable"]);
    const [{ durationMs, error }] = attempts;
    told.add(withoutName(JSON.stringify([delivery.state, delivery.attempts, durationMs % STEP_MS, error]), name));
    const { body: full } = await call("GET", path, { as: api.admin.token });
    assert.equal(full.delivery.errorStage, stored?.errorStage);
    assert.match(full.attempts[0].error.message, new RegExp(`${name}\\.corp\\.example (has|could not)`));
    await waitFor("the log to tell", async () => log.find(({ webhook }) => webhook === id));
    assert.equal((await call("DELETE", `/v1/webhooks/${id}`)).status, 204);
  }
  assert.equal(told.size, 1, [...told].join("\n"));
});

test("a refusal has every reason, and names the setting to administrators and in the log", async () => {
  const body = { url: "http://127.0.0.1:3000/hook", events: [TYPE] };
  const owner = await api.createUser();
  const problem =
    "url: expected a public address, got loopback (127.0.0.0/8); expected a port among 80, 443, 8000-9000, got 3000";
  const refused = await api.request("POST", "/v1/webhooks", { token: owner.token, body });
  assert.deepEqual([refused.status, refused.body.error.message], [400, problem]);
  const setting = " (REEVE_EGRESS_ALLOW=127.0.0.1 would allow it)";
  assert.ok(log.some(({ msg, code }) => code === "invalid_webhook" && String(msg).includes(setting)));
  const told = await api.request("POST", "/v1/webhooks", { body });
  assert.equal(told.body.error.message, problem.replace(";", `${setting};`));
});

test("in development one setting allows a receiver on this machine, on any port", async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  for (const [flags, host] of [
    [{ egressAllow: "localhost" }, "localhost"],
    [{ egressAllow: "127.0.0.1" }, "127.0.0.1"],
  ] as const) {
    const developing = await startOwnApp(flags);
    const body = { url: `http://${host}:${port}/`, events: [TYPE] };
    const made = await developing.request("POST", "/v1/webhooks", { body });
    assert.equal(made.status, 200, made.text);
    const tested = await developing.request("POST", `/v1/webhooks/${made.body.id}/test`);
    assert.equal(tested.body.delivered, true, tested.text);
  }
});

test("a refused delivery arrives once an operator allows its address", async () => {
  const before = await startOwnApp();
  const receiver = await startReceiver();
  const owner = await before.createUser();
  const call = (method: string, path: string, body?: unknown) =>
    before.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const { id } = (await call("POST", "/v1/webhooks", { url: "http://example.com/", events: [TYPE] })).body;
  // As if other rules had applied when it was created.
  await before.query(`update webhooks set url = '${receiver.url}' where id = '${id}'`);
  await call("POST", "/v1/events", { type: TYPE });
  await untilStored(before, id, ([one]) => one?.attempts === 1);
  assert.equal((await deliveriesOf(before, id))[0]?.state, "pending");
  await before.app.close();
  const app = await before.startAnother({ egressAllow: "127.0.0.1" });
  before.clock.advance(60_000);
  await lookNow({ ...before, app });
  await untilStored(before, id, ([one]) => one?.state === "delivered");
  assert.equal(receiver.received.length, 1);
});
