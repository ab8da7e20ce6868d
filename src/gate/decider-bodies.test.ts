// Which bodies the gate reads, and what it decides where it cannot read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, BROKEN, OPEN, ROLE, form, onPath, openGate } from "../../test/gate/decider-world.ts";
import { ruleOf } from "../../test/resources/evaluation.ts";
import type { Mitigation } from "../firewall/evaluator/config.ts";
import type { GateDecision } from "./decision.ts";

test("a body is read where a rule decides by it, and nowhere else", async () => {
  const { ask } = await openGate({
    rules: [
      ADMIN,
      ruleOf("api", { action: "deny" }, [onPath("/api"), { type: "body", key: "role", op: "eq", value: "admin" }]),
    ],
  });
  const [denied, guest, elsewhere] = [
    await ask("/api", form("role=admin")),
    await ask("/api", form("role=guest")),
    await ask("/other", form("role=admin")),
  ];
  assert.deepEqual([denied.said, guest.said, elsewhere.said], ["deny 403 api", "allow", "allow"]);
  assert.deepEqual([denied.isRead, guest.isRead, elsewhere.isRead], [true, true, false]);
  assert.equal((await ask("/api")).said, "allow", "without a way to read it");
});

test("a body that cannot be read is refused by the policy where a rule decides by it, and is said where it does not", async () => {
  const unread = [
    ["too_large", "body_too_large", undefined],
    ["already_read", "body_undecodable", "it was read before the gate"],
    [form("a=%00"), "body_nul", "a name or a value holds NUL"],
  ] as const;
  const logs = ruleOf("logs", { action: "log" }, [onPath("/logs"), { type: "body", key: "*", op: "ex" }]);
  const role = {
    ...ROLE,
    conditionGroup: [{ conditions: [onPath("/"), ...(ROLE.conditionGroup[0]?.conditions ?? [])] }],
  };
  for (const [body, reason, detail] of unread) {
    const closed = await openGate({ rules: [role, logs] });
    const refused = await closed.ask("/", body);
    assert.equal(refused.said, `deny 403 ${reason}`);
    assert.equal(refused.decision.detail, `${detail === undefined ? "" : `${detail}; `}the rule "rule role" reads it`);
    assert.equal(refused.decision.version, 3);
    const logged = await closed.ask("/logs", body);
    assert.deepEqual([logged.said, logged.decision.detail], [`allow ${reason}`, detail]);
    assert.equal(closed.bodiesReadBefore(), body === "already_read" ? 2 : 0);
    const open = await openGate({ rules: [role], policy: OPEN });
    assert.equal((await open.ask("/", body)).said, `allow ${reason}`);
    const detecting = await openGate({ rules: [role], isDetectOnly: true });
    assert.equal((await detecting.ask("/", body)).said, `allow ${reason} would=deny`);
  }
});

test("only a rule that does more than to log refuses a body that cannot be read", async () => {
  const limit = (action: "log" | "deny"): Mitigation => ({
    action: "rate_limit",
    rateLimit: { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"], action },
  });
  for (const [mitigate, said] of [
    [undefined, "allow body_too_large"],
    [{ action: "log" }, "allow body_too_large"],
    [limit("log"), "allow body_too_large"],
    [limit("deny"), "deny 403 body_too_large"],
    [{ ...limit("log"), action: "deny" }, "deny 403 body_too_large"],
    [{ action: "bypass" }, "deny 403 body_too_large"],
  ] as const) {
    const { ask } = await openGate({ rules: [ADMIN, { ...ROLE, action: mitigate ? { mitigate } : {} }] });
    assert.equal((await ask("/", "too_large")).said, said, JSON.stringify(mitigate));
  }
});

test("a body is read too when a rule fails before that would be known, and the rule does not apply", async () => {
  const broken = ruleOf("broken", { action: "log" }, [BROKEN, onPath("/never"), { type: "body", key: "a", op: "ex" }]);
  const { ask } = await openGate({ rules: [broken, ROLE] });
  assert.equal((await ask("/", form("role=admin"))).said, "deny 403 role");
  assert.equal((await ask("/", form("role=guest"))).said, "allow");
});

test("a body that takes too long fails where a rule reads it, and what is decided before stays decided", async (t) => {
  const { ask, decider, project, requestOf } = await openGate({ rules: [ADMIN, ROLE] });
  let now = 0;
  t.mock.method(performance, "now", () => now++);
  t.mock.method(process, "threadCpuUsage", () => ({ user: 30_000, system: 0 }));
  const body = form("a=some+text&".repeat(5_000));
  assert.equal((await ask("/", body)).said, "deny 403 too_slow");
  const { decision, said } = await ask("/admin", body);
  assert.equal(said, "deny 403 admin");
  t.mock.restoreAll();
  assert.ok(project.protection);
  const { steps } = decider.explain(project, project.protection, requestOf("/admin"), 0, decision.evidence);
  assert.deepEqual(
    steps.map(({ id, outcome }) => [id, outcome]),
    [
      ["admin", "matched"],
      ["role", "not_matched"],
    ],
  );
});

test("decoding may take its time of the processor, however long the machine puts the process aside", async (t) => {
  const { ask } = await openGate({ rules: [ROLE] });
  let now = 0;
  t.mock.method(performance, "now", () => now++);
  t.mock.method(process, "threadCpuUsage", () => ({ user: 0, system: 0 }));
  assert.equal((await ask("/", form(`role=admin&${"a=some+text&".repeat(5_000)}`))).said, "deny 403 role");
});

test("what was read of a body explains the decision afterwards", async () => {
  const { ask, decider, project, requestOf } = await openGate({ rules: [ROLE] });
  const { decision } = await ask("/", form("role=admin"));
  assert.ok(project.protection);
  const explain = (evidence: GateDecision["evidence"]) =>
    decider.explain(project, project.protection ?? assert.fail(), requestOf("/"), 0, evidence).decision.action;
  assert.deepEqual([explain(decision.evidence), explain(undefined)], ["deny", "allow"]);
});
