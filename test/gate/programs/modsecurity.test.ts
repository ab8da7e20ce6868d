// nginx with ModSecurity and the OWASP core rule set of Debian, as deploy/gate/ sets them up beside the gate: the categories of a
// configuration decide which attacks are denied.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { MINUTE_MS } from "../../../src/platform/kernel/scheduling/clock.ts";
import { CRS_CATEGORIES } from "../../../src/firewall/evaluator/config.ts";
import { seclangFile } from "../../../src/gate/seclang/seclang-file.ts";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { createKeeper, crsWith } from "../seclang-world.ts";
import { CASES, KEPT_CASES, sendCase } from "./crs-cases.ts";
import type { CrsCase } from "./crs-cases.ts";
import { nginxWith, run } from "./run-program.ts";

const DEPLOY = fileURLToPath(new URL("../../../deploy/gate/", import.meta.url));
for (const file of [
  "/usr/sbin/nginx",
  "/usr/lib/nginx/modules/ngx_http_modsecurity_module.so",
  "/usr/share/modsecurity-crs/rules/REQUEST-942-APPLICATION-ATTACK-SQLI.conf",
]) {
  if (existsSync(file)) continue;
  throw new Error(
    `${file} is missing: install Debian's packages nginx-light, libnginx-mod-http-modsecurity and modsecurity-crs, as .ci/run does`,
  );
}

const world = await startGateWorld();
const { team, user } = world;
const project = await world.newProject(crsWith());
const hosts = [{ host: "*", team: team.slug, project }];
const gate = await world.startGate({ hosts });
const FORBIDDEN = "/forbidden";
const KEPT_FILE = "/kept-file";
const { url: application } = await listenOn((message, res) => {
  if (message.url === FORBIDDEN) res.writeHead(403).end("The application refuses.");
  else if (message.url === KEPT_FILE) res.setHeader("x-accel-redirect", "/internal/file").end();
  else echo(message, res);
});

const folder = world.newFolder();
const [out, loaded, auditLog] = [join(folder, "out"), join(folder, "loaded"), join(folder, "audit.json")];
mkdirSync(loaded);
const keeper = createKeeper(world, project, { out, loaded, auditLog });
const [rendered] = await keeper.start();
const file = rendered?.file as string;
const used = seclangFile(loaded, { team: team.slug, project });

const [port, enginePort] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const withPlaces = (name: string, next: string) =>
  readFileSync(join(DEPLOY, name), "utf8")
    .replaceAll("127.0.0.1:3000", next.replace("http://", ""))
    .replaceAll("127.0.0.1:3001", `127.0.0.1:${enginePort}`)
    .replaceAll("127.0.0.1:4080", gate.url.replace("http://", ""))
    .replaceAll("/etc/nginx/reeve/acme~shop.conf", used)
    .replaceAll("/etc/nginx/reeve", loaded)
    .replaceAll("/var/log/reeve-modsecurity/audit.json", auditLog)
    .replace("listen 80;", `listen 127.0.0.1:${port}; location /internal/ { internal; return 200 file; }`)
    .replace("shop.example.com;", "_;");
const site = withPlaces("nginx.conf", `127.0.0.1:${enginePort}`) + withPlaces("nginx-modsecurity.conf", application);
writeFileSync(join(loaded, "engine.conf"), withPlaces("modsecurity/engine.conf", application));
writeFileSync(used, readFileSync(file));
// The worker of nginx writes there.
const nginx = nginxWith(
  world.newFolder(),
  site,
  "load_module /usr/lib/nginx/modules/ngx_http_modsecurity_module.so; worker_processes 1; ",
);
run("nginx", nginx);
keeper.watch();
after(() => keeper.stop());

const ATTACK = "/?q=<script>alert(1)</script>";
const statusOf = async (target: string, headers: object = {}): Promise<number> =>
  (await sendTo(url, target, { headers: { host: "shop.test", "user-agent": "test", accept: "*/*", ...headers } }))
    .status;
await waitFor("nginx to serve", async () => (await statusOf("/").catch(() => 0)) === 200 || undefined);

/** Publishes, and reloads nginx as the unit of deploy/gate/modsecurity/ does. Returns how long it took until this held. */
async function publish(configuration: object, holds: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  const before = readFileSync(file, "utf8");
  await world.publish(project, configuration);
  await waitFor("the file to be written", () => readFileSync(file, "utf8") !== before || undefined);
  const { status, stderr } = spawnSync("sh", [join(DEPLOY, "modsecurity/reeve-seclang-reload"), out, loaded], {
    encoding: "utf8",
    env: { ...process.env, NGINX_COMMAND: `nginx ${nginx.join(" ")}` },
  });
  assert.equal(status, 0, stderr);
  await waitFor("nginx to use it", async () => (await holds()) || undefined);
  return performance.now() - startedAt;
}

const becomes = (target: string, status: number) =>
  waitFor(`${status} for ${target}`, async () => (await statusOf(target)) === status || undefined);
const isPassed = (target: string) => async () => (await statusOf(target)) === 200;
const isDenied = (target: string) => async () => (await statusOf(target)) === 403;

async function countDenied(cases: readonly CrsCase[]): Promise<number> {
  let denied = 0;
  for (const one of cases) if ((await sendCase(url, one)) === 403) denied++;
  return denied;
}

/** A worker of before the reload may take connections a moment longer. */
async function expectDenied(count: number, cases: readonly CrsCase[]): Promise<void> {
  await waitFor(
    `${count} of ${cases.length} to be denied`,
    async () => (await countDenied(cases)) === count || undefined,
  );
}

const attacksOf = (category: string) => KEPT_CASES.filter((one) => one.category === category && one.kind === "attack");
const attacks = CASES.filter(({ kind }) => kind === "attack");
const benign = CASES.filter(({ kind }) => kind === "benign");

async function traffic(): Promise<readonly Record<string, unknown>[]> {
  const path = `/v1/security/firewall/events?teamId=${team.id}&projectId=${project}`;
  return (await world.request("GET", path, { token: user.token })).body.actions;
}

test("with all categories on, at least 70 % of the rule set's own attacks are denied", async (t) => {
  const denied = await countDenied(attacks);
  const wrongly = await countDenied(benign);
  t.diagnostic(`${denied} of ${attacks.length} attacks denied, ${wrongly} of ${benign.length} cases that are none`);
  assert.ok(denied >= 0.7 * attacks.length, `${denied} of ${attacks.length}`);
  assert.ok(await isPassed("/search?q=shoes")());
});

test("a client that is denied gets the gate's page with an id, and the id leads to the rule", async () => {
  // The attacks of the test before have used up the samples of their minute.
  world.clock.now += MINUTE_MS;
  const ask = (accept: string) =>
    sendTo(url, `${ATTACK}&token=sword-fish`, { headers: { host: "shop.test", "user-agent": "Browser/1", accept } });
  const page = await ask("text/html");
  assert.equal(page.status, 403);
  assert.match(page.text, /This request was denied/);
  const [, id = ""] = /<code[^>]*>(\w+)<\/code>/.exec(page.text) ?? [];
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(page.headers["x-reeve-decision"], `deny; rule=crs; id=${id}`);
  const problem = await ask("application/json");
  assert.equal(problem.headers["content-type"], "application/problem+json");
  const { status, id: other } = JSON.parse(problem.text);
  assert.equal(status, 403);
  assert.notEqual(other, id);
  const path = `/v1/gate/decisions/${id}?teamId=${team.id}`;
  const found = await waitFor("the decision to be reported", async () => {
    const { status: code, body } = await world.request("GET", path, { token: user.token });
    return code === 200 ? body : undefined;
  });
  const { action, by, version, target, steps } = found.decision;
  assert.deepEqual([action, version, target], ["deny", 1, "/?q=<script>alert(1)</script>&token=[redacted]"]);
  assert.match(by.id, /^crs:xss:941\d{3}$/);
  assert.ok(steps.some((step: { id: string; reason?: string }) => step.id === by.id && step.reason === "in ARGS:q"));
  assert.ok(!JSON.stringify(found).includes("fish"));
  assert.equal((await sendTo(url, "/.reeve-denied?id=x", { headers: { host: "shop.test" } })).status, 404);
});

test("a refusal of the application stays its own", async () => {
  const { status, text, headers } = await sendTo(url, FORBIDDEN, {
    headers: { host: "shop.test", "user-agent": "test" },
  });
  assert.deepEqual([status, text, headers["x-reeve-decision"]], [403, "The application refuses.", undefined]);
});

test("what the application tells nginx reaches the server before the engine", async () => {
  const { status, text } = await sendTo(url, KEPT_FILE, { headers: { host: "shop.test", "user-agent": "test" } });
  assert.deepEqual([status, text], [200, "file"]);
});

test("an attack behind more arguments, or more parts of a body, than the engine looks at is denied", async () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `a${at}=1`);
  const attack = "z=<script>alert(1)</script>";
  const headers = { host: "shop.test", "user-agent": "test", accept: "*/*" };
  const post = async (type: string, body: string) =>
    (await sendTo(url, "/", { method: "POST", headers: { ...headers, "content-type": type }, body })).status;
  const form = "application/x-www-form-urlencoded";
  assert.equal(await post(form, many.slice(0, 900).join("&")), 200);
  assert.equal(await post(form, [...many, attack].join("&")), 403);
  assert.equal(await statusOf(`/?${[...many.map((one) => one.replace("=1", "")), attack].join("&")}`), 403);
  const part = (name: string, text: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const closed = `--b\r\n${part("a", "1")}--b--\r\n`;
  assert.equal(await post("multipart/form-data; boundary=b", closed), 200);
  assert.equal(await post("multipart/form-data; boundary=b", `${closed}--b\r\n${part("z", attack)}--b--\r\n`), 403);
});

test("the helper has nothing to do while nothing is written", () => {
  const helper = join(DEPLOY, "modsecurity/reeve-seclang-reload");
  const { status, stderr } = spawnSync("sh", [helper, world.newFolder(), world.newFolder()], { encoding: "utf8" });
  assert.deepEqual([status, stderr], [0, ""]);
});

test("with a category off its attacks pass, seconds after publishing, and those of the others do not", async (t) => {
  for (const category of CRS_CATEGORIES) {
    const own = attacksOf(category);
    // Three of each: all of them would be sent once for each category.
    const others = CRS_CATEGORIES.filter((other) => other !== category).flatMap((other) =>
      attacksOf(other).slice(0, 3),
    );
    const [first] = own;
    if (!first) continue;
    await expectDenied(own.length, own);
    const took = await publish(crsWith({ [category]: "off" }), async () => (await sendCase(url, first)) === 200);
    t.diagnostic(`${category}: ${took.toFixed(0)} ms`);
    await expectDenied(0, own);
    await expectDenied(others.length, others);
    await publish(crsWith(), async () => (await sendCase(url, first)) === 403);
  }
});

test("a rule that bypasses rules of the set does so on its path, in the one spelling of it", async () => {
  const rule = {
    name: "Search",
    active: true,
    conditionGroup: [
      {
        conditions: [
          { type: "path", op: "pre", value: "/search" },
          { type: "ruleset", op: "inc", value: ["xss"] },
        ],
      },
    ],
    action: { mitigate: { action: "bypass" } },
  };
  const attack = ATTACK.slice(1);
  await publish(crsWith({}, [rule]), isPassed(`/search${attack}`));
  for (const path of ["/SEARCH/x", "/search/"]) await becomes(path + attack, 200);
  for (const path of ["/", "/searc", "/%73earch", "/search/../x", "/search/..;/x", "//search", "/x/search"]) {
    assert.equal(await statusOf(path + attack), 403, path);
  }
  assert.equal(await statusOf("/search?file=/etc/passwd"), 403);
  await publish(crsWith(), isDenied(`/search${attack}`));
});

test("a rule for prose lets code in bodies pass on its path, and denies attacks in the query there", async () => {
  const rule = {
    name: "Notes",
    active: true,
    conditionGroup: [
      {
        conditions: [
          { type: "path", op: "pre", value: "/notes" },
          { type: "ruleset", op: "eq", value: "prose" },
        ],
      },
    ],
    action: { mitigate: { action: "bypass" } },
  };
  const post = async (target: string) => {
    const body = JSON.stringify({ text: "Run git rebase -i HEAD~3; git push origin main" });
    const headers = { host: "shop.test", "user-agent": "test", "content-type": "application/json" };
    return (await sendTo(url, target, { method: "POST", headers, body })).status;
  };
  assert.equal(await post("/notes/1"), 403);
  await publish(crsWith({}, [rule]), async () => (await post("/notes/1")) === 200);
  assert.equal(await post("/pages/1"), 403);
  assert.equal(await post(`/notes/1${ATTACK.slice(1)}`), 403);
  assert.equal(await statusOf(`/notes/1${ATTACK.slice(1)}`), 403);
  await publish(crsWith(), async () => (await post("/notes/1")) === 403);
});

test("the configuration says that ModSecurity enforces its categories", async () => {
  const path = `/v1/firewalls/active?teamId=${team.id}&projectId=${project}`;
  await waitFor("the engine to be named", async () => {
    const { body } = await world.request("GET", path, { token: user.token });
    return body.enforcedBy.crs.sqli === "modsecurity" || undefined;
  });
});

test("a category that is logged denies nothing, and both is counted", async () => {
  await publish(crsWith({ xss: "log" }), isPassed(ATTACK));
  const own = attacksOf("xss");
  await expectDenied(0, own);
  await expectDenied(attacksOf("sqli").length, attacksOf("sqli"));
  const { status } = await sendTo(url, "/?file=/etc/passwd", { headers: { host: "shop.test" }, ip: "127.0.0.9" });
  assert.equal(status, 403);
  await keeper.stop();
  const actions = await traffic();
  const logged = actions.filter(({ action, ruleId }) => action === "log" && /^crs:xss:941\d{3}$/.test(String(ruleId)));
  assert.ok(logged.reduce((sum, { count }) => sum + Number(count), 0) >= own.length);
  const denied = actions.filter(({ action }) => action === "deny");
  assert.ok(denied.some(({ ruleId, host }) => /^crs:sqli:942\d{3}$/.test(String(ruleId)) && host === "localhost"));
  const [last] = denied.filter(({ public_ip }) => public_ip === "127.0.0.9");
  assert.deepEqual([last?.["host"], last?.["count"]], ["shop.test", 1]);
  assert.match(String(last?.["ruleId"]), /^crs:(lfi:930|rce:932)\d{3}$/);
});
