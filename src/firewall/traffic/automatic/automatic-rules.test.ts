import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { describeFinding, judge, lastUnusual, learnUsual } from "./automatic-rules.ts";
import type { Figures, History, Measure, Minute } from "./automatic-rules.ts";

const NOW = Date.UTC(2030, 0, 10);
const QUIET: Omit<Minute, "minute"> = { requests: 0, responses: 0, errors: 0, latency: null };

/** What is known after these minutes, with so many of them in attack mode. */
function historyOf(some: readonly Minute[], inMode = 0): History {
  const firstOf = (has: (minute: Minute) => boolean) => some.find(has)?.minute ?? null;
  const highest = (measure: Measure) =>
    some.filter((minute) => minute[measure]).toSorted((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0));
  return {
    end: NOW,
    requestsSince: firstOf(({ requests }) => requests > 0),
    responsesSince: firstOf(({ responses }) => responses > 0),
    inModeOfRequests: inMode,
    inModeOfResponses: inMode,
    highest: { requests: highest("requests"), errors: highest("errors"), latency: highest("latency") },
    measured: some.filter(({ latency }) => latency !== null).length,
  };
}

/** The minutes of the last `ms`, the oldest first. */
function minutes(ms: number, figures: (at: number) => Partial<Minute>): Minute[] {
  return Array.from({ length: ms / MINUTE_MS }, (_, at) => ({
    ...QUIET,
    minute: NOW - ms + at * MINUTE_MS,
    ...figures(at),
  }));
}

const NOTHING: Figures = { requests: null, errors: null, latency: null };
const at = (figures: Partial<Minute>): Minute => ({ ...QUIET, minute: NOW, ...figures });

test("usual is what all but one in twenty minutes do not exceed", () => {
  const known = historyOf(
    minutes(2 * DAY_MS, (index) => ({ requests: index % 20 === 0 ? 9_000 : 100 + (index % 20) })),
  );
  const { since, figures } = learnUsual(known);
  assert.deepEqual([since, figures], [NOW - 2 * DAY_MS, { ...NOTHING, requests: 119 }]);
  assert.deepEqual(lastUnusual(known, figures), {
    minute: NOW - 20 * MINUTE_MS,
    measure: "requests",
    measured: 9_000,
    usual: 119,
    limit: 1_000,
  });
});

test("minutes without requests count, and those in attack mode do not", () => {
  const rare = minutes(2 * DAY_MS, (index) => ({ requests: index % 50 === 0 ? 500 : 0 }));
  assert.equal(learnUsual(historyOf(rare)).figures.requests, 0);
  const busy = minutes(DAY_MS, (index) => ({ requests: index % 15 === 0 ? 500 : 0 }));
  assert.equal(learnUsual(historyOf(busy)).figures.requests, 500);
  assert.equal(learnUsual(historyOf(rare, 0.9 * rare.length)).figures.requests, 500);
});

test("before a day is known nothing is", () => {
  const answered = (ms: number) =>
    historyOf(minutes(ms, () => ({ requests: 5, responses: 5, errors: 1, latency: 40 })));
  assert.deepEqual(learnUsual(historyOf([])), { since: null, figures: NOTHING });
  assert.deepEqual(learnUsual(answered(23 * HOUR_MS)), { since: NOW - 23 * HOUR_MS, figures: NOTHING });
  assert.deepEqual(learnUsual(answered(DAY_MS)).figures, { requests: 5, errors: 1, latency: 40 });
});

test("errors and latency are learned from the time on in which somebody saw responses", () => {
  const from = DAY_MS / MINUTE_MS;
  const late = minutes(2 * DAY_MS, (index) => ({
    requests: 5,
    ...(index > from && { responses: 5, errors: 2, latency: 9 }),
  }));
  assert.deepEqual(learnUsual(historyOf(late)).figures, { ...NOTHING, requests: 5 });
  const few = minutes(DAY_MS, (index) => ({ responses: 5, ...(index < 59 && { latency: 9 }) }));
  assert.deepEqual(learnUsual(historyOf(few)).figures, { requests: null, errors: 0, latency: null });
});

test("a minute is unusual above four times of what is usual, and above a floor", () => {
  const usual = { requests: 1_000, errors: 100, latency: 500 };
  assert.equal(judge(at({ requests: 4_000, responses: 400, errors: 400, latency: 2_000 }), usual), null);
  const found = judge(at({ requests: 4_001 }), usual);
  assert.deepEqual(found, { minute: NOW, measure: "requests", measured: 4_001, usual: 1_000, limit: 4_000 });
  assert.equal(judge(at({ responses: 401, errors: 401 }), usual)?.measure, "errors");
  assert.equal(judge(at({ latency: 2_001 }), usual)?.measure, "latency");
  const small = { requests: 3, errors: 0, latency: 20 };
  assert.equal(judge(at({ requests: 1_000, responses: 100, errors: 100, latency: 1_000 }), small), null);
  assert.deepEqual(
    [{ requests: 1_001 }, { responses: 101, errors: 101 }, { latency: 1_001 }].map(
      (figures) => judge(at(figures), small)?.measure,
    ),
    ["requests", "errors", "latency"],
  );
});

test("errors below a twentieth of the responses are no trouble, and what is not known is not judged", () => {
  const usual = { requests: null, errors: 0, latency: null };
  assert.equal(judge(at({ responses: 10_000, errors: 500 }), usual), null);
  assert.equal(judge(at({ responses: 10_000, errors: 501 }), usual)?.limit, 500);
  assert.equal(judge(at({ requests: 1e9, latency: 1e6 }), usual), null);
  assert.equal(judge(at({ requests: 1e9, responses: 1e9, errors: 1e9 }), NOTHING), null);
});

test("half of a limit is calm", () => {
  const usual = { ...NOTHING, requests: 1_000 };
  assert.equal(judge(at({ requests: 2_000 }), usual, 0.5), null);
  assert.equal(judge(at({ requests: 2_001 }), usual, 0.5)?.limit, 2_000);
});

test("a finding is said in words", () => {
  const finding = { minute: NOW, measured: 5_000, usual: 100, limit: 1_000 };
  assert.deepEqual(
    (["requests", "errors", "latency"] as const).map((measure) => describeFinding({ ...finding, measure })),
    [
      "5000 requests came in a minute, and 100 are usual at most",
      "5000 responses in a minute were errors, and 100 are usual at most",
      "one in twenty responses took more than 5000 ms, and 100 ms are usual",
    ],
  );
});
