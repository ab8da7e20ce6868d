// Rules that take too long while the gate finds out whether it needs a body: the policy for failures decides, as it does everywhere, and
// only about what nothing has decided before.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createGate } from "../../src/gate/middleware.ts";
import { SILENT, echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;

/** Takes the expressions of `costly` longer than a request may take, and is the same in every run. */
function costlyAgent(): string {
  const parts = ["a", "/delete/", "/v2/", "/remove/", "b"];
  let state = 7;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return `/v1/${Array.from({ length: 2_600 }, () => parts[next() % parts.length]).join("")}`;
}

const trace = { type: "body", op: "ex", key: "trace" };
/** All but the last hold, so that each is evaluated. */
const costly = Array.from({ length: 10 }, (_, at) => ({
  type: "user_agent",
  op: "re",
  value: `/v[0-9]+/.{0,${60 + at}}/(delete|remove)/.{0,60}/end`,
  neg: at < 9,
}));
const rule = (name: string, action: string, ...conditions: object[]) => ({
  name,
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate: { action } },
});
const application = await listenOn(echo);
const headers = { "content-type": "application/x-www-form-urlencoded", "user-agent": costlyAgent() };

test("what fails while the gate finds out whether it needs the body has the outcome of the policy too", async () => {
  const onRole = { type: "body", op: "eq", key: "role", value: "admin" };
  const role = rule("role", "deny", onRole);
  for (const rules of [
    [rule("body first", "log", trace, ...costly), role],
    [rule("body last", "log", ...costly, trace), role],
  ]) {
    const project = await world.newProject({ firewallEnabled: true, rules });
    for (const [whenError, status] of [
      ["closed", 403],
      ["open", 200],
    ] as const) {
      const said: { err?: Error }[] = [];
      const noted = { ...SILENT, error: (details: object) => void said.push(details) };
      const options = { server: world.server, key: world.key, team: team.slug, project, whenError, log: noted };
      const gate = await world.startGate(
        { hosts: [{ host: "*", team: team.slug, project }], upstream: application.url, whenError },
        { log: noted },
      );
      const within = createGate(options);
      after(() => within.close());
      await within.ready;
      const web = within.fetch(async (_request: Request) => new Response("reached"), { ip: () => "127.0.0.1" });
      const node = await listenOn(within.node(echo));
      for (const url of [gate.url, node.url]) {
        const sent = await sendTo(url, "/", { method: "POST", headers, body: "role=admin" });
        assert.equal(sent.status, status);
        if (status === 403)
          assert.match(String(sent.headers["x-reeve-decision"]), /^deny; version=1; reason=too_slow;/);
      }
      const posted = new Request("http://shop.test/", { method: "POST", headers, body: "role=admin" });
      assert.equal((await web(posted)).status, status);
      assert.deepEqual(
        said.map(({ err }) => err?.name),
        ["TimeLimitError", "TimeLimitError", "TimeLimitError"],
      );
      const { text } = await sendTo(gate.url, "/.well-known/reeve/metrics");
      assert.match(text, /reeve_gate_policies_total\{reason="too_slow"\} 1/);
      await gate.close();
    }
  }
});

test("what is decided before the costly rule stays decided, whatever the policy and the body", async () => {
  const denied = [{ ip: "127.0.0.1", hostname: "*", notes: "", action: "deny" }];
  const slow = rule("slow", "deny", trace, ...costly);
  const trusted = rule("trusted", "bypass", { type: "header", op: "eq", key: "x-monitor", value: "yes" });
  const role = rule("role", "deny", { type: "body", op: "eq", key: "role", value: "admin" });
  const bodies = { small: "role=admin", large: `role=${"x".repeat(70_000)}` };
  for (const [configuration, isAttackMode, statuses] of [
    [{ rules: [slow], ips: denied }, false, { small: 403, large: 403 }],
    [{ rules: [slow] }, true, { small: 403, large: 403 }],
    [{ rules: [trusted, slow] }, false, { small: 200, large: 200 }],
    [{ rules: [role, slow] }, false, { small: 403, large: 403 }],
  ] as const) {
    const project = await world.newProject({ firewallEnabled: true, ...configuration });
    await world.setAttackMode(project, isAttackMode);
    for (const whenError of ["open", "closed"] as const) {
      const errors: object[] = [];
      const { url } = await world.startGate(
        { hosts: [{ host: "*", team: team.slug, project }], upstream: application.url, whenError },
        { log: { ...SILENT, error: (details: object) => void errors.push(details) } },
      );
      for (const size of ["small", "large"] as const) {
        const more = { ...headers, "x-monitor": "yes" };
        const sent = await sendTo(url, "/", { method: "POST", headers: more, body: bodies[size] });
        const what = JSON.stringify([configuration.rules.map(({ name }) => name), isAttackMode, whenError, size]);
        assert.equal(sent.status, statuses[size], what);
        assert.doesNotMatch(sent.text + String(sent.headers["x-reeve-decision"]), /reason=(too_slow|error)/, what);
      }
      assert.deepEqual(errors, []);
    }
  }
});
