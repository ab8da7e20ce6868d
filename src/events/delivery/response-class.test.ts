import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { nextTryAt } from "./delivery-schedule.ts";
import type { ErrorStage } from "../../platform/egress/egress-error.ts";
import { classify } from "./response-class.ts";

const NOW = Date.UTC(2030, 0, 1);
const LAST = 10;

function classifyResponse(status: number, headers: Record<string, string> = {}, tries = 1) {
  return classify({ durationMs: 1, response: { status, headers, body: "", isTruncated: false } }, tries, NOW, 0);
}
function classifyError(stage: ErrorStage, tries = 1) {
  return classify({ durationMs: 1, error: { stage, message: "" } }, tries, NOW, 0);
}

const RETRIED = { state: "pending", dueAt: NOW + 5 * SECOND_MS, health: "bad", isGone: false, pauseUntil: null };
const FAILED = { state: "failed", dueAt: null, health: "bad", isGone: false, pauseUntil: null };

test("a 2xx status is a success, whatever its headers are; every other status but 410 is retried, and fails with the last attempt", () => {
  for (let status = 200; status < 600; status++) {
    const abort = status < 300 ? { "webhook-delivery": "abort-message", "retry-after": "100" } : {};
    const classification = classifyResponse(status, abort);
    if (status < 300)
      assert.deepEqual(classification, { ...FAILED, state: "delivered", health: "good" }, String(status));
    else assert.deepEqual(classification, status === 410 ? { ...FAILED, isGone: true } : RETRIED, String(status));
    if (status >= 300 && status !== 410) assert.deepEqual(classifyResponse(status, {}, LAST), FAILED);
  }
});

test("an attempt without a response is retried, for whatever reason there is none", () => {
  for (const stage of ["refused", "dns", "connect", "tls", "send", "response", "timeout"] as const) {
    assert.deepEqual(classifyError(stage), RETRIED, stage);
    assert.deepEqual(classifyError(stage, LAST), FAILED, stage);
  }
});

test("a receiver can end a delivery, which does not count as a failure of the receiver", () => {
  for (const status of [301, 400, 429, 500]) {
    for (const text of ["abort-message", " Abort-Message "]) {
      assert.deepEqual(classifyResponse(status, { "webhook-delivery": text }), { ...FAILED, health: "unknown" });
    }
    assert.deepEqual(classifyResponse(status, { "webhook-delivery": "later" }), RETRIED);
  }
  assert.equal(classifyResponse(410, { "webhook-delivery": "abort-message" }).isGone, true);
});

test("Retry-After delays the delivery by seconds or to a date, and pauses an overloaded receiver as a whole", () => {
  const date = new Date(NOW + 90 * SECOND_MS).toUTCString();
  for (const text of ["90", " 90 ", date]) {
    const until = NOW + 90 * SECOND_MS;
    assert.deepEqual(
      classifyResponse(429, { "retry-after": text }),
      { ...RETRIED, dueAt: until, pauseUntil: until },
      text,
    );
    assert.deepEqual(classifyResponse(500, { "retry-after": text }), { ...RETRIED, dueAt: until }, text);
    assert.deepEqual(classifyResponse(503, { "retry-after": text }, LAST), { ...FAILED, pauseUntil: until }, text);
  }
  const past = new Date(NOW - SECOND_MS).toUTCString();
  for (const text of ["0", "-5", "1.5", "3600.5", "soon", "", "2027-01-01", "1 Jan 2027", past]) {
    assert.deepEqual(classifyResponse(429, { "retry-after": text }), RETRIED, text);
  }
  for (const text of ["999999999", "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    const long = classifyResponse(429, { "retry-after": text });
    assert.deepEqual([long.dueAt, long.pauseUntil], [NOW + DAY_MS, NOW + HOUR_MS], text);
  }
});

test("after any response a delivery ends or is due again, neither before its schedule nor long after the time that was asked for", () => {
  const wait = fc.oneof(
    fc.nat({ max: 10 ** 9 }).map(String),
    fc.date({ noInvalidDate: true }).map(String),
    fc.string(),
  );
  const given = fc.record({
    status: fc.integer({ min: 200, max: 999 }),
    wait,
    tries: fc.integer({ min: 1, max: 12 }),
    random: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(given, ({ status, wait: text, tries, random }) => {
      const headers = { "retry-after": text };
      const response = { status, headers, body: "", isTruncated: false };
      const { state, dueAt, pauseUntil } = classify({ durationMs: 1, response }, tries, NOW, random);
      assert.equal(state === "pending", dueAt !== null);
      assert.ok(pauseUntil === null || (pauseUntil > NOW && pauseUntil <= NOW + HOUR_MS));
      const scheduled = nextTryAt(tries, NOW, random);
      if (dueAt === null) return;
      assert.ok(scheduled !== null && dueAt >= scheduled && dueAt <= Math.max(scheduled, NOW + DAY_MS));
    }),
  );
});
