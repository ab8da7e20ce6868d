// All errors at once, each with its path; the limits of a configuration; and rejected requests store nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  denyPath,
  errorsOf,
  firewallEvents,
  openFirewall,
  outcome,
  ruleOf,
} from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { createUser } = client;

async function ownFirewall() {
  const user = await createUser();
  return { user, firewall: openFirewall(client, user.token) };
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const entry = (index: number) => ({ hostname: "*", ip: `10.${index >> 8}.${index & 255}.1`, action: "log" });
const condition = (value: unknown, op = "eq") => ({ type: "path", op, value });

test("all errors are listed at once, by path, in the order of the body", async () => {
  const { firewall } = await ownFirewall();
  const response = await firewall.put({
    crs: { xss: { active: "yes", action: "log" } },
    rules: [
      denyPath("good"),
      {
        ...denyPath("x"),
        name: "",
        conditionGroup: [{ conditions: [condition("/", "equals"), { type: "paht", op: "eq" }] }],
      },
      {
        id: "twice",
        name: "y",
        active: true,
        conditionGroup: [
          { conditions: [condition("/a"), condition("/b", "gt")] },
          {
            conditions: [
              { type: "ip_address", op: "inc", value: ["10.0.0.0/8", "10.0.0.0/33"] },
              { type: "header", op: "ex" },
            ],
          },
        ],
        action: { mitigate: { action: "redirect", rateLimit: { algo: "x" } } },
      },
      { ...denyPath("z"), id: "twice" },
    ],
    ips: [{ hostname: "*", ip: "10.0.0.0/8", action: "block" }],
    conditions: [{ name: "s", active: true, conditionGroup: [{ conditions: [] }] }],
    rule: [],
  });
  assert.deepEqual(errorsOf(response), [
    "body.rule",
    "body.firewallEnabled",
    "body.crs.xss.active",
    "body.rules[1].name",
    "body.rules[1].conditionGroup[0].conditions[0].op",
    "body.rules[1].conditionGroup[0].conditions[1].type",
    "body.rules[2].conditionGroup[0].conditions[1].op",
    "body.rules[2].conditionGroup[1].conditions[0].value[1]",
    "body.rules[2].conditionGroup[1].conditions[1].key",
    "body.rules[2].action.mitigate.rateLimit.algo",
    "body.rules[2].action.mitigate.rateLimit.window",
    "body.rules[2].action.mitigate.rateLimit.limit",
    "body.rules[2].action.mitigate.rateLimit.keys",
    "body.rules[2].action.mitigate.rateLimit",
    "body.rules[2].action.mitigate.redirect",
    "body.ips[0].ip",
    "body.ips[0].action",
    "body.conditions[0].conditionGroup[0].conditions",
    "body.rules[3].id",
  ]);
  const messages = response.body.error.errors.map(({ message }: Body) => message);
  assert.deepEqual(messages.slice(0, 3), [
    "unknown key; did you mean rules?",
    "is required: true or false",
    "expected true or false, got a string",
  ]);
  assert.match(messages[5], /; did you mean path\?$/);
  assert.equal(messages.at(-1), "expected an id of its own: rules[2] has the same");
  assert.match(response.body.error.message, / \(and 18 more: see errors\)$/);
});

test("ids are unique among rules, among entries and among shared conditions", async () => {
  const { firewall } = await ownFirewall();
  const shared = { id: "a", name: "s", active: true, conditionGroup: [] };
  const body = { rules: [denyPath("r", { id: "a" })], ips: [{ id: "a", ...entry(1) }], conditions: [shared] };
  await firewall.set(body);
  const twice = {
    firewallEnabled: true,
    rules: [...body.rules, ...body.rules],
    ips: [...body.ips, entry(2), ...body.ips],
    conditions: [shared, shared],
  };
  assert.deepEqual(errorsOf(await firewall.put(twice)), [
    "body.rules[1].id",
    "body.ips[2].id",
    "body.conditions[1].id",
  ]);
});

test("at most a hundred errors are listed, and the rest of the body is not parsed", async () => {
  const { firewall } = await ownFirewall();
  const bad = { name: 5, active: true, conditionGroup: "none", action: {} };
  for (const last of [bad, null, 5, { conditionGroup: 5, id: 5 }, { conditionGroup: [{ conditions: "x" }] }, []]) {
    const rules = [...times(60, () => bad), last];
    const { errors } = (await firewall.put({ firewallEnabled: true, rules, ips: [last], conditions: [last] })).body
      .error;
    assert.equal(errors.length, 100);
    assert.deepEqual(
      [errors[99].field, errors[1].field],
      ["body.rules[49].conditionGroup", "body.rules[0].conditionGroup"],
    );
  }
  const unknown = Object.fromEntries(times(200, (index) => [`k${index}`, 1]));
  assert.equal(errorsOf(await firewall.put({ firewallEnabled: true, ...unknown })).length, 100);
  const long = errorsOf(await firewall.put({ firewallEnabled: true, ["k".repeat(1_000)]: 1 }))[0] as string;
  assert.equal(long.length, 200);
});

/** A configuration at its limit, and the error of one more. */
const LIMITS: readonly (readonly [config: (more: number) => object, error: string])[] = [
  [(more) => ({ rules: times(1_000 + more, (index) => denyPath(`r${index}`)) }), "body.rules"],
  [(more) => ({ ips: times(1_000 + more, entry) }), "body.ips"],
  [
    (more) => ({ conditions: times(100 + more, (index) => ({ name: `s${index}`, active: true, conditionGroup: [] })) }),
    "body.conditions",
  ],
  [
    (more) => ({
      rules: [denyPath("r", { conditionGroup: times(25 + more, () => ({ conditions: [condition("/")] })) })],
    }),
    "body.rules[0].conditionGroup",
  ],
  [
    (more) => ({
      rules: [denyPath("r", { conditionGroup: [{ conditions: times(65 + more, () => condition("/")) }] })],
    }),
    "body.rules[0].conditionGroup[0].conditions",
  ],
  [
    (more) => ({ rules: [ruleOf(condition(times(75 + more, String), "inc"))] }),
    "body.rules[0].conditionGroup[0].conditions[0].value",
  ],
  [
    (more) => ({ rules: [ruleOf(condition("v".repeat(2_048 + more)))] }),
    "body.rules[0].conditionGroup[0].conditions[0].value",
  ],
  [
    (more) => ({ rules: [ruleOf(condition("r".repeat(512 + more), "re"))] }),
    "body.rules[0].conditionGroup[0].conditions[0].value",
  ],
  [(more) => ({ logHeaders: times(100 + more, (index) => `x-${index}`) }), "body.logHeaders"],
];

test("each limit accepts its value and rejects one more", async () => {
  for (const [make, error] of LIMITS) {
    const { firewall } = await ownFirewall();
    const over = await firewall.put({ firewallEnabled: true, ...make(1) });
    assert.deepEqual(errorsOf(over), [error]);
    assert.equal((await firewall.get()).status, 404);
    await firewall.set(make(0));
  }
});

test("a PATCH keeps the limits of the configuration too", async () => {
  const { firewall } = await ownFirewall();
  const full = { rules: times(1_000, (index) => denyPath(`r${index}`)), ips: times(1_000, entry) };
  const { rules, ips } = await firewall.set(full);
  for (const [index, send] of [firewall.patch, firewall.stage].entries()) {
    assert.deepEqual(errorsOf(await send({ action: "rules.insert", value: denyPath("x") })), ["body.value"]);
    assert.deepEqual(errorsOf(await send({ action: "ip.insert", value: entry(5_000) })), ["body.value"]);
    assert.equal(outcome(await send({ action: "rules.update", id: rules[0].id, value: denyPath("x") })), "ok");
    assert.equal(outcome(await send({ action: "ip.remove", id: ips[index].id })), "ok");
    assert.equal(outcome(await send({ action: "ip.insert", value: entry(5_000) })), "ok");
  }
});

test("the rule groups of a managed set are limited, in however many steps, so that a PUT can send them back", async () => {
  const { firewall } = await ownFirewall();
  const switches = (from: number, count: number) =>
    Object.fromEntries(times(count, (index) => [`s${from + index}`, { active: false }]));
  const change = (value: object) => ({ action: "managedRuleGroup.update", id: "ai_bots", value });
  await firewall.set();
  assert.equal(outcome(await firewall.patch(change(switches(0, 60)))), "ok");
  for (const send of [firewall.patch, firewall.stage]) {
    assert.deepEqual(errorsOf(await send(change(switches(60, 41)))), ["body.value"]);
    assert.equal(outcome(await send(change(switches(20, 80)))), "ok");
  }
  const active = await firewall.read();
  assert.equal(Object.keys(active.managedRules.ai_bots.ruleGroups).length, 100);
  assert.deepEqual((await firewall.put(active)).body.active, active);
});

test("a configuration has at most a megabyte without what the server adds, and a PUT can send its response back", async () => {
  const rules = times(1_000, (index) => denyPath(`r${index}`, { description: "d".repeat(200), name: "n".repeat(160) }));
  const config = (padding: number) => ({ rules, ips: times(1_000, entry), rulesets: { pad: "p".repeat(padding) } });
  const sizeOf = ({ enforcedBy: _enforcedBy, ...stored }: Body) => Buffer.byteLength(JSON.stringify(stored));
  let [measured, own] = [await ownFirewall(), await ownFirewall()];
  // The version names who published it, and `user-10` is longer than `user-9`.
  if (measured.user.username.length !== own.user.username.length) [measured, own] = [own, await ownFirewall()];
  const left = 1_000_000 - sizeOf(await measured.firewall.set(config(0)));
  const { firewall } = own;
  const over = await firewall.put({ firewallEnabled: true, ...config(left + 1) });
  assert.deepEqual(errorsOf(over), ["body"]);
  assert.match(over.body.error.message, /at most 1000000 bytes as JSON, got 1000001$/);
  const active = await firewall.set(config(left));
  assert.deepEqual([sizeOf(active), (await firewall.set(active)).version], [1_000_000, 1]);
  assert.deepEqual(errorsOf(await firewall.patch({ action: "logHeaders.update", value: "*" })), ["body"]);
  const huge = await firewall.put({ firewallEnabled: true, rulesets: { pad: "p".repeat(1_100_000) } });
  assert.equal(outcome(huge), "body_too_large");
  assert.equal((await firewall.read()).version, 1);
});

test("a configuration of hundreds of thousands of small values can be put again too", async () => {
  const { firewall } = await ownFirewall();
  const active = await firewall.set({ rulesets: times(450_000, () => 1) });
  assert.equal((await firewall.set(active)).version, 1);
});

test("a configuration that costs too much is rejected with its cost, before all its expressions are compiled", async () => {
  const { firewall } = await ownFirewall();
  const groups = (conditions: readonly object[]) =>
    times(Math.ceil(conditions.length / 65), (at) => ({ conditions: conditions.slice(at * 65, at * 65 + 65) }));
  const rulesOf = (expressions: number, others: number) => [
    denyPath("a", { conditionGroup: groups(times(expressions, () => condition("a{990}", "re"))) }),
    ...times(Math.ceil(others / 1_000), (at) => {
      const plain = times(Math.min(1_000, others - at * 1_000), () => condition("/"));
      return denyPath(`b${at}`, { conditionGroup: groups(plain) });
    }),
  ];
  const { cost } = await firewall.set({ rules: rulesOf(1, 0) });
  const [count, rest] = [Math.floor(100_000 / cost), 100_000 % cost];
  assert.equal((await firewall.set({ rules: rulesOf(count, rest) })).cost, 100_000);
  const over = await firewall.put({ firewallEnabled: true, rules: rulesOf(count, rest + 1) });
  const { code, limit, cost: overCost } = over.body.error;
  assert.deepEqual([over.status, code, limit, overCost], [400, "firewall_too_costly", 100_000, 100_001]);
  const inserted = { action: "rules.insert", value: denyPath("one") };
  for (const send of [firewall.patch, firewall.stage])
    assert.equal(outcome(await send(inserted)), "firewall_too_costly");
  // The total cost counts, and not the added one.
  assert.equal(outcome(await firewall.stage({ action: "botId.toggle", value: true })), "ok");
  const many = await firewall.put({ firewallEnabled: true, rules: rulesOf(count + 20, 0) });
  assert.deepEqual(errorsOf(many), [
    `body.rules[0].conditionGroup[${Math.floor(count / 65)}].conditions[${count % 65}].value`,
  ]);
  assert.equal((await firewall.read()).version, 2);
});

test("a draft that exceeds a limit on the version that became active meanwhile is not activated", async () => {
  const slow = denyPath("slow", { conditionGroup: [{ conditions: times(3, () => condition("a{990}", "re")) }] });
  const long = denyPath("long", { conditionGroup: [{ conditions: [condition(`/${"a".repeat(2_000)}`)] }] });
  const pad = { rulesets: { pad: "p".repeat(998_900) } };
  for (const [staged, active, refusal] of [
    [slow, { rules: [slow] }, "firewall_too_costly"],
    [long, pad, "invalid_firewall"],
  ] as const) {
    const { firewall } = await ownFirewall();
    assert.equal(outcome(await firewall.stage({ action: "rules.insert", value: staged })), "ok");
    await firewall.set(active);
    assert.equal(outcome(await firewall.activate("draft")), refusal);
    assert.equal((await firewall.read()).version, 1);
    assert.equal(outcome(await firewall.discard()), "ok");
  }
});

test("a rejected request stores nothing and emits no event", async () => {
  const { user, firewall } = await ownFirewall();
  const bad = { firewallEnabled: true, rules: [denyPath("a", { name: "" })] };
  assert.equal(outcome(await firewall.put(bad)), "invalid_firewall");
  assert.equal(outcome(await firewall.patch({ action: "rules.insert", value: bad.rules[0] })), "invalid_firewall");
  assert.equal(outcome(await firewall.stage({ action: "rules.remove", id: "none" })), "not_found");
  assert.equal(outcome(await firewall.put({ firewallEnabled: true, expectedVersion: 1 })), "version_conflict");
  for (const table of ["projects", "firewalls", "firewall_versions"]) {
    assert.deepEqual(await client.query(`select 1 from ${table} where owner_id = '${user.id}'`), [], table);
  }
  await firewall.set({ rules: [denyPath("a")] });
  await firewall.stage({ action: "botId.toggle", value: true });
  const before = [await firewall.list(), await firewallEvents(client, user.id)];
  await firewall.put(bad);
  await firewall.patch({ action: "rules.priority", id: "none", value: 0 });
  await firewall.stage({ action: "ip.insert", value: { action: "deny" } });
  assert.deepEqual([await firewall.list(), await firewallEvents(client, user.id)], before);
});
