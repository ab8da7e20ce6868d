// The control plane of a gate is killed and stays away for a minute: the gate goes on as if nothing were, and catches up afterwards.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { startGateProcess } from "../gate/processes/gate-process.ts";
import { echo, listenOn, sendTo } from "../gate/gate-world.ts";
import { roomyWindow } from "../gate/roomy-window.ts";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";

const TOKEN = "an_administrators_token_of_this_test_file";

const ruleOf = (path: string, mitigate: object) => ({
  name: `On ${path}`,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: path }] }],
  action: { mitigate },
});
const LIMIT = { algo: "fixed_window", window: roomyWindow(), limit: 3, keys: ["ip"] };
const RULES = [
  ruleOf("/admin", { action: "deny" }),
  ruleOf("/login", { action: "challenge" }),
  ruleOf("/old", { action: "redirect", redirect: { location: "/new", permanent: false } }),
  ruleOf("/limited", { action: "rate_limit", rateLimit: LIMIT }),
];
const EXPECTED = { "/": 200, "/admin": 403, "/login": 403, "/old": 307, "/limited": 429 } as const;

test("a gate whose control plane is killed for a minute decides as before, and learns of a change when it is back", async () => {
  const storage = await createStorage();
  const port = String(await freePort());
  const serve = () => serveReeve({ ...storage.flags, bootstrapToken: TOKEN }, {}, [], ["--port", port]);
  const first = await serve();
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const response = await fetch(first.url + path, { method, headers, body: JSON.stringify(body) });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const publish = (rules: readonly object[]) =>
    call("PUT", "/v1/firewalls?slug=acme&projectId=shop", { firewallEnabled: true, rules });
  await call("POST", "/v1/teams", { slug: "acme" });
  await publish(RULES);
  const key = { name: "gate", role: "SECURITY", permissions: ["gate:connect"] };
  const gate = await startGateProcess({
    server: first.url,
    key: (await call("POST", "/v1/api-keys?slug=acme", key)).value,
    hosts: "*=acme/shop",
    dir: `${storage.flags.dataDir}-gate`,
    environment: { REEVE_GATE_UPSTREAM: (await listenOn(echo)).url },
  });
  for (let at = 0; at < LIMIT.limit; at++) assert.equal((await sendTo(gate.url, "/limited")).status, 200);

  await stopReeve(first, "SIGKILL");
  const until = performance.now() + MINUTE_MS;
  let rounds = 0;
  for (; performance.now() < until; rounds++) {
    for (const [path, status] of Object.entries(EXPECTED)) {
      const answer = await sendTo(gate.url, path);
      assert.equal(answer.status, status, `${path} in round ${rounds}`);
      assert.match(String(answer.headers["x-reeve-decision"] ?? answer.text), /version=1; id=/);
    }
    await pause(SECOND_MS / 2);
  }
  assert.ok(rounds > 10, `${rounds} rounds`);

  const second = await serve();
  await publish(RULES.slice(1));
  await waitFor("the change", async () => (await sendTo(gate.url, "/admin")).status === 200);
  assert.equal((await sendTo(gate.url, "/limited")).status, 429);
  await stopReeve(gate);
  await stopReeve(second);
  await storage.remove();
});
