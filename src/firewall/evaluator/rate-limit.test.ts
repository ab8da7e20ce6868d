import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationOf, evaluationOf, outcomeOf, ruleOf } from "../../../test/resources/evaluation.ts";
import type { Mitigation, RateLimit } from "./config.ts";
import { createCounters } from "./counters.ts";
import { compileConfiguration, decide as decideOnce } from "./evaluator.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import { compileProtectionContext } from "./protection-context.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const NONE = compileProtectionContext({ isAttackMode: false, bypasses: [] });

function limiting(rateLimit: Partial<RateLimit>, mitigation: Partial<Mitigation> = {}) {
  const full: RateLimit = { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"], ...rateLimit };
  return configurationOf({ rules: [ruleOf("rl", { action: "rate_limit", rateLimit: full, ...mitigation })] });
}

const from = (ip: string, parts: Partial<RequestAttributes> = {}): RequestAttributes => ({ url: "/", ip, ...parts });

describe("a fixed window", () => {
  it("begins at multiples of its length and allows `limit` requests", () => {
    const { decide } = evaluationOf(limiting({}));
    const base = 100 * MINUTE;
    assert.equal(decide(from("1.1.1.1"), base + 59_000).action, "allow");
    assert.equal(decide(from("1.1.1.1"), base + 59_500).action, "allow");
    assert.deepEqual(decide(from("1.1.1.1"), base + 59_999), {
      action: "rate_limit",
      status: 429,
      by: { phase: "rule", id: "rl", name: "rule rl" },
      logged: [],
      retryAfter: 1,
    });
    assert.equal(decide(from("2.2.2.2"), base + 59_999).action, "allow");
    assert.equal(decide(from("1.1.1.1"), base + MINUTE).action, "allow");
    assert.equal(decide(from("::ffff:1.1.1.1"), base + MINUTE).action, "allow");
    assert.equal(decide(from("1.1.1.1"), base + MINUTE + 1).retryAfter, 60);
    assert.equal(decide(from("1.1.1.1"), base + MINUTE + 30_000).retryAfter, 30);
  });

  it("counts the IPv6 addresses of one /64 as one client, and holds them as one", () => {
    const { decide } = evaluationOf(limiting({ limit: 1 }));
    assert.equal(decide(from("2001:db8:1:1::1")).action, "allow");
    assert.equal(decide(from("2001:db8:1:1:ffff::2")).action, "rate_limit");
    assert.equal(decide(from("2001:db8:1:2::1")).action, "allow");
    const rule = ruleOf("hold", { action: "deny", actionDuration: "1m" }, [{ type: "path", op: "eq", value: "/bad" }]);
    const held = evaluationOf(configurationOf({ rules: [rule] }));
    assert.equal(held.decide(from("2001:db8:1:1::1", { url: "/bad" })).action, "deny");
    assert.equal(held.decide(from("2001:db8:1:1::2")).action, "deny");
    assert.equal(held.decide(from("2001:db8:1:2::2")).action, "allow");
  });

  it("counts matching requests only", () => {
    const configuration = limiting({ limit: 1 });
    const rule = {
      ...configuration.rules[0],
      conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/a" }] }],
    };
    const { decide } = evaluationOf({ ...configuration, rules: [rule as never] });
    for (const _ of [1, 2, 3]) assert.equal(decide(from("1.1.1.1")).action, "allow");
    assert.equal(decide(from("1.1.1.1", { url: "/a" })).action, "allow");
    assert.equal(decide(from("1.1.1.1", { url: "/a" })).action, "rate_limit");
  });
});

describe("a token bucket", () => {
  it("is full at first and fills evenly", () => {
    const { decide } = evaluationOf(limiting({ algo: "token_bucket", window: 60, limit: 3 }));
    const actions = (...times: number[]) => times.map((now) => decide(from("1.1.1.1"), now).action);
    assert.deepEqual(actions(0, 0, 0, 0), ["allow", "allow", "allow", "rate_limit"]);
    assert.equal(decide(from("1.1.1.1"), 500).retryAfter, 20);
    assert.equal(decide(from("1.1.1.1"), 19_999).retryAfter, 1);
    assert.deepEqual(actions(20_000, 20_000), ["allow", "rate_limit"]);
    // Two thirds of a token remain after a whole one was taken.
    assert.deepEqual(actions(20_000 + 33_334), ["allow"]);
    assert.equal(decide(from("1.1.1.1"), 53_334).retryAfter, 7);
    assert.deepEqual(actions(60_000, 60_000), ["allow", "rate_limit"]);
    assert.deepEqual(actions(1e12, 1e12, 1e12, 1e12), ["allow", "allow", "allow", "rate_limit"]);
  });

  it("counts fractions of tokens exactly", () => {
    const { decide } = evaluationOf(limiting({ algo: "token_bucket", window: 10, limit: 7 }));
    for (let taken = 0; taken < 7; taken++) assert.equal(decide(from("1.1.1.1"), 0).action, "allow");
    // A token takes 10 000 / 7 ms; a request each millisecond must not lose any fraction.
    const passed: number[] = [];
    for (let now = 1; now <= 10_000; now++) if (decide(from("1.1.1.1"), now).action === "allow") passed.push(now);
    assert.deepEqual(passed, [1429, 2858, 4286, 5715, 7143, 8572, 10_000]);
  });
});

describe("a rate limit", () => {
  it("takes its own action when the limit is exceeded", () => {
    const exceeded = (action: RateLimit["action"], mitigation: Partial<Mitigation> = {}) => {
      const configuration = limiting({ limit: 1, ...(action !== undefined && { action }) }, mitigation);
      const { decide } = evaluationOf({
        ...configuration,
        rules: [...configuration.rules, ruleOf("next", { action: "deny" })],
      });
      assert.equal(outcomeOf(decide(from("1.1.1.1"))), "deny by next");
      return decide(from("1.1.1.1"));
    };
    for (const action of [undefined, null, "", "rate_limit"] as const) {
      assert.equal(exceeded(action).action, "rate_limit");
    }
    assert.deepEqual([exceeded("deny").action, exceeded("deny").retryAfter], ["deny", 60]);
    assert.equal(outcomeOf(exceeded("challenge")), "challenge by rl");
    assert.equal(outcomeOf(exceeded("bypass")), "bypass by rl");
    assert.deepEqual(exceeded("log").logged, [{ phase: "rule", id: "rl", name: "rule rl" }]);
    assert.equal(outcomeOf(exceeded("log", { actionDuration: "1h" })), "deny by next");
  });

  it("that is missing lets everything through, and one that belongs to another action is ignored", () => {
    const { explain } = evaluationOf(
      configurationOf({ rules: [ruleOf("rl", { action: "rate_limit", actionDuration: "1m" })] }),
    );
    const { decision, steps } = explain(from("1.1.1.1"));
    assert.deepEqual([decision.action, steps[0]?.outcome], ["allow", "under_limit"]);
    const { decide } = evaluationOf(limiting({ limit: 1, action: "log" }, { action: "deny" }));
    assert.equal(decide(from("1.1.1.1")).action, "deny");
  });

  it("counts by its keys, whatever their values contain", () => {
    const { decide } = evaluationOf(
      limiting({
        limit: 1,
        keys: ["header:A", "cookie:b", "query:c", "host", "path", "method", "user_agent", "nothing"],
      }),
    );
    const requests: RequestAttributes[] = [
      { url: "/" },
      { url: "/", headers: { a: "1" } },
      { url: "/", headers: { a: "11:" } },
      { url: "/", headers: { cookie: "b=1" } },
      { url: "/?c=1" },
      { url: "/?c=2&c=1" },
      { url: "http://h/" },
      { url: "/p" },
      { url: "/", method: "PUT" },
      { url: "/", headers: { "user-agent": "u" } },
      { url: "/", headers: { "user-agent": "U" } },
      { url: "/", headers: { a: "x".repeat(10_000) } },
      { url: "/", headers: { a: `${"x".repeat(9_999)}y` } },
      { url: "/", headers: { a: "\ud800".repeat(300) } },
      { url: "/", headers: { a: "\ud801".repeat(300) } },
    ];
    for (const attributes of requests) assert.equal(decide(attributes).action, "allow", JSON.stringify(attributes));
    for (const attributes of requests)
      assert.equal(decide(attributes).action, "rate_limit", JSON.stringify(attributes));
    assert.equal(decide({ url: "/", headers: { A: ["1", "2"] } }).action, "rate_limit");
  });
});

describe("holds", () => {
  it("begin when a rule matches, and later requests do not extend them", () => {
    const rule = ruleOf("hold", { action: "deny", actionDuration: "1m" }, [{ type: "path", op: "eq", value: "/bad" }]);
    const { decide } = evaluationOf(configurationOf({ rules: [ruleOf("log", undefined), rule] }));
    assert.equal(decide(from("1.1.1.1"), 0).action, "allow");
    const by = { phase: "rule", id: "hold", name: "rule hold" };
    const logged = [{ phase: "rule", id: "log", name: "rule log" }];
    const denied = { action: "deny", status: 403, by, logged };
    assert.deepEqual(decide(from("1.1.1.1", { url: "/bad" }), 500), { ...denied, retryAfter: 60 });
    assert.deepEqual(decide(from("1.1.1.1"), 30_000), { ...denied, retryAfter: 31, isHeld: true });
    assert.deepEqual(decide(from("1.1.1.1", { url: "/bad" }), 60_499), { ...denied, retryAfter: 1, isHeld: true });
    assert.equal(decide(from("2.2.2.2"), 30_000).action, "allow");
    assert.equal(decide(from("1.1.1.1"), 60_500).action, "allow");
    // A client with an unknown address is not held.
    assert.deepEqual(decide({ url: "/bad" }, 0), denied);
    assert.equal(decide({ url: "/" }, 1).action, "allow");
  });

  it("of a rate limit apply to its client, and outlast its window", () => {
    const { decide } = evaluationOf(
      limiting({ limit: 1, keys: ["header:k"], action: "challenge" }, { actionDuration: "5m" }),
    );
    const request = { url: "/", headers: { k: "1" } };
    assert.equal(decide(request, 0).action, "allow");
    assert.deepEqual([decide(request, 59_000).action, decide(request, 59_000).retryAfter], ["challenge", 300]);
    assert.equal(decide(request, 300_000).isHeld, true);
    assert.equal(decide({ url: "/", headers: { k: "2" } }, 300_000).action, "allow");
    assert.equal(decide(request, 359_000).action, "allow");
  });

  it("begin for the actions that hold, with a duration alone", () => {
    const rateLimit = (action: NonNullable<RateLimit["action"]>): Mitigation => ({
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 60, limit: 0, keys: ["ip"], action },
    });
    const redirect = { location: "/to", permanent: false };
    for (const [mitigation, isHolding] of [
      [{ action: "deny" }, true],
      [{ action: "challenge" }, true],
      [{ action: "redirect", redirect }, false],
      [{ action: "bypass" }, false],
      [{ action: "log" }, false],
      [rateLimit("deny"), true],
      [rateLimit("challenge"), true],
      [rateLimit("rate_limit"), true],
      [rateLimit("bypass"), false],
      [rateLimit("log"), false],
    ] as const) {
      const outcomes = [mitigation, { ...mitigation, actionDuration: "5m" } as const].map((mitigate) => {
        const counters = createCounters();
        const compiled = compileConfiguration(configurationOf({ rules: [ruleOf("one", mitigate)] }));
        decideOnce(compiled, NONE, from("1.1.1.1"), counters, 0);
        return [...counters.holdingRules()].length;
      });
      assert.deepEqual(outcomes, [0, Number(isHolding)], JSON.stringify(mitigation));
    }
  });

  it("and counts survive a change of the configuration that does not change the rule", () => {
    const counters = createCounters();
    const action = (configuration: Parameters<typeof compileConfiguration>[0]) =>
      decideOnce(compileConfiguration(configuration), NONE, from("1.1.1.1"), counters, 0).action;
    assert.equal(action(limiting({ limit: 2 })), "allow");
    assert.equal(action(limiting({ limit: 1 })), "rate_limit");
    assert.equal(action(limiting({ limit: 3 })), "allow");
    assert.equal(action(limiting({ limit: 3 })), "rate_limit");
    assert.equal(action(limiting({ limit: 3, keys: ["ip", "ja4"] })), "allow");
    assert.equal(action(limiting({ limit: 3, window: 61 })), "allow");
  });
});
