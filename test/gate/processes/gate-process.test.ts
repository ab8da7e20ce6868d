// `reeve gate` and `reeve serve --gate` as processes: killed, stopped, flooded, and examined by `reeve doctor`.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { runReeve, serveReeve, startReeve, stopReeve } from "../../cli/reeve-process.ts";
import { freePort } from "../../harness/free-port.ts";
import { createStorage } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { expectDecisions } from "../alike.ts";
import { CONFIGURATION } from "../corpus.ts";
import type { CorpusRequest } from "../corpus.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { startRelay } from "../relay.ts";
import { startGateProcess } from "./gate-process.ts";

const world = await startGateWorld();
const { team } = world;
const application = (await listenOn(echo)).url;

const send = (url: string, { method, target, headers, host, ip }: CorpusRequest) =>
  sendTo(url, target, { method, ip, headers: { ...headers, host } });

function settingsOf(server: string, project: string) {
  return {
    server,
    key: world.key,
    hosts: `*=${team.slug}/${project}`,
    dir: world.newFolder(),
    // The corpus is sent from other addresses of loopback, which are believed nothing.
    environment: { REEVE_GATE_UPSTREAM: application, REEVE_GATE_TRUSTED_PROXIES: "127.0.0.1" },
  };
}

test("a gate that is killed starts again without the control plane, decides as before, and says what it lost", async () => {
  const project = await world.newProject(CONFIGURATION);
  const assertAlike = await expectDecisions(world, project);
  const relay = await startRelay(world.port);
  const settings = settingsOf(relay.url, project);
  const first = await startGateProcess(settings);
  assert.equal((await sendTo(first.url, "/")).status, 200);
  // The bundle is written after it is in force.
  await waitFor("the bundle on disk", () => readdirSync(settings.dir).length > 0);
  assert.equal((await stopReeve(first, "SIGKILL")).code, null);
  await relay.cut();
  const again = await startGateProcess(settings);
  await assertAlike((request) => send(again.url, request));
  const { code, stderr } = await stopReeve(again);
  assert.equal(code, 0);
  assert.match(stderr, /counts of requests could not be reported/);
});

test("a gate under ten times the connections that it usually has decides each request as the rules say", async () => {
  const rule = {
    name: "No admin",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
    action: { mitigate: { action: "deny" } },
  };
  const project = await world.newProject({ firewallEnabled: true, rules: [rule] });
  const gate = await startGateProcess(settingsOf(world.server, project));
  const paths = Array.from({ length: 600 }, (_, at) => (at % 3 === 0 ? `/admin/${at}` : `/${at}`));
  const statuses = await Promise.all(paths.map(async (path) => [path, (await sendTo(gate.url, path)).status] as const));
  const wrong = statuses.filter(([path, status]) => status !== (path.startsWith("/admin") ? 403 : 200));
  assert.deepEqual(wrong, []);
  assert.equal((await stopReeve(gate)).code, 0);
});

interface Examined {
  readonly code: number | null;
  readonly findings: Readonly<Record<string, string>>;
}

async function examine(url: string): Promise<Examined> {
  const { code, stdout } = await runReeve(["doctor", "--gate", url, "--json"], {});
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; status: string; detail: string; advice?: string }[];
  };
  const shown = findings.map(({ check, status, detail, advice }) => [
    check,
    `${status}: ${detail}${advice === undefined ? "" : ` -> ${advice}`}`,
  ]);
  return { code, findings: Object.fromEntries(shown) as Record<string, string> };
}

test("doctor finds a gate that does not answer, a stale bundle, none at all, and a proxy that is not trusted", async () => {
  const project = await world.newProject(CONFIGURATION);
  const relay = await startRelay(world.port);
  const gate = await world.startGate(
    { hosts: [{ host: "*", team: team.slug, project }], trustedProxies: ["127.0.0.1/32"] },
    { server: relay.url },
  );
  const bundle = `bundle of ${team.slug}/${project}`;
  const fresh = await examine(gate.url);
  assert.equal(fresh.code, 0);
  assert.match(fresh.findings[bundle] ?? "", /^ok: version 1, confirmed$/);
  assert.match(fresh.findings["proxies"] ?? "", /^ok: /);

  await relay.cut();
  await sendTo(gate.url, "/.well-known/reeve/check", { ip: "127.0.0.3" });
  const told = await waitFor("the bundle to be stale", async () => {
    world.clock.advance(11 * MINUTE_MS);
    const examined = await examine(gate.url);
    return examined.findings[bundle]?.startsWith("warning") ? examined : undefined;
  });
  assert.equal(told.code, 4);
  assert.match(told.findings[bundle] ?? "", /^warning: stale: version 1, not confirmed for \d+ minutes: /);
  assert.match(told.findings["proxies"] ?? "", /^fault: .*127\.0\.0\.3 \(1 times\) -> .*REEVE_GATE_TRUSTED_PROXIES/);

  const nothing = await examine(`http://127.0.0.1:${await freePort()}`);
  assert.equal(nothing.code, 4);
  assert.match(nothing.findings["gate"] ?? "", /^fault: nothing answers at .*ECONNREFUSED .* -> .*REEVE_GATE_LISTEN/);
  const unprotected = await world.startGate(
    { hosts: [{ host: "*", team: team.slug, project: "other" }] },
    { server: relay.url },
  );
  const missing = await examine(unprotected.url);
  assert.match(missing.findings[`bundle of ${team.slug}/other`] ?? "", /^fault: there is none, so nothing is enforced/);
  const closed = await world.startGate(
    { hosts: [{ host: "*", team: team.slug, project: "other" }], whenNoBundle: "closed" },
    { server: relay.url },
  );
  const refused = (await examine(closed.url)).findings[`bundle of ${team.slug}/other`] ?? "";
  assert.match(refused, /^fault: there is none, so all of its requests are refused \(REEVE_GATE_NO_BUNDLE=closed\)/);
  const stranger = await examine(application);
  assert.match(stranger.findings["gate"] ?? "", /is no gate/);
});

test("doctor finds a counter store that is away", async () => {
  const project = await world.newProject(CONFIGURATION);
  const hosts = [{ host: "*", team: team.slug, project }];
  const gate = await world.startGate({ hosts, redisUrl: `redis://127.0.0.1:${await freePort()}` });
  const { code, findings } = await waitFor("the store to be away", async () => {
    const examined = await examine(gate.url);
    return examined.findings["counter store"]?.startsWith("warning") ? examined : undefined;
  });
  // It is a warning: every request is still decided.
  assert.equal(code, 0);
  assert.match(findings["counter store"] ?? "", /^warning: away, .*ECONNREFUSED.* -> .*REEVE_GATE_REDIS_URL/);
});

test("doctor names the hosts that the gate has no project for", async () => {
  const project = await world.newProject(CONFIGURATION);
  const gate = await world.startGate({
    hosts: [{ host: "shop.test", team: team.slug, project }],
    upstream: application,
  });
  assert.match((await examine(gate.url)).findings["hosts"] ?? "", /^ok: /);
  await sendTo(gate.url, "/", { headers: { host: "www.shop.test" } });
  const { code, findings } = await examine(gate.url);
  assert.match(findings["hosts"] ?? "", /^warning: .*www\.shop\.test \(1 times\) -> .*REEVE_GATE_HOSTS/);
  assert.equal(code, 0);
});

test("an address that is taken is told by the settings of the gate", async () => {
  const taken = new URL(application).host;
  const base = {
    REEVE_GATE_SERVER: world.server,
    REEVE_GATE_KEY: world.key,
    REEVE_GATE_HOSTS: `*=${team.slug}/${await world.newProject(CONFIGURATION)}`,
    REEVE_GATE_DIR: world.newFolder(),
  };
  const refused = await runReeve(["gate", "--listen", taken], {}, base);
  assert.equal(refused.code, 69);
  assert.match(refused.stderr, /the gate cannot listen on .*: something else listens there: .* REEVE_GATE_LISTEN/);
  assert.doesNotMatch(refused.stderr, /REEVE_PORT/);
  const storage = await createStorage();
  const within = await runReeve(["serve", "--port", "0", "--gate"], storage.flags, {
    REEVE_GATE_HOSTS: "*=acme/shop",
    REEVE_GATE_LISTEN: taken,
  });
  await storage.remove();
  assert.equal(within.code, 69);
  assert.match(within.stderr, /the gate cannot listen on .* REEVE_GATE_LISTEN/);
});

test("a gate that would be its own application, one without teams in a server, and a key that may too much are told", async () => {
  const base = { REEVE_GATE_SERVER: world.server, REEVE_GATE_KEY: world.key, REEVE_GATE_DIR: world.newFolder() };
  for (const [listen, upstream] of [
    ["127.0.0.1:4999", "http://localhost:4999"],
    ["0.0.0.0:80", "http://127.0.0.1/"],
    ["[::1]:4999", "http://[::1]:4999/base"],
  ] as const) {
    const { code, stderr } = await runReeve(["gate", "--listen", listen, "--upstream", upstream], {}, base);
    assert.equal(code, 78);
    assert.match(stderr, /REEVE_GATE_UPSTREAM \(--upstream\): .* is where the gate itself listens \(REEVE_GATE_LISTEN/);
  }
  const storage = await createStorage();
  const nameless = await runReeve(["serve", "--port", "0", "--gate"], storage.flags, {});
  await storage.remove();
  assert.equal(nameless.code, 78);
  assert.match(nameless.stderr, /^reeve: REEVE_GATE_HOSTS: expected host=team\/project for each host [^\n]*\n$/);
  assert.equal(nameless.stdout, "");
  const key = `rvt_${"x".repeat(46)}`;
  const broad = startReeve(["gate", "--listen", "127.0.0.1:0"], {}, { ...base, REEVE_GATE_KEY: key });
  const line = await waitFor("the warning", () => /^.*access token of a person.*$/m.exec(broad.logged())?.[0]);
  assert.match(line, /"setting":"REEVE_GATE_KEY"/);
  assert.doesNotMatch(line, /rvt_/);
  await stopReeve(broad);
});

test("doctor finds a gate that nobody asks", async () => {
  const project = await world.newProject(CONFIGURATION);
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }], upstream: application });
  const use = async () => (await examine(gate.url)).findings["requests"] ?? "";
  assert.match(await use(), /^ok: none yet/);
  world.clock.advance(5 * MINUTE_MS);
  assert.match(await use(), /^warning: nobody has asked the gate for 5 minutes: .* -> .*X-Reeve-Decision/);
  await sendTo(gate.url, "/");
  assert.match(await use(), /^ok: 1 decided/);
  world.clock.advance(20 * MINUTE_MS);
  assert.match(await use(), /^warning: nobody has asked the gate for 20 minutes/);
});

async function untilStatus(url: string, path: string, status: number): Promise<void> {
  await waitFor(`${status} for ${path}`, async () => {
    const answer = await sendTo(url, path).catch(() => null);
    return answer?.status === status;
  });
}

test("serve --gate protects an application from within the server, without a key, and stops with it", async () => {
  const storage = await createStorage();
  const port = await freePort();
  const token = "an_administrators_token_of_this_test_file";
  const server = await serveReeve(
    { ...storage.flags, bootstrapToken: token },
    {
      REEVE_GATE_HOSTS: "*=acme/shop",
      REEVE_GATE_UPSTREAM: application,
      REEVE_GATE_LISTEN: `127.0.0.1:${port}`,
      REEVE_GATE_DIR: world.newFolder(),
    },
    [],
    ["--gate"],
  );
  const call = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) });
    assert.equal(response.status, 200, await response.text());
  };
  const url = `http://127.0.0.1:${port}`;
  const [start] = await server.printed(/^\{.*\}$/m);
  assert.equal((JSON.parse(start) as { gateUrl: string }).gateUrl, url);
  // It is not let through before there is anything to decide by.
  await untilStatus(url, "/", 403);
  await call("POST", "/v1/teams", { slug: "acme" });
  const denied = { type: "path", op: "pre", value: "/admin" };
  const rule = { name: "No admin", active: true, conditionGroup: [{ conditions: [denied] }] };
  await call("PUT", "/v1/firewalls?slug=acme&projectId=shop", {
    firewallEnabled: true,
    rules: [{ ...rule, action: { mitigate: { action: "deny" } } }],
  });
  await untilStatus(url, "/", 200);
  assert.equal((await sendTo(url, "/admin")).status, 403);
  assert.equal((await stopReeve(server)).code, 0);
  await assert.rejects(sendTo(url, "/"));
  await storage.remove();
});
