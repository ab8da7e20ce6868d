// Ids of rules, address entries and shared conditions: given ids are kept, and items without one get the ids of equal items.
import assert from "node:assert/strict";
import { test } from "node:test";
import { denyPath, openFirewall, ruleOf } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { createUser } = client;

const ownFirewall = async () => openFirewall(client, (await createUser()).token);
const idsOf = (items: readonly Body[]) => items.map(({ id }) => id);

const address = (last: number, more: object = {}) => ({
  hostname: "*",
  ip: `192.0.2.${last}`,
  action: "deny",
  ...more,
});
const shared = (name: string, more: object = {}) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "host", op: "eq", value: `${name}.example.com` }] }],
  ...more,
});

interface Kind {
  readonly part: "rules" | "ips" | "conditions";
  readonly form: RegExp;
  make(index: number, more?: object): Body;
}

const KINDS: readonly Kind[] = [
  { part: "rules", form: /^rule_\w{10,}$/, make: (index, more) => denyPath(`r${index}`, more) },
  { part: "ips", form: /^ip_\w{10,}$/, make: (index, more) => address(index, more) },
  { part: "conditions", form: /^\w+_\w{10,}$/, make: (index, more) => shared(`s${index}`, more) },
];

for (const { part, form, make } of KINDS) {
  test(`${part}: new items get distinct ids, and keep them while they are sent again`, async () => {
    const firewall = await ownFirewall();
    const put = async (items: readonly Body[]) => idsOf((await firewall.set({ [part]: items }))[part]);
    const first = await put([make(0), make(1), make(2)]);
    for (const id of first) assert.match(id, form);
    assert.equal(new Set(first).size, 3);
    assert.deepEqual(await put([make(0), make(1), make(2)]), first);
    assert.equal((await firewall.read()).version, 1);

    const [a, b, c] = first;
    assert.deepEqual(await put([make(2), make(0), make(1)]), [c, a, b]);
    const [d, ...rest] = await put([make(3), make(1), make(2)]);
    assert.deepEqual(rest, [b, c]);
    assert.ok(!first.includes(d));
    const back = await put([make(0), make(1)]);
    assert.equal(back[1], b);
    assert.ok(![a, d].includes(back[0]), "what was gone comes as something new");
  });

  test(`${part}: equal items keep distinct ids, in their order`, async () => {
    const firewall = await ownFirewall();
    const put = async (items: readonly Body[]) => idsOf((await firewall.set({ [part]: items }))[part]);
    const first = await put([make(0), make(1), make(0), make(0)]);
    assert.equal(new Set(first).size, 4);
    const [a, b, c, d] = first;
    assert.deepEqual(await put([make(0), make(1), make(0), make(0)]), first);
    assert.deepEqual(await put([make(1), make(0), make(0)]), [b, a, c]);
    const more = await put([make(0), make(0), make(0), make(1)]);
    assert.deepEqual([more[0], more[1], more[3]], [a, c, b]);
    assert.ok(![a, b, c, d].includes(more[2]));
  });

  test(`${part}: given ids stay whatever else changes, and no id is assigned twice`, async () => {
    const firewall = await ownFirewall();
    const put = async (items: readonly Body[]) => idsOf((await firewall.set({ [part]: items }))[part]);
    assert.deepEqual(await put([make(0, { id: "one" }), make(1, { id: "two" })]), ["one", "two"]);
    assert.deepEqual(await put([make(5, { id: "two" }), make(6, { id: "one" })]), ["two", "one"]);
    // One item matches by content and another by id: the id wins, so the first one gets a new id.
    const [first, second] = await put([make(5), make(5, { id: "two" })]);
    assert.equal(second, "two");
    assert.match(first, form);
    const swapped = await put([make(5, { id: first }), make(5)]);
    assert.deepEqual(swapped, [first, "two"]);
  });
}

test("restoring a version restores its ids", async () => {
  const firewall = await ownFirewall();
  const first = idsOf((await firewall.set({ rules: [denyPath("a"), denyPath("b")] })).rules);
  await firewall.set({ rules: [denyPath("c")] });
  await firewall.activate(1);
  assert.deepEqual(idsOf((await firewall.set({ rules: [denyPath("b"), denyPath("a")] })).rules), first.toReversed());
});

test("the order of members and optional defaults do not make another rule, different values do", async () => {
  const firewall = await ownFirewall();
  const put = async (rule: Body) => (await firewall.set({ rules: [rule] })).rules[0].id;
  const id = await put({ ...ruleOf({ type: "path", op: "pre", value: "/a" }), description: "d" });
  const { name, active, conditionGroup, action, description } = {
    ...ruleOf({ value: "/a", op: "pre", type: "path" }),
    description: "d",
  };
  assert.equal(await put({ action, description, conditionGroup, active, name }), id);
  assert.notEqual(await put(ruleOf({ type: "path", op: "pre", value: "/a", neg: false })), id);
});
