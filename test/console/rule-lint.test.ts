// Doubts about rules of the firewall: what the console says, and that what it says of a rule is so for the evaluator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { lintRule, lintRules } from "../../console/pages/firewall/rules/rule-lint.ts";
import type { Condition, Rule } from "../../console/pages/firewall/config-types.ts";

type Groups = Rule["conditionGroup"];
type Mitigate = NonNullable<Rule["action"]["mitigate"]>;

const all = (...conditions: Condition[]) => ({ conditions });
const is = (
  type: Condition["type"],
  op: Condition["op"],
  value?: Condition["value"],
  more: object = {},
): Condition => ({
  type,
  op,
  ...(value !== undefined && { value }),
  ...more,
});
const rule = (groups: Groups, mitigate: Mitigate = { action: "deny" }) => ({
  conditionGroup: groups,
  action: { mitigate },
});

/** Part of the doubt, or null: there is none. */
const ALONE: readonly (readonly [Condition | Groups, string | null, Mitigate?])[] = [
  [is("path", "re", "/admin"), "has no ^"],
  [is("path", "re", "^/admin"), null],
  [is("path", "re", "(?-i)^/admin"), null],
  [is("header", "re", "curl", { key: "x" }), null],
  [is("host", "re", "^a.example$"), "dot stands for any character"],
  [is("host", "re", "^a\\.example$"), null],
  [is("path", "pre", "/admin"), "such as /admins"],
  [is("path", "pre", "/admin"), "path is /admin, and path begins with /admin/"],
  [is("path", "pre", "/admin/"), "/admin itself does not begin with /admin/"],
  [is("path", "pre", "/Admin/", { neg: true }), "/Admin itself does not begin", { action: "log" }],
  [is("raw_path", "pre", "/admin/"), "/admin itself does not begin with /admin/"],
  [[all(is("path", "eq", "/admin")), all(is("path", "pre", "/admin/"))], null],
  [[all(is("path", "inc", ["/ADMIN", "/x"])), all(is("path", "pre", "/admin/"))], null],
  [[all(is("path", "re", "^/admin$")), all(is("path", "pre", "/admin/"))], null],
  [[all(is("path", "neq", "/admin"), is("path", "pre", "/admin/", { neg: true }))], null, { action: "log" }],
  [[all(is("raw_path", "eq", "/admin")), all(is("path", "pre", "/admin/"))], "/admin itself"],
  [is("path", "re", "^/admin(/|$)"), null],
  [is("path", "re", "^/admin/"), "/admin itself does not match ^/admin/. To mean both, write ^/admin(/|$)."],
  [is("path", "re", "^\\/admin\\/.*$"), "/admin itself does not match"],
  [is("path", "re", "(?i)^/admin/users/"), "/admin/users itself does not match"],
  [is("target_path", "re", "^/admin/.+"), "/admin itself does not match"],
  [is("path", "re", "^/admin/?"), null],
  [is("path", "re", "^/"), null],
  [[all(is("path", "eq", "/admin")), all(is("path", "re", "^/admin/"))], null],
  [is("path", "eq", "/admin"), null],
  [is("host", "suf", "example.com"), "host is example.com, and host ends with .example.com"],
  [is("host", "suf", ".example.com"), "example.com itself does not end with .example.com"],
  [[all(is("host", "eq", "example.com")), all(is("host", "suf", ".example.com"))], null],
  [is("path", "pre", "/"), "Every path"],
  [is("path", "eq", "/a//b"), "is in no request, because paths are read in one normal form"],
  [is("path", "eq", "/a%20b"), "is in no request, because paths are read in one normal form"],
  [is("raw_path", "eq", "/a//b"), null],
  [is("path", "sub", "/."), null],
  [is("path", "suf", "/."), "one normal form"],
  [is("path", "eq", "admin"), '"admin" is in no request, because a path begins with /.'],
  [is("path", "suf", "admin"), null],
  [is("path", "re", "^admin"), "write ^/"],
  [is("path", "eq", "/a?b=1"), "the type query reads parameters"],
  [is("path", "inc", "/a,/b"), "write several as a list of JSON"],
  [is("host", "pre", "https://"), "a name without scheme"],
  [is("host", "sub", "::1"), null],
  [is("header", "eq", "x", { key: "Host " }), '"Host " is the name of no header'],
  [is("header", "eq", "a\nb", { key: "x" }), "no line end"],
  [is("ip_address", "eq", "10.1.2.3/8"), '"10.1.2.3/8" is all of 10.0.0.0/8.'],
  [is("ip_address", "inc", ["10.0.0.0/8", "2001:db8::1/32"]), '"2001:db8::1/32" is all of 2001:db8::/32.'],
  [is("ip_address", "eq", "192.168.77.1/20"), '"192.168.77.1/20" is all of 192.168.64.0/20.'],
  [is("ip_address", "eq", "2001:DB8:0:0:8::1/65"), '"2001:DB8:0:0:8::1/65" is all of 2001:db8::/65.'],
  [is("ip_address", "eq", "10.0.0.0/8"), null],
  [is("ip_address", "eq", "2001:db8::/32"), null],
  [is("ip_address", "eq", "10.1.2.3/99"), null],
  [is("ip_address", "eq", "10.01.2.3/8"), null],
  [is("ip_address", "eq", "10.1.2.3/"), null],
  [[], "has no conditions"],
  [[all(is("method", "eq", "GET"), is("method", "inc", ["POST", "PUT"]))], "cannot hold at once"],
  [[all(is("method", "eq", "GET"), is("method", "neq", "get"))], "cannot hold at once"],
  [[all(is("method", "eq", "GET"), is("method", "inc", ["get", "PUT"]))], null],
  [[all(is("header", "eq", "a", { key: "x" }), is("header", "eq", "b", { key: "x" }))], null],
  [is("path", "sub", "/a", { neg: true }), "what a request is not"],
  [is("path", "sub", "/a", { neg: true }), null, { action: "log" }],
  [is("user_agent", "sub", "monitor"), "A client that knows it can send it", { action: "bypass" }],
  [is("ip_address", "eq", "10.0.0.1"), null, { action: "bypass" }],
  [
    is("path", "eq", "/login"),
    "Add ip",
    { action: "rate_limit", rateLimit: { algo: "fixed_window", window: 60, limit: 5, keys: ["header:x"] } },
  ],
  [
    is("path", "eq", "/login"),
    null,
    { action: "rate_limit", rateLimit: { algo: "fixed_window", window: 60, limit: 5, keys: ["ip", "header:x"] } },
  ],
];

for (const [what, expected, mitigate] of ALONE) {
  const groups = Array.isArray(what) ? what : [all(what)];
  test(`${JSON.stringify(what)} ${mitigate?.action ?? ""}: ${expected ?? "no doubt"}`, () => {
    const doubts = lintRule(rule(groups, mitigate), []);
    if (expected === null) assert.deepEqual(doubts, []);
    else assert.match(doubts.join("\n"), new RegExp(expected.replace(/[$^.\\()|]/g, "\\$&")));
  });
}

test("a rule says what is doubtful of the shared conditions that it names, and of no others", () => {
  const shared = [
    { id: "a", name: "Admin", active: true, conditionGroup: [all(is("path", "eq", "admin"))] },
    { id: "b", name: "Office", active: true, conditionGroup: [all(is("ip_address", "eq", "10.1.2.3/8"))] },
  ];
  const said = (value: string | string[]) =>
    lintRule(rule([all(is("shared_condition", Array.isArray(value) ? "inc" : "eq", value))]), shared);
  assert.deepEqual(said("b"), ['The shared condition “Office”: "10.1.2.3/8" is all of 10.0.0.0/8.']);
  assert.equal(said(["a", "b"]).length, 2);
  assert.deepEqual(said("c"), []);
});

/** The first and the second rule's groups, and whether the second never gets its turn. */
const PAIRS: readonly (readonly [Groups, Groups, boolean])[] = [
  [[all(is("path", "pre", "/a/"))], [all(is("path", "eq", "/a/b"))], true],
  [[all(is("path", "pre", "/A/"))], [all(is("path", "pre", "/a/b"), is("method", "eq", "GET"))], true],
  [[all(is("path", "pre", "/a/b"))], [all(is("path", "pre", "/a/"))], false],
  [[all(is("path", "sub", "adm"))], [all(is("path", "suf", "/admin"))], true],
  [[all(is("path", "suf", "n"))], [all(is("path", "pre", "/n"))], false],
  [[all(is("method", "inc", ["GET", "POST"]))], [all(is("method", "eq", "post"))], true],
  [[all(is("method", "eq", "GET"))], [all(is("method", "inc", ["GET", "POST"]))], false],
  [[all(is("method", "neq", "GET"))], [all(is("method", "ninc", ["GET", "POST"]))], true],
  [[all(is("method", "ninc", ["GET", "POST"]))], [all(is("method", "neq", "GET"))], false],
  [[all(is("header", "ex", undefined, { key: "X" }))], [all(is("header", "eq", "1", { key: "x" }))], true],
  [[all(is("query", "ex", undefined, { key: "X" }))], [all(is("query", "eq", "1", { key: "x" }))], false],
  [[all(is("path", "eq", "/a"), is("method", "eq", "GET"))], [all(is("path", "eq", "/a"))], false],
  [
    [all(is("path", "eq", "/a")), all(is("path", "eq", "/b"))],
    [all(is("path", "inc", ["/a"])), all(is("path", "eq", "/b"))],
    true,
  ],
  [[all(is("path", "eq", "/a"))], [all(is("path", "eq", "/a")), all(is("path", "eq", "/b"))], false],
  [[], [all(is("path", "eq", "/a"))], false],
];

const listed = (id: string, groups: Groups, action: Mitigate["action"], active = true): Rule => ({
  id,
  name: id,
  active,
  ...rule(groups, { action }),
});
const isShadowed = (...rules: Rule[]) =>
  (lintRules(rules, []).get(rules.at(-1)?.id ?? "") ?? []).some((doubt) => doubt.includes("never gets its turn"));

for (const [first, second, expected] of PAIRS) {
  test(`${JSON.stringify(first)} before ${JSON.stringify(second)}: ${expected ? "never" : "gets its turn"}`, () => {
    assert.equal(isShadowed(listed("first", first, "deny"), listed("second", second, "challenge")), expected);
  });
}

test("a rule that is off, only logs or limits takes no other's turn", () => {
  const [wide, narrow] = [[all(is("path", "pre", "/a/"))], [all(is("path", "eq", "/a/b"))]];
  const second = listed("second", narrow, "deny");
  assert.equal(isShadowed(listed("first", wide, "bypass"), second), true);
  assert.equal(isShadowed(listed("first", wide, "deny", false), second), false);
  assert.equal(isShadowed(listed("first", wide, "log"), second), false);
  assert.equal(isShadowed(listed("first", wide, "rate_limit"), second), false);
  assert.equal(isShadowed(listed("first", wide, "deny"), { ...second, active: false }), false);
});

test("a thousand rules of many conditions are gone through in bounded time", () => {
  const conditions = Array.from({ length: 65 }, (_, at) => is("query", "eq", "x", { key: `k${at}` }));
  const rules = Array.from({ length: 1_000 }, (_, at) =>
    listed(`r${at}`, [all(...conditions, is("path", "eq", `/${at}`))], "deny"),
  );
  const before = process.cpuUsage();
  assert.equal(lintRules(rules, []).size, 1_000);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${user + system} us of CPU`);
});
