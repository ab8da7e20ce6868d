import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../firewall/evaluator/decision.ts";
import type { GateDecision } from "../decision.ts";
import { sampleOf } from "./sample.ts";

const decision: GateDecision = {
  id: "decision",
  action: "deny",
  status: 403,
  by: { phase: "rule", id: "rule_999", name: "Last" },
  version: 1,
  reason: null,
  wouldBe: null,
  location: null,
  retryAfter: null,
  logged: [],
};

function stepOf(at: number, isMatch: boolean, conditions = 3): Step {
  const condition = { type: "path", op: "pre", neg: false, actual: ["/"], expected: "/x".repeat(40), holds: isMatch };
  return {
    phase: "rule",
    id: `rule_${at}`,
    name: `Rule ${at}`,
    outcome: isMatch ? "matched" : "not_matched",
    action: "deny",
    groups: [{ matches: isMatch, conditions: Array.from({ length: conditions }, () => condition) }],
  };
}

const request = (more: object = {}) => ({
  method: "GET",
  scheme: "https" as const,
  host: "Shop.test:8443",
  target: "/",
  headers: {},
  ip: "203.0.113.7",
  ...more,
});

test("a sample of any request and configuration is small, and has the step that decided", () => {
  const headers = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`x-${"ä".repeat(50)}-${at}`, "ü ".repeat(4_000)]),
  );
  const steps = [...Array.from({ length: 999 }, (_, at) => stepOf(at, false)), stepOf(999, true, 500)];
  const sample = sampleOf(
    request({ headers: { ...headers, "user-agent": "ö ".repeat(8_000) }, target: `/?q=${"%20 ".repeat(5_000)}` }),
    {
      ...decision,
      logged: Array.from({ length: 50 }, () => ({ phase: "rule", id: "rule_1", name: "日".repeat(200) })),
    },
    0,
    steps,
  );
  assert.ok(Buffer.byteLength(JSON.stringify(sample)) < 24_576);
  const { steps: kept, omittedSteps } = sample;
  assert.equal(kept?.at(-1)?.id, "rule_999");
  assert.ok((kept?.length ?? 0) > 5);
  assert.equal((kept?.length ?? 0) + omittedSteps, 1_000);
  assert.equal(sample.host, "shop.test");
});

test("the address of a client that was let through without a match is left out", () => {
  const open = { ...decision, action: "allow", status: null, by: null, reason: "no_bundle" } as const;
  assert.equal(sampleOf(request(), open, 0, null).ip, null);
  assert.equal(sampleOf(request(), { ...open, reason: "detect_only", wouldBe: "deny" }, 0, null).ip, "203.0.113.7");
  assert.equal(sampleOf(request(), decision, 0, null).ip, "203.0.113.7");
});

test("a header of several values has each of them, and those of proxies are left out", () => {
  const headers = { "x-a": ["1", "2"], "x-forwarded-for": "203.0.113.7", accept: "*/*" };
  assert.deepEqual(sampleOf(request({ headers }), decision, 0, null).headers, [
    { name: "x-a", value: "1" },
    { name: "x-a", value: "2" },
    { name: "accept", value: "*/*" },
  ]);
});

test("credentials do not leave the gate: in headers, the target, or the steps that compared them", () => {
  const headers = { authorization: "sword-fish", cookie: "a=sword-fish", "user-agent": "sword-fish" };
  const condition = { type: "header", op: "ex", neg: false, key: "x-copy", actual: ["sword-fish"], holds: true };
  const step = { ...stepOf(0, true), groups: [{ matches: true, conditions: [condition] }] };
  const sample = sampleOf(request({ headers, target: "/?token=sword-fish&page=2" }), decision, 0, [step]);
  assert.ok(!JSON.stringify(sample).includes("fish"), JSON.stringify(sample));
  assert.equal(sample.target, "/?token=[redacted]&page=2");
  assert.deepEqual(sample.steps?.[0]?.groups?.[0]?.conditions[0]?.actual, ["[redacted]"]);
});
