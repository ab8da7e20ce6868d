// What the gate refuses or lets through by itself, and what it tells its operator: hosts, proxies, detect only, traffic, health.
import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team } = world;

const denyAdmin = {
  name: "No admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};
const ADMIN = { firewallEnabled: true, rules: [denyAdmin] };
const CHECK = "/.well-known/reeve/check";

const asked = (target: string, host = "shop.test", more: object = {}) => ({
  headers: { "x-forwarded-method": "GET", "x-forwarded-host": host, "x-forwarded-uri": target, ...more },
});

test("the most exact host decides which project protects, and a host without one is refused", async () => {
  const [open, closed] = [await world.newProject(), await world.newProject(ADMIN)];
  const { url } = await world.startGate({
    hosts: [
      { host: "*.shop.test", team: team.slug, project: open },
      { host: "www.shop.test", team: team.slug, project: closed },
      { host: "*.eu.shop.test", team: team.id, project: closed },
    ],
  });
  const statusOf = async (host: string) => (await sendTo(url, CHECK, asked("/admin", host))).status;
  assert.equal(await statusOf("a.shop.test"), 204);
  assert.equal(await statusOf("WWW.shop.test:8443"), 403);
  assert.equal(await statusOf("a.eu.shop.test"), 403);
  const refused = await sendTo(url, CHECK, asked("/", "other.test"));
  assert.equal(refused.status, 403);
  assert.match(String(refused.headers["x-reeve-decision"]), /^deny; reason=unknown_host; id=\w+$/);
});

test("only a trusted proxy may ask, and its word counts for the address alone that it saw", async () => {
  const project = await world.newProject({
    firewallEnabled: true,
    rules: [],
    ips: [{ hostname: "*", ip: "203.0.113.7", action: "deny" }],
  });
  const hosts = [{ host: "*", team: team.slug, project }];
  const logged: object[] = [];
  const log = { info() {}, warn: (details: object) => void logged.push(details), error() {} };
  const { url } = await world.startGate({ hosts, trustedProxies: ["127.0.0.2/32", "10.0.0.0/8"] }, { log });
  const statusFrom = async (ip: string, forwardedFor: string) =>
    (await sendTo(url, CHECK, { ...asked("/", "shop.test", { "x-forwarded-for": forwardedFor }), ip })).status;
  const stranger = await sendTo(url, CHECK, { ...asked("/"), ip: "127.0.0.3" });
  assert.deepEqual([stranger.status, stranger.text.includes("REEVE_GATE_TRUSTED_PROXIES")], [403, true]);
  assert.ok(logged.some((details) => (details as { peer?: string }).peer === "127.0.0.3"));
  assert.equal(await statusFrom("127.0.0.2", "203.0.113.7"), 403);
  assert.equal(await statusFrom("127.0.0.2", "203.0.113.7, 10.1.2.3"), 403);
  // The client may write what it likes before the address that a trusted proxy adds.
  assert.equal(await statusFrom("127.0.0.2", "203.0.113.7, 198.51.100.1"), 204);
  assert.equal(await statusFrom("127.0.0.2", "198.51.100.1, 203.0.113.7, 10.1.2.3"), 403);
  assert.equal(await statusFrom("127.0.0.2", "203.0.113.7:4711"), 403);
  assert.equal((await sendTo(url, "/.well-known/reeve/health", { ip: "127.0.0.3" })).status, 404);
  const metrics = await sendTo(url, "/.well-known/reeve/metrics", { ip: "127.0.0.2" });
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /reeve_gate_refused_peers_total 1\n/);
});

test("a proxy that does not say what the request is, or says it twice, is refused", async () => {
  const project = await world.newProject(ADMIN);
  const { url } = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }] });
  const twice = { "x-forwarded-uri": "/", "x-original-uri": "/admin", "x-original-method": "GET" };
  for (const [path, headers] of [
    [CHECK, {}],
    [CHECK, { "x-forwarded-method": "GET", "x-forwarded-uri": "/" }],
    [CHECK, { "x-forwarded-method": "GET", "x-forwarded-host": "a b", "x-forwarded-uri": "/" }],
    [CHECK, { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": "http://shop.test/" }],
    [CHECK, { ...asked("/").headers, ...twice }],
    [`${CHECK}?compat=nginx`, { ...asked("/").headers }],
    [`${CHECK}?compat=nginx`, { "x-original-uri": "/" }],
  ] as const) {
    const { status, text } = await sendTo(url, path, { headers });
    assert.deepEqual([status, text.startsWith("Expected ")], [403, true], `${path} ${JSON.stringify(headers)}`);
  }
  // What nginx was told counts, whatever the client claims.
  const claimed = { ...asked("/").headers, "x-original-uri": "/admin", "x-original-method": "GET" };
  assert.equal((await sendTo(url, `${CHECK}?compat=nginx`, { headers: claimed })).status, 403);
});

test("a request that the evaluator would take too long for is refused, or let through when that is chosen", async () => {
  const slow = {
    ...denyAdmin,
    conditionGroup: [{ conditions: [{ type: "raw_path", op: "re", value: "[a-z/]{900}\\d{900}" }] }],
  };
  const rules = Array.from({ length: 2 }, (_, at) => ({ ...slow, name: `slow ${at}` }));
  const project = await world.newProject({ firewallEnabled: true, rules });
  const hosts = [{ host: "*", team: team.slug, project }];
  const long = `/${"ab".repeat(6_000)}`;
  const closed = await world.startGate({ hosts });
  const open = await world.startGate({ hosts, whenError: "open" });
  const refused = await sendTo(closed.url, CHECK, asked(long));
  assert.equal(refused.status, 403);
  assert.match(String(refused.headers["x-reeve-decision"]), /^deny; version=\d+; reason=too_slow; id=\w+$/);
  const letThrough = await sendTo(open.url, CHECK, asked(long));
  assert.match(String(letThrough.headers["x-reeve-decision"]), /^allow; version=\d+; reason=too_slow; id=\w+$/);
  assert.match(String((await sendTo(closed.url, CHECK, asked("/"))).headers["x-reeve-decision"]), /^allow; version/);
});

test("with detect only nothing is refused, and what would have been is said and counted", async () => {
  const project = await world.newProject(ADMIN);
  const rule = String((await active(project)).rules[0].id);
  const hosts = [{ host: "*", team: team.slug, project }];
  for (const name of ["all", "Shop.test", `${team.slug}/${project}`, rule]) {
    const { url } = await world.startGate({ hosts, detectOnly: [name] });
    const { status, headers } = await sendTo(url, CHECK, asked("/admin", "shop.test:8080"));
    assert.equal(status, 204, name);
    const said = new RegExp(`^allow; rule=${rule}; version=1; reason=detect_only; would=deny; id=\\w+$`);
    assert.match(String(headers["x-reeve-decision"]), said);
    const { text } = await sendTo(url, "/.well-known/reeve/metrics");
    assert.match(text, /reeve_gate_policies_total\{reason="detect_only"\} 1/);
  }
  const { url } = await world.startGate({ hosts, detectOnly: ["other.test", `${team.slug}/other`] });
  assert.equal((await sendTo(url, CHECK, asked("/admin"))).status, 403);
});

test("a rule that is only watched hides none of those after it", async () => {
  const on = (name: string, header: string, mitigate: object) => ({
    name,
    active: true,
    conditionGroup: [{ conditions: [{ type: "header", op: "ex", key: header }] }],
    action: { mitigate },
  });
  const rateLimit = { algo: "fixed_window", window: 3_600, limit: 1, keys: ["host"] };
  const watched = [
    on("Deny", "x-deny", { action: "deny", actionDuration: "1h" }),
    on("Slow", "x-slow", { action: "rate_limit", rateLimit, actionDuration: "1h" }),
    on("Move", "x-move", { action: "redirect", redirect: { location: "/x", permanent: false } }),
  ];
  const project = await world.newProject({ firewallEnabled: true, rules: [...watched, ...ADMIN.rules] });
  const [deny, slow, move, admin] = (await active(project)).rules.map(({ id }: { id: string }) => id) as string[];
  const hosts = [{ host: "*", team: team.slug, project }];
  const gate = await world.startGate({ hosts, detectOnly: [deny, slow, move] as string[] });
  const decide = async (path: string, ...names: string[]) => {
    const headers = Object.fromEntries(names.map((name) => [name, "1"]));
    const { status, headers: said } = await sendTo(gate.url, CHECK, asked(path, "shop.test", headers));
    return `${status} ${String(said["x-reeve-decision"]).replace(/ version=1; |id=\w+$/g, "")}`;
  };
  const would = (rule = "", action = "") => `204 allow; rule=${rule};reason=detect_only; would=${action}; `;
  assert.equal(await decide("/", "x-deny"), would(deny, "deny"));
  assert.equal(await decide("/"), "204 allow;", "nobody is held");
  assert.equal(await decide("/", "x-slow"), "204 allow;", "within the limit");
  assert.equal(await decide("/", "x-slow"), would(slow, "rate_limit"));
  assert.equal(await decide("/", "x-move", "x-slow"), would(slow, "rate_limit"));
  assert.equal(await decide("/", "x-move"), would(move, "redirect"));
  assert.equal(await decide("/admin", "x-deny", "x-slow", "x-move"), `403 deny; rule=${admin};`);
  await gate.close();
  const path = `/v1/gate/decisions?teamId=${team.id}&projectId=${project}&limit=100`;
  const { decisions } = (await world.request("GET", path, { token: world.user.token })).body;
  const idsOf = (causes: readonly { id: string }[]) => causes.map(({ id }) => id);
  const [last, redirected] = decisions;
  assert.deepEqual([last.by.id, idsOf(last.logged)], [admin, [deny, slow, move]]);
  assert.deepEqual([redirected.by.id, redirected.wouldBe, redirected.logged], [move, "redirect", []]);
  // For the first one there always is time to explain it.
  const first = decisions.at(-1);
  const found = await world.request("GET", `/v1/gate/decisions/${first.id}?teamId=${team.id}`, {
    token: world.user.token,
  });
  const matched = found.body.decision.steps.filter(({ outcome }: { outcome: string }) => outcome === "matched");
  assert.deepEqual([first.by.id, idsOf(matched)], [deny, [deny]]);
});

test("a managed set that is only watched hides none of those after it, and what is to be watched and is not there is said", async () => {
  const managedRules = { bot_protection: { active: true }, ai_bots: { active: true } };
  const project = await world.newProject({ ...ADMIN, managedRules });
  const hosts = [{ host: "*", team: team.slug, project }];
  const warned: object[] = [];
  const log = { info() {}, warn: (details: object) => void warned.push(details), error() {} };
  const { url } = await world.startGate({ hosts, detectOnly: ["bot_protection", "rule_mistyped"] }, { log });
  const decide = async (agent: string) => {
    const { headers } = await sendTo(url, CHECK, asked("/", "shop.test", { "user-agent": agent }));
    return String(headers["x-reeve-decision"]).replace(/ version=1; |id=\w+$/g, "");
  };
  assert.equal(await decide("curl/8.5.0"), "allow; rule=bot_protection;reason=detect_only; would=challenge; ");
  assert.equal(await decide("curl/8.5.0 GPTBot/1.0"), "deny; rule=ai_bots;");
  assert.deepEqual(warned, [{ id: "rule_mistyped", setting: "REEVE_GATE_DETECT_ONLY" }]);
});

test("a group of a watched set that does something else than the set is watched as well", async () => {
  const ruleGroups = { "http-library": { active: true, action: "deny" } };
  const managedRules = { bot_protection: { active: true, action: "log", ruleGroups }, ai_bots: { active: true } };
  const project = await world.newProject({ ...ADMIN, managedRules });
  const hosts = [{ host: "*", team: team.slug, project }];
  const { url } = await world.startGate({ hosts, detectOnly: ["bot_protection"] });
  const decide = async (agent: string) =>
    String((await sendTo(url, CHECK, asked("/", "shop.test", { "user-agent": agent }))).headers["x-reeve-decision"]);
  assert.match(await decide("curl/8.5.0"), /^allow; rule=bot_protection; version=1; reason=detect_only; would=deny; /);
  assert.match(await decide("HeadlessChrome/140.0"), /^log; rule=bot_protection; version=1; id=/);
  assert.match(await decide("curl/8.5.0 GPTBot/1.0"), /^deny; rule=ai_bots; /);
});

async function active(project: string) {
  const url = `/v1/firewalls/active?teamId=${team.id}&projectId=${project}`;
  return (await world.request("GET", url, { token: world.user.token })).body;
}

test("what was decided is counted in the control plane, once a gate reports or stops", async () => {
  const project = await world.newProject(ADMIN);
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }] });
  for (const target of ["/", "/admin", "/admin/x"]) {
    await sendTo(gate.url, CHECK, asked(target, "Shop.test:443", { "x-forwarded-for": "203.0.113.7" }));
  }
  await gate.close();
  const url = `/v1/security/firewall/events?teamId=${team.id}&projectId=${project}`;
  const actions = await waitFor("the counts", async () => {
    const { body } = await world.request("GET", url, { token: world.user.token });
    return body.actions.length > 0 ? body.actions : undefined;
  });
  const [{ action, host, public_ip: ip, count, ruleName }] = actions;
  assert.deepEqual(
    [actions.length, action, host, ip, count, ruleName],
    [1, "deny", "shop.test", "203.0.113.7", 2, "No admin"],
  );
});

test("who is refused gets a page or a problem document, each with the decision's id", async () => {
  const project = await world.newProject(ADMIN);
  const application = await listenOn(echo);
  const { url } = await world.startGate({
    hosts: [{ host: "*", team: team.slug, project }],
    upstream: application.url,
  });
  const page = await sendTo(url, "/admin", { headers: { accept: "text/html,*/*;q=0.8" } });
  const [, id = ""] = /id=(\w+)$/.exec(String(page.headers["x-reeve-decision"])) ?? [];
  assert.deepEqual(
    [page.status, page.headers["content-type"], page.headers["cache-control"]],
    [403, "text/html; charset=utf-8", "no-store"],
  );
  assert.ok(id.length > 10 && page.text.includes(id));
  assert.ok(!page.text.includes("No admin"), "a stranger does not learn the name of the rule");
  const problem = await sendTo(url, "/admin", { headers: { accept: "application/json" } });
  const { status, id: shown } = JSON.parse(problem.text) as { status: number; id: string };
  assert.deepEqual([problem.status, problem.headers["content-type"], status], [403, "application/problem+json", 403]);
  assert.ok(String(problem.headers["x-reeve-decision"]).endsWith(shown));
  const head = await sendTo(url, "/admin", { method: "HEAD" });
  assert.deepEqual([head.status, head.text], [403, ""]);
});
