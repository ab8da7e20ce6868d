// `reeve firewall rules` as processes: rules that are changed, switched and moved, by id and by name.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { reply, startScripted } from "../client/scripted-server.ts";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);

const SHOP = ["--team", "acme", "--project", "shop"];
const rules = async (...args: readonly string[]) => await world.run(["firewall", "rules", ...args, ...SHOP]);

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await rules(...args);
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  return stdout;
}

async function expectRefusal(code: number, message: string, ...args: readonly string[]): Promise<void> {
  const ended = await rules(...args);
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [code, "", `reeve: ${message}\n`]);
}

const rule = (id: string, name: string) => ({
  id,
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
});

interface Config {
  readonly version: number;
  readonly rules: readonly ReturnType<typeof rule>[];
}

async function read(version: string): Promise<Config> {
  const response = await world.call("GET", `/v1/firewalls/${version}?slug=acme&projectId=shop`);
  return (await response.json()) as Config;
}

const order = async (version = "active") => (await read(version)).rules.map(({ id }) => id);

beforeEach(async () => {
  const body = {
    firewallEnabled: true,
    rules: [rule("one", "First"), rule("two", "Twin"), rule("three", "Twin"), rule("four", "two")],
  };
  assert.equal((await world.call("PUT", "/v1/firewalls?slug=acme&projectId=shop", body)).status, 200);
  await world.call("DELETE", "/v1/firewalls/draft?slug=acme&projectId=shop");
});

test("update replaces the members that the JSON has, and leaves the others", async () => {
  const file = join(world.folder, "members.json");
  writeFileSync(file, JSON.stringify({ name: "Log it", action: { mitigate: { action: "log" } } }));
  assert.equal(await succeed("update", "First", "--input", file), "Changed the rule Log it (one).\n");
  const [changed] = (await read("active")).rules;
  assert.deepEqual(
    [changed?.id, changed?.name, changed?.active, changed?.action.mitigate.action, changed?.conditionGroup],
    ["one", "Log it", true, "log", rule("", "").conditionGroup],
  );
  await expectRefusal(2, "--input: expected a file with members of the rule as JSON", "update", "one");
  writeFileSync(file, JSON.stringify({ id: "other", active: false }));
  await expectRefusal(2, "--input: id: expected one, that of the rule, or none", "update", "one", "--input", file);
  writeFileSync(file, "[]");
  await expectRefusal(2, "--input: expected a JSON object with members of the rule", "update", "one", "--input", file);
});

test("enable and disable switch a rule, in force or in the draft", async () => {
  assert.equal(await succeed("disable", "First"), "Disabled the rule First (one).\n");
  assert.equal((await read("active")).rules[0]?.active, false);
  assert.deepEqual(JSON.parse(await succeed("enable", "one", "--json", "id,active")), { id: "one", active: true });
  assert.equal((await read("active")).rules[0]?.active, true);
  // The first change begins the draft, and the second one is made in it.
  for (const id of ["one", "three"]) await succeed("disable", id, "--draft");
  const actives = async (version: string) => (await read(version)).rules.map(({ active }) => active);
  assert.deepEqual(await actives("draft"), [false, true, false, true]);
  assert.deepEqual(await actives("active"), [true, true, true, true]);
});

test("move puts a rule before or behind another one, first or last", async () => {
  assert.equal(await succeed("move", "one", "--last"), "Moved the rule First (one): it is number 4 of 4.\n");
  assert.deepEqual(await order(), ["two", "three", "four", "one"]);
  await succeed("move", "four", "--first");
  assert.deepEqual(await order(), ["four", "two", "three", "one"]);
  await succeed("move", "four", "--before", "First");
  assert.deepEqual(await order(), ["two", "three", "four", "one"]);
  await succeed("move", "First", "--before", "three");
  assert.deepEqual(await order(), ["two", "one", "three", "four"]);
  await succeed("move", "two", "--after", "three");
  assert.deepEqual(await order(), ["one", "three", "two", "four"]);
  await succeed("move", "four", "--after", "one", "--draft");
  assert.deepEqual(await order("draft"), ["one", "four", "three", "two"]);
  assert.deepEqual(await order(), ["one", "three", "two", "four"]);
  await expectRefusal(2, "expected one of --before <rule>, --after <rule>, --first and --last", "move", "one");
  await expectRefusal(2, "--after: expected another rule than the one that moves", "move", "one", "--after", "First");
  const both = await rules("move", "one", "--first", "--after", "two");
  assert.deepEqual([both.code, /'--after <rule>' cannot be used with option '--first'/.test(both.stderr)], [2, true]);
});

test("a rule is found by its id, or by a name that no other has", async () => {
  const several = 'expected an id, because several rules are named "Twin": two, three';
  await expectRefusal(2, `<rule>: ${several}`, "disable", "Twin");
  await expectRefusal(2, `--before: ${several}`, "move", "one", "--before", "Twin");
  const { url } = world.server;
  const place = "--team acme --project shop";
  const none = `\`reeve firewall rules list --server ${url} ${place}\` shows them`;
  await expectRefusal(6, `there is no rule "None" (<rule>): ${none}`, "enable", "None");
  await expectRefusal(6, `there is no rule "None" (--after): ${none}`, "move", "one", "--after", "None");
  await expectRefusal(6, `there is no rule "None" (<rule>): ${none}`, "remove", "None", "--dry-run");
  const other = await rules("enable", "None", "--server", url);
  assert.match(other.stderr, new RegExp(`\`reeve firewall rules list --server ${url} ${place}\` shows them`));
  // An id goes before the name of another rule.
  assert.equal(await succeed("remove", "two", "--dry-run"), "Would remove the rule Twin (two).\n");
  assert.equal(await succeed("remove", "First", "--yes"), "Removed the rule First (one).\n");
  assert.deepEqual(await order(), ["two", "three", "four"]);
});

test("a draft is begun only if nobody else has begun one since the rules were read", async () => {
  const none = { error: { code: "not_found", message: "Firewall draft not found" } };
  const begun = { error: { code: "revision_mismatch", message: "If-None-Match: expected none yet, and there is one" } };
  const active = reply(200, { version: 1, rules: [rule("one", "First")] });
  const scripted = await startScripted(reply(404, none), active, reply(412, begun));
  const ended = await world.run(["firewall", "rules", "disable", "one", "--draft"], { REEVE_SERVER: scripted.url });
  assert.deepEqual([ended.code, ended.stdout], [7, ""]);
  const message = "somebody has changed the firewall meanwhile, and nothing was done: run the command again";
  assert.equal(ended.stderr, `reeve: ${message}\n`);
  const { headers, body = "{}" } = scripted.asked[2] ?? {};
  assert.deepEqual([headers?.["if-none-match"], headers?.["if-match"]], ["*", undefined]);
  assert.equal(JSON.parse(body).expectedVersion, 1);
});

test("a change is not made if somebody has changed the rules since they were read", async () => {
  const conflict = {
    error: { code: "version_conflict", message: "expectedVersion: expected 2, the active one, got 1" },
  };
  const scripted = await startScripted(reply(200, { version: 1, rules: [rule("one", "First")] }), reply(409, conflict));
  const ended = await world.run(["firewall", "rules", "disable", "one"], { REEVE_SERVER: scripted.url });
  assert.deepEqual([ended.code, ended.stdout], [7, ""]);
  const message = "somebody has changed the firewall meanwhile, and nothing was done: run the command again";
  assert.equal(ended.stderr, `reeve: ${message}\n`);
  assert.equal(JSON.parse(scripted.asked[1]?.body ?? "{}").expectedVersion, 1);
});

test("what conditions do otherwise than it may seem is said of rules, shared conditions and bypass rules", async () => {
  const file = join(world.folder, "doubtful.json");
  const conditionGroup = [{ conditions: [{ type: "ip_address", op: "eq", value: "10.1.2.3/8" }] }];
  const said = 'conditionGroup[0].conditions[0].value: "10.1.2.3/8" is all of 10.0.0.0/8';
  const reeve = async (...args: readonly string[]) => {
    const ended = await world.run(["firewall", ...args, ...SHOP, "--input", file]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stderr;
  };
  const shared = { id: "office", name: "Office", active: true, conditionGroup };
  writeFileSync(
    file,
    JSON.stringify({
      firewallEnabled: true,
      rules: [{ ...rule("one", "First"), conditionGroup }],
      conditions: [shared],
    }),
  );
  const both = `Look at the rule First again: ${said}\nLook at the shared condition Office again: ${said}\n`;
  assert.equal(await reeve("put"), both);
  writeFileSync(file, JSON.stringify({ domain: "hooks.example.com", conditionGroup }));
  const ofBypass = `Look at the bypass rule of hooks.example.com again: ${said}\n`;
  assert.equal(await reeve("bypass-rules", "add"), ofBypass);
  assert.equal(await reeve("bypass-rules", "replace"), ofBypass);
});
