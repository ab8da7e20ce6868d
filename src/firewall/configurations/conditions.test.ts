// Every condition type with every operator, with accepted and with rejected values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONDITION_TYPES, OPERATORS } from "../evaluator/config.ts";
import type { ConditionType, Operator } from "../evaluator/config.ts";
import { errorsOf, openFirewall, ruleOf, saidBy } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();

const SAME: readonly Operator[] = ["eq", "neq", "inc", "ninc", "list", "ex", "nex"];
const TEXT: readonly Operator[] = [...SAME, "sub", "pre", "suf", "re"];
const ORDER: readonly Operator[] = ["gt", "gte", "lt", "lte"];

interface Form {
  readonly operators: readonly Operator[];
  readonly key?: true;
  /** Values of operators that compare whole values. */
  readonly good: readonly (string | number)[];
  readonly bad?: readonly (string | number)[];
}

const text = (...good: (string | number)[]): Form => ({ operators: TEXT, good });
const opaque: Form = { operators: SAME, good: ["anything", "at all ü", 5] };
const keyed: Form = { operators: [...TEXT, ...ORDER], key: true, good: ["anything", 0, "*"] };

const FORMS: Readonly<Record<ConditionType, Form>> = {
  host: {
    operators: TEXT,
    good: ["example.com", "EXAMPLE.com", "a", "x-1.test", `${"a".repeat(63)}.test`],
    bad: [
      "*.example.com",
      "a..b",
      "-a.test",
      "a-.test",
      ".test",
      "a.test.",
      "a b",
      "ü.test",
      `${"a".repeat(64)}.test`,
      "a/b",
      "a:80",
    ],
  },
  path: text("/", "no-slash", "/ü", 5),
  raw_path: text("/%2e", "x"),
  target_path: { operators: TEXT, good: ["/", "/a b"], bad: ["a", " /", 5] },
  route: text("/items/[id]"),
  server_action: text("submit"),
  user_agent: text("curl/8.5.0", " "),
  header: keyed,
  query: keyed,
  cookie: keyed,
  body: keyed,
  method: {
    operators: SAME,
    good: [..."GET HEAD POST DELETE PATCH PUT CONNECT OPTIONS TRACE DEBUG QUERY".split(" "), "get"],
    bad: ["FETCH", "GET ", 1],
  },
  ip_address: {
    operators: SAME,
    good: ["192.0.2.1", "192.0.2.1/32", "0.0.0.0/0", "10.1.2.3/8", "::/0", "2001:db8::1", "2001:DB8::/32"],
    bad: [
      "192.0.2",
      "192.0.2.1/33",
      "192.0.2.01",
      "1.2.3.4/",
      "2001:db8::/129",
      "::1%eth0",
      "::ffff:1.2.3.4/120",
      "example.com",
      16,
    ],
  },
  protocol: { operators: SAME, good: ["HTTP/1.1", "HTTP/2.0", "http/2.0"], bad: ["HTTP/2", "HTTP/3.0"] },
  scheme: { operators: SAME, good: ["http", "https", "HTTPS"], bad: ["ftp", "https:"] },
  environment: { operators: SAME, good: ["preview", "production"], bad: ["staging"] },
  domain_environment: opaque,
  region: { operators: SAME, good: ["fra1", "IAD1", "eu-west-1"], bad: ["f", "fra 1", "fra_1", "r".repeat(33)] },
  geo_continent: { operators: SAME, good: ["AF", "AN", "AS", "EU", "NA", "OC", "SA", "eu"], bad: ["XX", "Europe"] },
  geo_country: {
    operators: SAME,
    good: ["DE", "de", "US", "GB", "TW", "AQ"],
    bad: ["UK", "ZZ", "EU", "DEU", "D", "YU", "A1", 49],
  },
  geo_country_region: text("BE", "NRW"),
  geo_city: text("Köln"),
  geo_as_number: {
    operators: [...TEXT, ...ORDER],
    good: ["64500", 64_500, "0"],
    bad: ["AS64500", "-1", "1.5", "12345678901"],
  },
  ja3_digest: text("e7d705a3286e19ea42f587b344ee6865"),
  ja4_digest: text("t13d1516h2_8daaf6152771_e5627efa2ab1"),
  bot_name: text("googlebot"),
  bot_category: text("search_engine"),
  bot_status: opaque,
  bot_protection: opaque,
  rate_limit_api_id: opaque,
  shared_condition: { operators: SAME, good: ["one", "two"], bad: ["three", "One"] },
  traffic_source: opaque,
  ruleset: opaque,
  trusted_source: opaque,
};

/** The shared condition that `shared_condition` refers to. */
const conditions = ["one", "two"].map((id) => ({
  id,
  name: id,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/" }] }],
}));

const firewall = openFirewall(client, (await client.createUser()).token);
const put = (rules: readonly Body[]) => firewall.put({ firewallEnabled: true, rules, conditions });

const plain = (type: ConditionType, op: Operator, value?: unknown) => ({
  type,
  op,
  ...(FORMS[type].key && { key: "X-Name" }),
  ...(value === undefined ? {} : { value }),
});

function fitting(type: ConditionType, op: Operator): unknown {
  const { good } = FORMS[type];
  if (op === "ex" || op === "nex") return undefined;
  if (op === "inc" || op === "ninc" || op === "list") return good;
  if (op === "re") return "^/a";
  if (op === "pre") return "/a";
  return ORDER.includes(op) ? "-5.25" : good[0];
}

const taken = async (rules: readonly Body[], what: string) => {
  const { status, body, text: shown } = await put(rules);
  assert.equal(status, 200, `${what}: ${shown}`);
  assert.deepEqual(
    saidBy(body.active).rules.map(({ conditionGroup }: Body) => conditionGroup),
    rules.map(({ conditionGroup }) => conditionGroup),
  );
};

test("each type accepts its operators, and the error for another operator lists them", async () => {
  for (const type of CONDITION_TYPES) {
    const { operators } = FORMS[type];
    await taken(
      operators.map((op) => ruleOf(plain(type, op, fitting(type, op)))),
      type,
    );
    const others = OPERATORS.filter((op) => !operators.includes(op));
    if (others.length === 0) continue;
    const refused = await put(others.map((op) => ruleOf(plain(type, op, FORMS[type].good[0]))));
    assert.deepEqual(
      errorsOf(refused),
      others.map((_, index) => `body.rules[${index}].conditionGroup[0].conditions[0].op`),
      type,
    );
    for (const { message } of refused.body.error.errors) {
      assert.equal(message, `expected one of ${operators.join(", ")} with the type ${type}`);
    }
  }
});

test("each type accepts only its values, singly and in lists, and the error names the rejected one", async () => {
  for (const type of CONDITION_TYPES) {
    const { good, bad = [] } = FORMS[type];
    await taken(
      good.map((value) => ruleOf(plain(type, "eq", value))),
      `${type} eq`,
    );
    await taken([ruleOf(plain(type, "inc", [...good]))], `${type} inc`);
    if (bad.length === 0) continue;
    for (const op of ["eq", "neq"] as const) {
      assert.deepEqual(
        errorsOf(await put(bad.map((value) => ruleOf(plain(type, op, value))))),
        bad.map((_, index) => `body.rules[${index}].conditionGroup[0].conditions[0].value`),
        type,
      );
    }
    const at = "body.rules[0].conditionGroup[0].conditions[0].value";
    const isShared = type === "shared_condition";
    assert.deepEqual(
      errorsOf(await put([ruleOf(plain(type, "inc", [good[0], ...bad]))])),
      // The error does not say which of several ids is unknown.
      isShared ? [at] : bad.map((_, index) => `${at}[${index + 1}]`),
      type,
    );
  }
});

test("operators that compare parts accept any text, except the prefix of a target path", async () => {
  await taken(
    [
      ruleOf(plain("host", "suf", ".example.com")),
      ruleOf(plain("host", "sub", "..")),
      ruleOf(plain("geo_as_number", "pre", "64x")),
      ruleOf(plain("target_path", "suf", "end")),
      ruleOf(plain("target_path", "re", "end$")),
    ],
    "parts",
  );
  assert.equal(errorsOf(await put([ruleOf(plain("target_path", "pre", "a"))])).length, 1);
});

/** Conditions on `path` unless they say otherwise, each with the member in error; null: it is accepted. */
const VALUES: readonly (readonly [condition: object, error: string | null])[] = [
  [{ op: "eq" }, "value"],
  [{ op: "eq", value: "" }, "value"],
  [{ op: "eq", value: null }, "value"],
  [{ op: "eq", value: true }, "value"],
  [{ op: "eq", value: {} }, "value"],
  [{ op: "eq", value: ["/a"] }, "value"],
  [{ op: "pre", value: ["/a"] }, "value"],
  [{ op: "re", value: ["/a"] }, "value"],
  [{ op: "inc", value: "/a" }, null],
  [{ op: "ninc", value: 5 }, null],
  [{ op: "inc", value: [] }, "value"],
  [{ op: "inc", value: ["/a", ""] }, "value[1]"],
  [{ op: "inc", value: ["/a", null] }, "value[1]"],
  [{ op: "list", value: ["/a", ["/b"]] }, "value[1]"],
  [{ op: "inc", value: [1, "1", 1.5, -2] }, null],
  [{ op: "ex" }, null],
  [{ op: "ex", value: "" }, null],
  [{ op: "nex", value: [] }, null],
  [{ op: "ex", value: "/a" }, "value"],
  [{ op: "nex", value: ["/a"] }, "value"],
  [{ op: "ex", value: null }, "value"],
  [{ op: "eq", value: "/a", key: "" }, null],
  [{ op: "eq", value: "/a", key: "x" }, "key"],
  [{ op: "eq", value: "/a", key: null }, "key"],
  [{ op: "eq", value: "/a", neg: false }, null],
  [{ op: "eq", value: "/a", neg: true }, null],
  [{ op: "eq", value: "/a", neg: "true" }, "neg"],
  [{ op: "eq", value: "/a", neg: null }, "neg"],
  [{ op: "eq", value: "/a", negate: true }, "negate"],
  [{ op: "EQ", value: "/a" }, "op"],
  [{ value: "/a" }, "op"],
  [{ op: null, value: "/a" }, "op"],
  [{ type: "Path", op: "eq", value: "/a" }, "type"],
  [{ type: 5, op: "eq", value: "/a" }, "type"],
  [{ type: "header", op: "eq", value: "a" }, "key"],
  [{ type: "header", op: "ex", key: "" }, "key"],
  [{ type: "cookie", op: "ex", key: "sid", value: "" }, null],
  [{ type: "query", op: "ex", key: "k".repeat(256) }, null],
  [{ type: "query", op: "ex", key: "k".repeat(257) }, "key"],
  [{ type: "header", op: "gt", key: "x", value: 5 }, null],
  [{ type: "header", op: "lte", key: "x", value: "-0.5" }, null],
  [{ type: "header", op: "gt", key: "x", value: "5." }, "value"],
  [{ type: "header", op: "gt", key: "x", value: "1e3" }, "value"],
  [{ type: "header", op: "gt", key: "x", value: 1e21 }, "value"],
  [{ type: "header", op: "gt", key: "x", value: "ten" }, "value"],
  [{ type: "header", op: "gt", key: "x", value: [5] }, "value"],
  [{ op: "re", value: "a(?=b)" }, "value"],
  [{ op: "re", value: "(a)\\1" }, "value"],
  [{ op: "re", value: "(" }, "value"],
  [{ op: "re", value: "(?:a{1000}){1000}" }, "value"],
  [{ op: "re", value: "^(?i:a|b)+?\\p{Greek}$" }, null],
  [{ op: "re", value: 5 }, null],
  [{ type: "shared_condition", op: "inc", value: ["one", "two"] }, null],
  [{ type: "shared_condition", op: "inc", value: ["one", "none"] }, "value"],
  [{ type: "shared_condition", op: "ex" }, null],
  [{ type: "shared_condition", op: "ex", value: "" }, null],
];

test("the type and the operator determine the value, the key and the other members", async () => {
  for (const [given, error] of VALUES) {
    const condition = { type: "path", ...given };
    const response = await put([ruleOf(condition)]);
    const shown = JSON.stringify(condition);
    if (error === null) {
      assert.equal(response.status, 200, `${shown}: ${response.text}`);
      assert.deepEqual(saidBy(response.body.active).rules[0].conditionGroup[0].conditions[0], condition);
    } else {
      assert.deepEqual(errorsOf(response), [`body.rules[0].conditionGroup[0].conditions[0].${error}`], shown);
    }
  }
});

test("a number beyond double precision is rejected, and not stored as another value", async () => {
  const at = "body.rules[0].conditionGroup[0].conditions[0]";
  for (const [op, written, field] of [
    ["eq", "1e999", "value"],
    ["inc", '["a", -1e999]', "value[1]"],
  ]) {
    const body = JSON.stringify({ firewallEnabled: true, rules: [ruleOf(plain("path", op as Operator, "N"))] });
    assert.deepEqual(errorsOf(await firewall.put(body.replace('"N"', written as string))), [`${at}.${field}`]);
  }
});

test("a shared condition cannot refer to another, and a rule cannot refer to an unknown one", async () => {
  const inner = { type: "shared_condition", op: "eq", value: "one" };
  const nested = { ...conditions[1], conditionGroup: [{ conditions: [inner] }] };
  assert.deepEqual(errorsOf(await firewall.put({ firewallEnabled: true, conditions: [conditions[0], nested] })), [
    "body.conditions[1].conditionGroup[0].conditions[0].value",
  ]);
  await firewall.set({ rules: [ruleOf(inner)], conditions });
  assert.deepEqual(errorsOf(await firewall.put({ firewallEnabled: true, rules: [ruleOf(inner)] })), [
    "body.rules[0].conditionGroup[0].conditions[0].value",
  ]);
});
