// From the page that a refused client got to the reason, on the command line: `reeve gate why`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runReeve } from "../cli/in-process.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { server, team, user } = world;

const RULES = [
  {
    name: "No admin",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
    action: { mitigate: { action: "deny" } },
  },
  {
    name: "Watch",
    active: true,
    conditionGroup: [{ conditions: [{ type: "query", op: "ex", key: "watch" }] }],
    action: { mitigate: { action: "log" } },
  },
  {
    name: "Bodies",
    active: true,
    conditionGroup: [{ conditions: [{ type: "body", op: "eq", key: "role", value: "admin" }] }],
    action: { mitigate: { action: "deny" } },
  },
];

/** Runs the command with somebody's token, and the configuration of nobody. */
function why(args: readonly string[], token = user.token) {
  const environment = { REEVE_SERVER: server, REEVE_TOKEN: token, XDG_CONFIG_HOME: "/nonexistent" };
  return runReeve(["gate", "why", ...args], {}, environment);
}

/** The ids of a refused request, of one that was only logged, and of one whose body cannot be read. */
async function decide() {
  const project = await world.newProject({ firewallEnabled: true, rules: RULES });
  const application = await listenOn(echo);
  const hosts = [{ host: "*", team: team.slug, project }];
  const gate = await world.startGate({ hosts, upstream: application.url });
  const headers = { host: "shop.test", accept: "text/html", "user-agent": "Browser/1" };
  const page = await sendTo(gate.url, "/admin?token=sword-fish", { headers });
  const logged = await sendTo(gate.url, "/?watch=1", { headers });
  const odd = { method: "POST", body: "{a:1}", headers: { ...headers, "content-type": "application/json" } };
  const unread = await sendTo(gate.url, "/", odd);
  await gate.close();
  const [, refused = ""] = /<code[^>]*>(\w+)<\/code>/.exec(page.text) ?? [];
  const [, passed = ""] = /id=(\w+)"/.exec(logged.text) ?? [];
  assert.match(logged.text, /"log; rule=\w+; version=1; id=\w+"/);
  const [, undecodable = ""] = /<code[^>]*>(\w+)<\/code>/.exec(unread.text) ?? [];
  return { project, refused, passed, undecodable };
}

const { project, refused, passed, undecodable } = await decide();

test("the id on the page of a refusal leads to the rule, the request and the steps", async () => {
  const { code, stdout, stderr } = await why([refused]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^deny 403: the rule "No admin": path pre "\/admin" \(was "\/admin"\)\n/);
  for (const line of [
    new RegExp(`^Decision {2}${refused}, \\d{4}-`, "m"),
    new RegExp(`^Project {3}${team.slug}/${project}$`, "m"),
    /^Version {3}1$/m,
    /^Request {3}GET http:\/\/shop\.test\/admin\?token=\[redacted\]$/m,
    /^Client {4}127\.0\.0\.1, Browser\/1$/m,
    /^Step by step:\n {2}the rule "No admin" matched/m,
    /^What would have followed:\n {2}the rule "Watch" did not match/m,
  ]) {
    assert.match(stdout, line);
  }
  assert.ok(!stdout.includes("sword-fish"));
});

test("what was only logged names the rule that logged, and --json has all of it", async () => {
  const text = await why([passed, "--team", team.id]);
  assert.match(text.stdout, /^allow: only logged\n/);
  assert.match(text.stdout, /^Logged by the rule "Watch"$/m);
  const { stdout } = await why([passed, "--team", team.slug, "--json"]);
  const found = JSON.parse(stdout);
  assert.deepEqual([found.server, found.team, found.decision.id], [server, team.slug, passed]);
  assert.equal(found.decision.logged[0].name, "Watch");
});

test("a body that cannot be read says what was found in it, and which setting lets it through", async () => {
  const { stdout } = await why([undecodable]);
  assert.match(
    stdout,
    /^deny 403: the policy body_undecodable, and no rule \(it is not JSON; the rule "Bodies" reads it\)\n/,
  );
  assert.match(stdout, /^Policy {4}A rule reads the body, .*REEVE_GATE_ON_BODY/m);
  assert.match(stdout, /^Found {5}it is not JSON; the rule "Bodies" reads it$/m);
});

test("what is not there, or not for somebody, is refused in words", async () => {
  const unknown = await why(["Unknown00000"]);
  assert.equal(unknown.code, 6);
  assert.match(unknown.stderr, /^reeve: http:\S+ has no decision Unknown00000\. Gates report samples/);
  const stranger = await world.createUser();
  assert.equal((await why([refused], stranger.token)).code, 6);
  const elsewhere = await why([refused, "--team", team.slug], stranger.token);
  assert.deepEqual([elsewhere.code, /refuses: Team not found/.test(elsewhere.stderr)], [6, true], elsewhere.stderr);
  const made = await world.request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: user.token,
    body: { name: "narrow", role: "SECURITY", permissions: ["gate:connect"] },
  });
  const gateKey = await why([refused], made.body.value);
  assert.deepEqual(
    [gateKey.code, /needs the permission firewall:read/.test(gateKey.stderr)],
    [5, true],
    gateKey.stderr,
  );
  const odd = await why(["a b"]);
  assert.deepEqual([odd.code, odd.stderr.startsWith("reeve: <id>: expected the id of a decision")], [2, true]);
});

test("the command is below `reeve gate`, which stays a command of its own", async () => {
  const help = await runReeve(["gate", "--help"], {});
  assert.match(help.stdout, /--upstream <value>/);
  assert.match(help.stdout, /^Commands:\n {2}why /m);
  const missing = await runReeve(["gate", "why"], {});
  assert.deepEqual([missing.code, /missing required argument 'id'/.test(missing.stderr)], [2, true]);
  const misspelt = await runReeve(["gate", "whi", "x"], {});
  assert.equal(misspelt.code, 2);
});
