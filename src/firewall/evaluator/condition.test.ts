import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileGroups, compileShared, groupsBeforeBody, isMatching, needsBody, readBodies } from "./condition.ts";
import type { Condition, SharedCondition } from "./config.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import { RequestView } from "./request/request.ts";
import { TimeLimitError, withTimeLimit } from "./time-limit.ts";

function matches(
  condition: Condition,
  attributes: Partial<RequestAttributes>,
  shared: readonly SharedCondition[] = [],
): boolean {
  const groups = compileGroups([{ conditions: [condition] }], compileShared(shared));
  const request = new RequestView({ url: "/", ...attributes });
  const isHolding = isMatching(groups, request);
  // `neg` inverts any result.
  const turned = compileGroups([{ conditions: [{ ...condition, neg: true }] }], compileShared(shared));
  assert.equal(isMatching(turned, new RequestView({ url: "/", ...attributes })), !isHolding);
  return isHolding;
}

type Value = NonNullable<Condition["value"]>;

describe("conditions on a text", () => {
  const table: [Condition["op"], Value, matching: string[], notMatching: string[]][] = [
    ["eq", "/Ab", ["/ab", "/AB"], ["/abc", "/a"]],
    ["eq", ["/a", "/b"], ["/a", "/B"], ["/c"]],
    ["neq", "/a", ["/b"], ["/A"]],
    ["inc", ["/a", "/B"], ["/A", "/b"], ["/c"]],
    ["list", ["/a", "/B"], ["/A", "/b"], ["/c"]],
    ["inc", "/a", ["/a"], ["/b"]],
    ["ninc", ["/a", "/b"], ["/c"], ["/a", "/B"]],
    ["inc", [], [], ["/"]],
    ["ninc", [], ["/"], []],
    ["pre", "/Api", ["/api", "/API/x"], ["/ap", "/x/api"]],
    ["pre", ["/a", "/b"], ["/ax", "/bx"], ["/cx"]],
    ["suf", ".PHP", ["/x.php", "/.Php"], ["/x.php5", "/php"]],
    ["sub", "Min", ["/admin", "/MIN"], ["/mi"]],
    ["sub", "", ["/"], []],
    ["re", "^/a+$", ["/aA"], ["/ab", "/"]],
    ["re", ["^/x", "y$"], ["/xz", "/zy"], ["/z"]],
    ["re", "(?-i)Ab", ["/Ab"], ["/ab"]],
    ["ex", "", ["/"], []],
    ["nex", "", [], ["/"]],
  ];
  for (const [op, value, matching, notMatching] of table) {
    it(`${op} ${JSON.stringify(value)}`, () => {
      for (const url of matching) assert.equal(matches({ type: "raw_path", op, value }, { url }), true, url);
      for (const url of notMatching) assert.equal(matches({ type: "raw_path", op, value }, { url }), false, url);
    });
  }

  it("compare texts in JavaScript's lower case", () => {
    for (const [text, expected] of [
      ["ÄÖ", "äö"],
      ["İ", "i\u0307"],
      ["ΑΣ", "ας"],
      ["\u212a", "k"],
    ] as const) {
      assert.equal(matches({ type: "geo_city", op: "eq", value: expected }, { geo: { city: text } }), true, text);
    }
    assert.equal(matches({ type: "geo_city", op: "eq", value: "s" }, { geo: { city: "\u017f" } }), false);
    // An expression matches it, and the search for required literals must not hide that.
    assert.equal(matches({ type: "geo_city", op: "re", value: "select" }, { geo: { city: "\u017fELECT" } }), true);
    assert.equal(matches({ type: "geo_city", op: "re", value: "kiss" }, { geo: { city: "\u212aI\u017fs" } }), true);
  });

  it("match a missing value only when they are negated", () => {
    for (const op of ["eq", "inc", "list", "pre", "suf", "sub", "re", "gt", "gte", "lt", "lte", "ex"] as const) {
      assert.equal(matches({ type: "route", op, value: "1" }, {}), false, op);
    }
    for (const op of ["neq", "ninc", "nex"] as const) {
      assert.equal(matches({ type: "route", op, value: "1" }, {}), true, op);
    }
    for (const op of ["eq", "inc", "list", "pre", "suf", "sub", "re", "gt", "gte", "lt", "lte"] as const) {
      assert.equal(matches({ type: "route", op }, { route: "" }), false, op);
    }
  });

  it("compare numbers", () => {
    const compare = (op: Condition["op"], value: Value, asNumber: string | number) =>
      matches({ type: "geo_as_number", op, value }, { geo: { asNumber } });
    assert.equal(compare("gt", 9, "10"), true);
    assert.equal(compare("gt", "10", 10), false);
    assert.equal(compare("gte", "10.0", 10), true);
    assert.equal(compare("lt", 0, "-0.5"), true);
    assert.equal(compare("lte", [5, 1], 3), true);
    assert.equal(compare("gt", [5, 1], 3), true);
    assert.equal(compare("eq", 10, "10"), true);
    assert.equal(compare("lt", 10, "10"), false);
    assert.equal(compare("lte", 10, "10.0"), true);
    for (const text of ["", "ten", "1 000", "1,5", "NaN"]) {
      assert.equal(compare("gte", "-99999", text), false, text);
      assert.equal(compare("lt", text, "-99999"), false, text);
    }
  });
});

describe("conditions on several values", () => {
  it("match when one of the values matches", () => {
    const attributes = { headers: { "X-A": ["one", "two"] } };
    assert.equal(matches({ type: "header", key: "x-a", op: "eq", value: "TWO" }, attributes), true);
    assert.equal(matches({ type: "header", key: "x-a", op: "neq", value: "two" }, attributes), false);
    assert.equal(matches({ type: "header", key: "x-a", op: "re", value: "^t" }, attributes), true);
    assert.equal(matches({ type: "header", key: "x-a", op: "suf", value: ["x", "e"] }, attributes), true);
    assert.equal(matches({ type: "header", key: "x-b", op: "ex" }, attributes), false);
    assert.equal(matches({ type: "ruleset", op: "inc", value: ["b"] }, { rulesets: ["a", "B"] }), true);
    assert.equal(matches({ type: "ruleset", op: "ex" }, {}), false);
  });
});

describe("conditions on addresses", () => {
  it("match addresses in one of the networks", () => {
    const table: [Value, string, boolean][] = [
      ["10.0.0.0/8", "10.255.0.1", true],
      ["10.1.2.3/8", "10.255.0.1", true],
      ["10.0.0.0/8", "11.0.0.0", false],
      ["1.2.3.4", "::ffff:1.2.3.4", true],
      ["1.2.3.4", "1.2.3.5", false],
      ["0.0.0.0/0", "255.1.1.1", true],
      ["0.0.0.0/0", "::1", false],
      ["2001:db8::/33", "2001:db8:7fff::1", true],
      ["2001:db8::/33", "2001:db8:8000::1", false],
      [["x", "1.0.0.0/8", "2.0.0.0/8"], "2.1.1.1", true],
      ["nonsense", "1.1.1.1", false],
      ["::ffff:1.2.3.4", "1.2.3.4", false],
    ];
    for (const [value, ip, isIn] of table) {
      assert.equal(matches({ type: "ip_address", op: "inc", value }, { ip }), isIn, `${ip} in ${String(value)}`);
      assert.equal(matches({ type: "ip_address", op: "ninc", value }, { ip }), !isIn, `${ip} not in ${String(value)}`);
    }
    assert.equal(matches({ type: "ip_address", op: "neq", value: "1.1.1.1" }, {}), true);
    assert.equal(matches({ type: "ip_address", op: "ex" }, { ip: "1.1.1.1" }), true);
    assert.equal(matches({ type: "ip_address", op: "ex" }, { ip: "none" }), false);
    for (const value of ["1.", "1.1.1.1"]) {
      assert.equal(matches({ type: "ip_address", op: "pre", value }, { ip: "1.1.1.1" }), false, value);
    }
    assert.equal(matches({ type: "ip_address", op: "re", value: "1" }, { ip: "1.1.1.1" }), false);
  });
});

describe("shared conditions", () => {
  const onPath = (id: string, value: string, active = true): SharedCondition => ({
    id,
    name: id,
    active,
    conditionGroup: [{ conditions: [{ type: "path", op: "eq", value }] }],
  });
  const shared = [onPath("a", "/a"), onPath("b", "/b"), onPath("off", "/b", false)];

  it("match when one of the named conditions is active and matches", () => {
    const named = (op: Condition["op"], value: Value, url: string) =>
      matches({ type: "shared_condition", op, value }, { url }, shared);
    assert.equal(named("eq", "a", "/a"), true);
    assert.equal(named("eq", "A", "/a"), false);
    assert.equal(named("inc", ["a", "b"], "/b"), true);
    assert.equal(named("eq", "off", "/b"), false);
    assert.equal(named("neq", "off", "/b"), true);
    assert.equal(named("eq", "missing", "/a"), false);
    assert.equal(named("ex", "", "/b"), true);
    assert.equal(named("ex", "", "/c"), false);
    assert.equal(named("pre", "a", "/a"), false);
  });

  it("do not nest", () => {
    const nested: SharedCondition = {
      id: "n",
      name: "n",
      active: true,
      conditionGroup: [{ conditions: [{ type: "shared_condition", op: "eq", value: "a" }] }],
    };
    assert.equal(
      matches({ type: "shared_condition", op: "eq", value: "n" }, { url: "/a" }, [...shared, nested]),
      false,
    );
  });
});

describe("groups", () => {
  it("match when all conditions of one group match; an empty group matches nothing", () => {
    const is = (value: string): Condition => ({ type: "path", op: "sub", value });
    const groups = compileGroups(
      [{ conditions: [] }, { conditions: [is("a"), is("b")] }, { conditions: [is("c")] }],
      new Map(),
    );
    const matching = (url: string) => isMatching(groups, new RequestView({ url }));
    assert.deepEqual(["/ab", "/a", "/c", "/"].map(matching), [true, false, true, false]);
    assert.equal(isMatching([], new RequestView({ url: "/" })), false);
  });
});

describe("conditions on the body", () => {
  const onPath: Condition = { type: "path", op: "eq", value: "/api" };
  const onBody: Condition = { type: "body", key: "role", op: "eq", value: "admin" };
  const named = (op: Condition["op"], value: Value = ""): Condition => ({ type: "shared_condition", op, value });
  const sharedOf = (id: string, ...conditions: Condition[]): SharedCondition => ({
    id,
    name: id,
    active: true,
    conditionGroup: [{ conditions: [{ type: "method", op: "eq", value: "PUT" }] }, { conditions }],
  });
  const shared = [
    sharedOf("office", { type: "ip_address", op: "eq", value: "192.0.2.1" }),
    sharedOf("admin", onPath, onBody),
    sharedOf("v1", { type: "header", key: "v", op: "eq", value: "1" }),
  ];

  it("make a request need its body where the other conditions of their group match", () => {
    const isNeeding = (url: string, ...conditions: Condition[]) => {
      const also: Condition = { type: "host", op: "eq", value: "other.test" };
      const groups = compileGroups([{ conditions: [also] }, { conditions }], compileShared(shared));
      const before = groupsBeforeBody(groups);
      assert.equal(readBodies(groups), before.length > 0);
      return needsBody(before, new RequestView({ url }));
    };
    for (const conditions of [
      [onBody, onPath],
      [onPath, onBody],
      [named("eq", "admin"), onPath],
      [onPath, named("inc", ["office", "admin"])],
      [onPath, named("nex")],
    ]) {
      assert.deepEqual(
        ["/api", "/other"].map((url) => isNeeding(url, ...conditions)),
        [true, false],
        JSON.stringify(conditions),
      );
    }
    for (const conditions of [
      [onPath],
      [onPath, named("eq", "office")],
      [named("neq", "v1")],
      [named("pre", "admin")],
    ]) {
      assert.equal(isNeeding("/api", ...conditions), false, JSON.stringify(conditions));
    }
  });

  it("are the last of their group, so that a body is not read in vain", () => {
    const request: RequestAttributes = {
      url: "/other",
      get body(): never {
        return assert.fail("the body was read");
      },
    };
    const groups = compileGroups([{ conditions: [onBody, onPath] }], new Map());
    assert.equal(isMatching(groups, new RequestView(request)), false);
  });
});

it("conditions are bounded in time: many of them, those before a body, and one on a long number", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => (now += 10));
  const many = Array.from({ length: 80 }, (): Condition => ({ type: "path", op: "eq", value: "/" }));
  const groups = compileGroups([{ conditions: many }], new Map());
  const request = new RequestView({ url: "/" });
  assert.throws(() => withTimeLimit(() => isMatching(groups, request)), TimeLimitError);
  assert.throws(() => withTimeLimit(() => needsBody(groups, request)), TimeLimitError);
  const long = { headers: { n: "1".repeat(100_000) } };
  assert.throws(
    () => withTimeLimit(() => matches({ type: "header", key: "n", op: "gt", value: 1 }, long)),
    TimeLimitError,
  );
});

it("many values of a body are searched as one text, and none is found across two of them", () => {
  const values = Array.from({ length: 3_000 }, (_, at): [string, string] => [`field_${at}`, `Value ${at}`]);
  const holds = (value: string | string[], key = "*", op = "sub") =>
    matches({ type: "body", key, op, value } as Condition, { body: { values, problem: null } });
  assert.equal(holds("VALUE 2999"), true);
  assert.equal(holds(["nothing", "value 0"]), true);
  assert.equal(holds("value 3000"), false);
  assert.equal(holds("value 10value"), false);
  for (const value of ["value 10\0value", ["nothing", "value 10\0value"]]) assert.equal(holds(value), false);
  assert.equal(holds("value 10", "field_10"), true);
  assert.equal(holds("value 10", "field_11"), false);
  assert.equal(holds("value 2999", "*", "eq"), true);
});
