// The files for ModSecurity follow the configurations of their projects, and configurations say which engine enforces them. The engine
// itself is in programs/modsecurity.test.ts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import { renderSeclang } from "../../src/gate/seclang/render.ts";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startGateWorld } from "./gate-world.ts";
import { startRelay } from "./relay.ts";
import { createKeeper, crsWith } from "./seclang-world.ts";

const world = await startGateWorld();
const { team, clock } = world;
const fileOf = (folder: string, project: string) => join(folder, `${team.slug}~${project}.conf`);
const hasFile = (path: string, file: number) => readFileSync(path, "utf8").includes(`REQUEST-${file}-`);

async function enforcedBy(project: string): Promise<unknown> {
  const url = `/v1/firewalls/active?teamId=${team.id}&projectId=${project}`;
  const { body } = await world.request("GET", url, { token: world.user.token });
  return body.enforcedBy.crs.sqli;
}

test("a file is written, follows what is published, and is left alone when nothing of it changes", async () => {
  const project = await world.newProject(crsWith());
  const out = world.newFolder();
  const keeper = createKeeper(world, project, { out });
  const [rendered] = await keeper.start();
  assert.deepEqual([rendered?.outcome, rendered?.version, rendered?.problem], ["written", 1, null]);
  const file = fileOf(out, project);
  assert.ok(hasFile(file, 942));
  assert.deepEqual(readdirSync(join(out, ".new")), []);
  assert.equal((await createKeeper(world, project, { out }).start())[0]?.outcome, "unchanged");
  keeper.watch();
  await world.publish(project, crsWith({ sqli: "off" }));
  await waitFor("the category to be switched off", () => !hasFile(file, 942) || undefined);
});

test("without the control plane the last bundle is written; without any, what is there stays", async () => {
  const project = await world.newProject(crsWith());
  const relay = await startRelay(world.port);
  const [dir, out] = [world.newFolder(), world.newFolder()];
  await createKeeper(world, project, { out, dir }, { server: relay.url }).start();
  await relay.cut();
  const other = world.newFolder();
  const [fromDisk] = await createKeeper(world, project, { out: other, dir }, { server: relay.url }).start();
  assert.deepEqual([fromDisk?.outcome, fromDisk?.version], ["written", 1]);
  assert.match(fromDisk?.problem ?? "", /ECONNREFUSED/);
  assert.ok(hasFile(fileOf(other, project), 942));
  const [kept] = await createKeeper(world, project, { out }, { server: relay.url }).start();
  assert.deepEqual([kept?.outcome, kept?.hasBundle], ["kept", false]);
  assert.ok(hasFile(fileOf(out, project), 942));
  const empty = world.newFolder();
  const [first] = await createKeeper(world, project, { out: empty }, { server: relay.url }).start();
  assert.deepEqual([first?.outcome, first?.hasBundle], ["written", false]);
  assert.match(readFileSync(fileOf(empty, project), "utf8"), /No category is on/);
});

test("the engine is said to enforce once the web server uses the file, and is forgotten when nobody says so", async () => {
  const project = await world.newProject(crsWith());
  const [out, loaded] = [world.newFolder(), world.newFolder()];
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (_details: object, message: string) => warnings.push(message) };
  const keeper = createKeeper(world, project, { out, loaded }, { log });
  await keeper.start();
  keeper.watch();
  assert.equal(await enforcedBy(project), null);
  clock.advance(MINUTE_MS / 2);
  await waitFor("a complaint", () => warnings.some((text) => text.includes("does not use the settings")) || undefined);
  assert.equal(await enforcedBy(project), null);
  copyFileSync(fileOf(out, project), fileOf(loaded, project));
  await waitFor("the engine to be named", async () => (await enforcedBy(project)) === "modsecurity" || undefined);
  await keeper.stop();
  clock.advance(14 * MINUTE_MS);
  await world.app.runner.changes.forgetEngines(null, clock.now);
  assert.equal(await enforcedBy(project), "modsecurity");
  clock.advance(2 * MINUTE_MS);
  await world.app.runner.changes.forgetEngines(null, clock.now);
  assert.equal(await enforcedBy(project), null);
});

test("what the engine denied, and would have denied, is in the traffic of the project", async () => {
  const project = await world.newProject(crsWith());
  const out = world.newFolder();
  const auditLog = join(out, "audit.json");
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (_details: object, message: string) => warnings.push(message) };
  const hosts = [{ host: "shop.test", team: team.slug, project }];
  const keeper = createKeeper(world, project, { out, auditLog, hosts }, { log });
  await keeper.start();
  keeper.watch();
  // A log that is there at the first look is read from its end.
  await waitFor("the first look", () => warnings.some((text) => text.includes("audit log")) || undefined);
  const entry = (of: string, host: string, ...ruleIds: readonly number[]) => ({
    transaction: {
      client_ip: "203.0.113.7",
      request: { headers: { Host: host } },
      producer: { secrules_engine: "Enabled", components: [`Reeve ${of}"`] },
      messages: ruleIds.map((id) => ({ details: { ruleId: String(id), severity: "2" } })),
    },
  });
  const own = `${team.slug}/${project}`;
  const entries = [
    entry(own, "shop.test", 942_100, 949_110),
    entry(own, "shop.test", 942_100, 949_110),
    entry(own, "a.client.chose", 941_100, 87_120),
    entry("other/project", "shop.test", 941_100, 949_110),
  ];
  appendFileSync(auditLog, entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
  // Stopping reads and reports what is there.
  await keeper.stop();
  const url = `/v1/security/firewall/events?teamId=${team.id}&projectId=${project}`;
  const { body } = await world.request("GET", url, { token: world.user.token });
  const seen = body.actions.map(({ action, host, public_ip, ruleId, count }: Record<string, unknown>) => [
    action,
    host,
    public_ip,
    ruleId,
    count,
  ]);
  assert.deepEqual(seen.toSorted(), [
    ["deny", "shop.test", "203.0.113.7", "crs:sqli:942100", 2],
    ["log", "*", "203.0.113.7", "crs:xss:941100", 1],
  ]);
});

test("what the engine denied counts for the categories of the file that the web server had", async () => {
  const project = await world.newProject(crsWith({ xss: "log" }));
  const [out, loaded] = [world.newFolder(), world.newFolder()];
  const auditLog = join(out, "audit.json");
  const warnings: string[] = [];
  const log = { info() {}, error() {}, warn: (_details: object, message: string) => warnings.push(message) };
  const keeper = createKeeper(world, project, { out, loaded, auditLog }, { log });
  await keeper.start();
  copyFileSync(fileOf(out, project), fileOf(loaded, project));
  keeper.watch();
  await waitFor("the first look", () => warnings.some((text) => text.includes("audit log")) || undefined);
  await waitFor("the engine to be named", async () => (await enforcedBy(project)) === "modsecurity" || undefined);
  // The web server goes on with the file that it has.
  await world.publish(project, crsWith({ sqli: "off", rce: "off" }));
  await waitFor("the new file", () => !hasFile(fileOf(out, project), 942) || undefined);
  const messages = [941_100, 942_100, 949_110].map((id) => ({ details: { ruleId: String(id), severity: "2" } }));
  const producer = { secrules_engine: "Enabled", components: [`Reeve ${team.slug}/${project}"`] };
  const transaction = { client_ip: "203.0.113.7", request: { headers: { Host: "shop.test" } }, producer, messages };
  appendFileSync(auditLog, `${JSON.stringify({ transaction })}\n`);
  await keeper.stop();
  const url = `/v1/security/firewall/events?teamId=${team.id}&projectId=${project}`;
  const { body } = await world.request("GET", url, { token: world.user.token });
  assert.deepEqual(
    body.actions.map(({ ruleId }: { ruleId: string }) => ruleId),
    ["crs:sqli:942100"],
  );
});

describe("what gives nginx the files", () => {
  const SCRIPT = fileURLToPath(new URL("../../deploy/gate/modsecurity/reeve-seclang-reload", import.meta.url));

  function rendered(): string {
    const rule = {
      id: "rule_1",
      name: "Exempt",
      active: true,
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "pre", value: "/a-b.c" },
            { type: "host", op: "eq", value: "shop.test" },
            { type: "method", op: "eq", value: "POST" },
            { type: "ip_address", op: "inc", value: ["10.0.0.0/8", "::1"] },
            { type: "ruleset", op: "inc", value: ["xss", "942100", "crs"] },
          ],
        },
        { conditions: [{ type: "ruleset", op: "eq", value: "java" }] },
      ],
      action: { mitigate: { action: "bypass" } },
    };
    const configuration = { ...crsWith({ sqli: "log" }, [rule]), ips: [] } as never;
    const rules = "/usr/share/modsecurity-crs/rules";
    const more = { rules, paranoia: 2, watched: ["old.test"] } as const;
    return renderSeclang({ project: "acme/shop", configuration, ...more }).text;
  }

  /** Runs it with a stand-in for nginx's own test of its settings. */
  function give(from: string, to: string, command = "true") {
    const { status, stderr } = spawnSync("sh", [SCRIPT, from, to], {
      encoding: "utf8",
      env: { ...process.env, NGINX_COMMAND: command },
    });
    return { status, stderr };
  }

  function newFolders(before = "# before\n") {
    const [from, to] = [world.newFolder(), world.newFolder()];
    writeFileSync(join(to, "acme~shop.conf"), before);
    writeFileSync(join(from, "acme~shop.conf"), rendered());
    mkdirSync(join(from, ".new"));
    return { from, to, current: () => readFileSync(join(to, "acme~shop.conf"), "utf8") };
  }

  it("takes what Reeve writes, and does nothing when nothing is new", () => {
    const { from, to, current } = newFolders();
    assert.deepEqual(give(from, to), { status: 0, stderr: "" });
    assert.equal(current(), rendered());
    assert.equal(give(from, to, "false").status, 0);
    assert.deepEqual(readdirSync(to), ["acme~shop.conf"]);
  });

  it("puts back what was there when nginx finds it wrong", () => {
    const { from, to, current } = newFolders();
    writeFileSync(join(from, "acme~new.conf"), rendered());
    assert.notEqual(give(from, to, "false").status, 0);
    assert.equal(current(), "# before\n");
    assert.deepEqual(readdirSync(to), ["acme~shop.conf"]);
  });

  const action = (text: string) => `SecRule ARGS "@rx a" "id:87300,phase:1,pass,${text}"`;
  for (const line of [
    "SecAuditLog /etc/passwd",
    "SecRuleEngine Off",
    "Include /etc/shadow",
    "Include /usr/share/modsecurity-crs/rules/../../x-*.conf",
    action("exec:/bin/sh"),
    action("setenv:a=b"),
    action("msg:'%{x}'"),
    action("ctl:ruleEngine=Off"),
    'SecRule ARGS "@inspectFile /bin/sh" "id:87300,phase:1,pass"',
    'SecRule ARGS "@rx a\\" "id:87300,phase:1,pass" "nolog,exec:/bin/sh"',
    'SecAction "id:87300,phase:1,pass,nolog" exec',
    "# continued \\",
  ]) {
    it(`refuses ${line}`, () => {
      const { from, to, current } = newFolders();
      appendFileSync(join(from, "acme~shop.conf"), `${line}\n`);
      const { status, stderr } = give(from, to);
      assert.deepEqual([status, current()], [1, "# before\n"]);
      assert.match(stderr, /lines that Reeve does not write/);
    });
  }

  it("follows no link, and does not replace the settings of the engine", () => {
    const { from, to } = newFolders();
    symlinkSync("/etc/passwd", join(from, "acme~link.conf"));
    assert.equal(give(from, to).status, 0);
    assert.deepEqual(readdirSync(to), ["acme~shop.conf"]);
    writeFileSync(join(from, "engine.conf"), "# mine\n");
    assert.equal(give(from, to).status, 1);
  });
});
