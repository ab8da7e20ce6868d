// What the gate decides about a request and tells its observer, no matter who carries the request: by rules, by policies and by counts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ADMIN,
  BROKEN,
  CLOSED,
  OPEN,
  WATCH,
  form,
  limited,
  onPath,
  openGate,
  wordsOf,
} from "../../test/gate/decider-world.ts";
import { ruleOf } from "../../test/resources/evaluation.ts";
import type { Condition } from "../firewall/evaluator/config.ts";
import type { CounterStore } from "./counters/counter-store.ts";

describe("a decision", () => {
  it("names its step and its version, and is told once with the time that it took", async () => {
    const { ask, told, decider, requestOf } = await openGate();
    const startedAt = performance.now();
    const [refused, passed] = [(await ask("/admin")).decision, (await ask("/watch")).decision];
    const longest = performance.now() - startedAt;
    const { id, evidence, ...rest } = refused;
    assert.ok(evidence && id !== passed.id);
    assert.deepEqual(rest, {
      action: "deny",
      status: 403,
      by: { phase: "rule", id: "admin", name: "rule admin" },
      version: 3,
      reason: null,
      wouldBe: null,
      location: null,
      retryAfter: null,
      logged: [],
    });
    assert.deepEqual([passed.action, passed.status, passed.logged[0]?.id], ["allow", null, "watch"]);
    assert.deepEqual(
      told.map(([project, target, decision]) => [project, target, decision]),
      [
        ["acme/shop", "/admin", refused],
        ["acme/shop", "/watch", passed],
      ],
    );
    const unknown = await decider.decide(requestOf("/", "other.test"));
    const unreadable = decider.refuseUnreadable(414);
    assert.deepEqual([wordsOf(unknown), wordsOf(unreadable)], ["deny 403 unknown_host", "deny 414 bad_request"]);
    assert.deepEqual(told.slice(2), [
      [null, "/", unknown, told[2]?.[3]],
      [null, null, unreadable, 0],
    ]);
    for (const [, , , tookMs] of told.slice(0, 2)) assert.ok(tookMs >= 0 && tookMs <= longest, String(tookMs));
  });

  it("without a bundle has the outcome of the policy, and is a refusal where that is a mistake", async () => {
    for (const [policy, said] of [
      [CLOSED, "deny 403 no_bundle"],
      [OPEN, "allow no_bundle"],
    ] as const) {
      const { ask, project, decider, requestOf } = await openGate({ rules: null, policy });
      const { isRead, ...asked } = await ask("/", form("role=admin"));
      assert.deepEqual([asked.said, asked.decision.version, isRead], [said, null, false]);
      const counted = await decider.checkRateLimit(requestOf("/"), "login");
      assert.equal(counted && wordsOf(counted), said);
      project.problem = { kind: "outage", message: "away" };
      assert.equal((await ask("/")).said, said);
      project.problem = { kind: "mistake", message: "", setting: "", expected: "", got: "" };
      assert.equal((await ask("/")).said, "deny 403 no_bundle");
    }
  });

  it("that fails has the outcome of the policy, and the error is told", async () => {
    for (const [policy, said] of [
      [CLOSED, "deny 403 error"],
      [OPEN, "allow error"],
    ] as const) {
      const { ask, failed } = await openGate({ rules: [ADMIN, ruleOf("broken", { action: "log" }, [BROKEN])], policy });
      assert.equal((await ask("/admin")).said, "deny 403 admin");
      const { decision, said: found } = await ask("/");
      assert.deepEqual([found, decision.version, failed.map(String)], [said, 3, [String(failed[0])]]);
      assert.match(String(failed[0]), /^PatternError: expected an RE2 expression/);
    }
  });

  it("that takes too long has it as well", async (t) => {
    const slow = ruleOf(
      "slow",
      { action: "log" },
      Array.from({ length: 80 }, () => onPath("/slow")),
    );
    const { ask } = await openGate({ rules: [slow] });
    let now = 0;
    t.mock.method(performance, "now", () => now++);
    assert.equal((await ask("/slow")).said, "deny 403 too_slow");
    assert.equal((await ask("/")).said, "allow");
  });

  it("is only recorded in detect only, and one that lets a request through stays as it is", async () => {
    const rules = [ADMIN, WATCH, ruleOf("broken", { action: "log" }, [onPath("/broken"), BROKEN])];
    const { ask, told } = await openGate({ rules, isDetectOnly: true });
    assert.equal((await ask("/admin")).said, "allow admin detect_only would=deny");
    assert.equal((await ask("/broken")).said, "allow error would=deny");
    assert.equal((await ask("/")).said, "allow");
    assert.deepEqual(
      told.map(([, , decision]) => decision.status),
      [null, null, null],
    );
  });
});

describe("a count", () => {
  const UP: CounterStore = {
    isUp: true,
    problem: null,
    count: async (_scope, queries) => queries.map(() => ({ isExceeded: true, waitMs: 1_500, count: 2 })),
    publish() {},
    spend: async () => null,
  };

  it("in the store decides and is told when it is there, and without the store the decision says so", async () => {
    const rules = [ADMIN, limited("limit", { type: "path", op: "ex" })];
    const { decider, requestOf, told, failed } = await openGate({ rules, store: UP });
    const pending = decider.decide(requestOf("/"));
    assert.ok(pending instanceof Promise);
    assert.equal(told.length, 0);
    const decision = await pending;
    assert.deepEqual([wordsOf(decision), decision.retryAfter], ["rate_limit 429 limit", 2]);
    assert.deepEqual([told.map(([, , one]) => one), failed], [[decision], []]);
    assert.ok(!(decider.decide(requestOf("/admin")) instanceof Promise), "nothing is counted");
    const alone = await openGate({ rules, store: { ...UP, isUp: false } });
    assert.equal((await alone.ask("/")).said, "allow local_counters");
    assert.equal((await alone.ask("/")).said, "rate_limit 429 limit local_counters");
    const failing = await openGate({ rules, store: { ...UP, count: () => Promise.reject(new Error("bug")) } });
    assert.equal((await failing.ask("/")).said, "deny 403 error");
  });

  it("that an application asks for by id is told when it refuses or logs, and none is made for other ids", async () => {
    const named = (value: string): Condition => ({ type: "rate_limit_api_id", op: "eq", value });
    const rules = [limited("limit", named("login")), ruleOf("note", { action: "log" }, [named("note")])];
    for (const store of [null, UP]) {
      const { decider, requestOf, told } = await openGate({ rules, store });
      const check = async (id: string, host?: string) => {
        const decision = await decider.checkRateLimit(requestOf("/", host), id);
        return decision && wordsOf(decision);
      };
      assert.deepEqual([await check("other"), await check("login", "other.test")], [null, null]);
      assert.equal(await check("login"), store ? "rate_limit 429 limit" : "allow");
      assert.equal(told.length, store ? 1 : 0);
      const startedAt = performance.now();
      assert.equal(await check("login"), "rate_limit 429 limit");
      assert.equal(await check("note"), "allow");
      const longest = performance.now() - startedAt;
      assert.deepEqual(
        told.slice(-2).map(([, , { by, logged }]) => [by?.id, ...logged.map(({ id }) => id)]),
        [["limit"], [undefined, "note"]],
      );
      for (const [, , , tookMs] of told.slice(-2)) assert.ok(tookMs >= 0 && tookMs <= longest, String(tookMs));
    }
  });
});
