// The report: what it says of made-up measurements, and that docs/scaling.md shows the last run's figures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { growthOf } from "../../bench/costs.ts";
import type { Costs } from "../../bench/costs.ts";
import { reportPage } from "../../bench/report.ts";
import { fillScalingPage } from "../../bench/scaling.ts";
import { atLeast, atMost, finding, growthFindings, isReached, rateFinding, rowOfSamples } from "../../bench/table.ts";
import type { Table } from "../../bench/table.ts";

const sample = (perSecond: number) => ({ perSecond, p50Ms: 1, p99Ms: 2, cpuUs: 30 });
const rows = [
  rowOfSamples("Ours, large", [sample(90), sample(100), sample(110)]),
  rowOfSamples("Theirs, large", [sample(200), sample(150), sample(250)]),
  rowOfSamples("Absent, large", []),
];
const TABLE: Table = {
  title: "A call | two sides",
  unit: "requests/s",
  rows,
  findings: [
    rateFinding(rows, "ours / theirs", "Ours, large", "Theirs, large", atLeast(0.9)),
    rateFinding(rows, "ours / absent", "Ours, large", "Absent, large", atLeast(2)),
    finding("small enough", 3, atMost(4), "MB"),
  ],
  notes: ["Absent could not be installed: no network"],
};

test("rows have the median of the rounds and how far they spread", () => {
  const [ours] = rows;
  assert.deepEqual([ours?.median, ours?.lowest, ours?.highest, ours?.cpuUs], [100, 90, 110, 30]);
});

test("goals are reached, missed or not measured", () => {
  const [lost, , small] = TABLE.findings;
  assert.equal(lost?.value, 0.5);
  assert.deepEqual(TABLE.findings.map(isReached), [false, undefined, true]);
  assert.equal(small?.unit, "MB");
});

test("what sets a large store beside a small one is known by what it is, whatever it is called", () => {
  const goal = atMost(1.2);
  const findings = [
    finding("10 stored / 1 stored, p50", 1),
    ...growthFindings(rows, "x", "Ours, large", "Theirs, large", goal),
  ];
  assert.deepEqual(growthOf([TABLE, { ...TABLE, findings }]), [
    { title: TABLE.title, label: "x, p50", value: 1, goal },
    { title: TABLE.title, label: "x, CPU", value: 1, goal },
  ]);
});

test("the report has every table, what it misses and what failed", () => {
  const page = reportPage(
    [{ name: "machine", value: "2 cores" }],
    [
      { name: "calls", seconds: 12, tables: [TABLE] },
      { name: "broken", seconds: 1, tables: [], failure: "no answer on port 1" },
    ],
  );
  for (const expected of [
    "| machine | 2 cores |",
    "1 of 3 are reached.",
    "0.50     | >= 0.9: MISSED",
    ">= 2: not measured",
    "100 (90..110)",
    "### A call | two sides",
    "Absent could not be installed: no network",
    "This part failed: no answer on port 1",
  ]) {
    assert.ok(page.includes(expected), `${expected} is missing in\n${page}`);
  }
  assert.match(page, /ours \/ theirs *\| 0\.50 /);
});

test("docs/scaling.md shows the figures of bench/costs.json", () => {
  const costs = JSON.parse(readFileSync("bench/costs.json", "utf8")) as Costs;
  const page = readFileSync("docs/scaling.md", "utf8");
  assert.equal(fillScalingPage(page, costs), page, "docs/scaling.md is stale; run: npm run simulate -- --fill");
});
