import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { configurationOf, entryOf, evaluationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import type { Condition, Mitigation, Rule } from "./config.ts";
import type { RequestAttributes } from "./request/attributes.ts";

describe("an explanation", () => {
  it("shows the values that every condition compared, and continues after the decision without counting", () => {
    const limited: Mitigation = {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"] },
    };
    const configuration = configurationOf({
      ips: [entryOf("ip", "10.0.0.0/8", "log"), entryOf("other", "11.0.0.0/8", "deny")],
      rules: [
        { ...ruleOf("off", { action: "deny" }), active: false },
        ruleOf("deny", { action: "deny" }, [
          { type: "header", key: "X-A", op: "inc", value: ["1", "2"], neg: false },
          { type: "path", op: "eq", value: "/a", neg: true },
        ]),
        ruleOf("limit", limited),
      ],
    });
    const { explain } = evaluationOf(configuration);
    const attributes = { url: "/b", ip: "10.0.0.1", headers: { "x-a": ["0", "2"] } };
    const expected = [
      { phase: "ip", id: "ip", name: null, action: "log", outcome: "matched", reason: "10.0.0.0/8 on *" },
      { phase: "rule", id: "off", name: "rule off", action: "deny", outcome: "inactive" },
      {
        phase: "rule",
        id: "deny",
        name: "rule deny",
        action: "deny",
        outcome: "matched",
        groups: [
          {
            matches: true,
            conditions: [
              {
                type: "header",
                op: "inc",
                neg: false,
                key: "X-A",
                actual: ["0", "2"],
                expected: ["1", "2"],
                holds: true,
              },
              { type: "path", op: "eq", neg: true, actual: ["/b"], expected: "/a", holds: true },
            ],
          },
        ],
      },
      {
        phase: "rule",
        id: "limit",
        name: "rule limit",
        action: "rate_limit",
        outcome: "under_limit",
        groups: [{ matches: true, conditions: [{ type: "path", op: "ex", neg: false, actual: ["/b"], holds: true }] }],
        count: 1,
        limit: 1,
        isAfterDecision: true,
      },
    ];
    assert.deepEqual(explain(attributes).steps, expected);
    // The steps after the decision counted nothing.
    assert.deepEqual(explain(attributes).steps, expected);
    assert.equal(explain({ url: "/", ip: "10.0.0.1" }).decision.action, "allow");
    assert.equal(explain(attributes).steps.at(-1)?.outcome, "matched");
    assert.equal(explain({ url: "/", ip: "10.0.0.1" }).decision.action, "rate_limit");
  });

  it("says what a bypass skips, and why attack challenge mode lets a request through", () => {
    const rules = [
      ruleOf("by", { action: "bypass", bypassSystem: true }, [{ type: "path", op: "pre", value: "/by" }]),
      ruleOf("deny", { action: "deny" }),
    ];
    const configuration = configurationOf({ rules, managedRules: { bot_protection: { active: true } } });
    const { steps } = evaluationOf(configuration, { isAttackMode: true, bypasses: [] }).explain({ url: "/by" });
    assert.deepEqual(
      steps.map(({ phase, outcome, reason }) => [phase, outcome, reason]),
      [
        ["attack_mode", "skipped", "the rule rule by bypasses it"],
        ["rule", "matched", undefined],
        ["rule", "skipped", "bypassed by the rule rule by"],
        ["managed", "skipped", "bypassed by the rule rule by"],
      ],
    );
    const bypasses = [{ domain: "a.example", ip: null }];
    const excepted = evaluationOf(configuration, { isAttackMode: true, bypasses }).explain({
      url: "http://a.example/",
    });
    assert.equal(excepted.steps[0]?.reason, "the bypass list has a.example for all sources");
    assert.equal(excepted.decision.by?.id, "deny");
    const challenged = evaluationOf(configuration, { isAttackMode: true, bypasses }).explain({
      url: "/",
      headers: { "user-agent": "curl/8.5.0" },
    });
    assert.deepEqual(
      challenged.steps.map(({ outcome, isAfterDecision }) => [outcome, isAfterDecision]),
      [
        ["matched", undefined],
        ["not_matched", true],
        ["matched", true],
        ["matched", true],
      ],
    );
  });

  it("shows the entry of the list that matched a user agent", () => {
    const on = { active: true };
    const { explain } = evaluationOf(configurationOf({ managedRules: { ai_bots: on, bot_filter: on } }));
    const [filter, bots] = explain({ url: "/", headers: { "User-Agent": "GPTBot/1.2" } }).steps;
    assert.deepEqual([filter?.id, filter?.outcome], ["bot_filter", "not_matched"]);
    const found = { type: "user_agent", op: "re", neg: false, expected: "GPTBot", actual: ["GPTBot/1.2"], holds: true };
    assert.deepEqual([bots?.name, bots?.groups], ["ai-crawler", [{ matches: true, conditions: [found] }]]);
  });

  it("shows the address of the client, unless it is unknown", () => {
    const rules = [ruleOf("r", undefined, [{ type: "ip_address", op: "eq", value: "10.0.0.0/8" }])];
    const { explain } = evaluationOf(configurationOf({ rules }));
    const actual = (ip?: string) =>
      explain({ url: "/", ...(ip && { ip }) }).steps[0]?.groups?.[0]?.conditions[0]?.actual;
    assert.deepEqual([actual("10.1.2.3"), actual("nobody"), actual()], [["10.1.2.3"], [], []]);
  });

  it("shortens the values of a request", () => {
    const condition: Condition = { type: "header", key: "a", op: "ex" };
    const { explain } = evaluationOf(configurationOf({ rules: [ruleOf("r", undefined, [condition])] }));
    const { steps } = explain({ url: "/", headers: { a: ["x".repeat(1_000), ...Array.from({ length: 50 }, String)] } });
    const actual = steps[0]?.groups?.[0]?.conditions[0]?.actual ?? [];
    assert.equal(actual.length, 10);
    assert.equal(actual[0], `${"x".repeat(200)}…`);
  });
});

describe("decisions", () => {
  const texts = fc.constantFrom(
    "/a",
    "/A/b",
    "/ab",
    "/",
    "",
    "a",
    "b.example",
    "1",
    "2",
    "10.0.0.1",
    "10.0.0.0/8",
    "EXAMPLE",
    ".example",
    "mple/ab",
  );
  const value = fc.oneof(texts, fc.array(texts, { maxLength: 4 }));
  const condition: fc.Arbitrary<Condition> = fc.record(
    {
      type: fc.constantFrom(
        "path",
        "path",
        "host",
        "method",
        "header",
        "query",
        "ip_address",
        "geo_country",
        "ruleset",
      ),
      op: fc.constantFrom("eq", "eq", "inc", "pre", "pre", "suf", "sub", "ex", "neq", "ninc", "nex", "list", "re"),
      neg: fc.boolean(),
      key: fc.constantFrom("a", "A"),
      value,
    },
    { requiredKeys: ["type", "op"] },
  );
  const actions: readonly (Mitigation | undefined)[] = [
    undefined,
    { action: "log" },
    { action: "deny" },
    { action: "deny", actionDuration: "1m" },
    { action: "bypass", bypassSystem: true },
    { action: "redirect", redirect: { location: "/to", permanent: false } },
    {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"] },
      actionDuration: "5m",
    },
    { action: "rate_limit", rateLimit: { algo: "token_bucket", window: 10, limit: 1, keys: ["path"], action: "log" } },
  ];
  const rules: fc.Arbitrary<Rule[]> = fc
    .array(
      fc.tuple(
        fc.constantFrom(...actions),
        fc.array(fc.array(condition, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
      ),
      { maxLength: 40 },
    )
    .map((all) => all.map(([mitigate, groups, active], at) => ({ ...ruleOf(`r${at}`, mitigate, ...groups), active })));
  const request: fc.Arbitrary<RequestAttributes> = fc.record(
    {
      url: fc.constantFrom("/a", "/A/b?a=1&a=/a", "/", "http://b.example/ab", "/x?a"),
      ip: fc.constantFrom("10.0.0.1", "10.1.0.1", "::1"),
      headers: fc.constantFrom({ a: "1", cookie: "a=EXAMPLE" }, { A: ["2", "/a", "x.Example"], host: "a" }),
      geo: fc.constant({ country: "A" }),
      rulesets: fc.constant(["1", "/A"]),
    },
    { requiredKeys: ["url"] },
  );

  it("equal those of evaluating every rule in turn", () => {
    fc.assert(
      fc.property(rules, fc.array(request, { maxLength: 6 }), fc.boolean(), (all, requests, isAttackMode) => {
        const evaluation = evaluationOf(configurationOf({ rules: all }), { isAttackMode, bypasses: [] });
        for (const [at, attributes] of requests.entries()) evaluation.explain(attributes, at * 20_000);
      }),
      { numRuns: 3_000 },
    );
  });
});
