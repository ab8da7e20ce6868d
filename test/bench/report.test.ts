// The report: what it says of made-up measurements, and that docs/scaling.md shows the last run's figures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { growthOf } from "../../bench/costs.ts";
import type { Costs } from "../../bench/costs.ts";
import { reportPage } from "../../bench/report.ts";
import { fillScalingPage } from "../../bench/scaling.ts";
import { atLeast, atMost, cpuFinding, finding, growthFindings, latencyFinding } from "../../bench/table.ts";
import { isReached, rateFinding, rowOfSamples } from "../../bench/table.ts";
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
  const goal = atMost(1.15);
  const findings = [
    finding("10 stored / 1 stored, p50", 1),
    ...growthFindings(rows, "x", "Ours, large", "Theirs, large", goal),
  ];
  assert.deepEqual(growthOf([TABLE, { ...TABLE, findings }]), [
    { title: TABLE.title, label: "x, p50", value: 1 },
    { title: TABLE.title, label: "x, CPU", value: 1, goal },
  ]);
});

test("a goal for two servers is reached when each keeps to its part", () => {
  const samples = [{ ...sample(10), databaseCpuUs: 40 }];
  const measured = [rowOfSamples("create", samples)];
  assert.deepEqual(
    [
      cpuFinding(measured, "create", 30, 40),
      cpuFinding(measured, "create", 30, 39),
      cpuFinding(measured, "create", 29, 40),
    ].map(isReached),
    [true, false, false],
  );
  assert.equal(isReached(cpuFinding([rowOfSamples("create", [sample(10)])], "create", 30, 40)), undefined);
});

const part = (name: string, isLeading: boolean, tables: readonly Table[]) => ({ name, seconds: 12, isLeading, tables });

test("the report has every table, what it misses and what failed", () => {
  const page = reportPage(
    [{ name: "machine", value: "2 cores" }],
    [part("calls", true, [TABLE]), { ...part("broken", false, []), failure: "no answer on port 1" }],
  );
  for (const expected of [
    "| machine | 2 cores |",
    "1 of 3 are reached.",
    "0.50     | >= 0.9: MISSED",
    ">= 2: not measured",
    "100 (90..110)",
    "### A call | two sides",
    "Absent could not be installed: no network",
    "The part broken failed.",
    "This part failed: no answer on port 1",
  ]) {
    assert.ok(page.includes(expected), `${expected} is missing in\n${page}`);
  }
  assert.match(page, /ours \/ theirs *\| 0\.50 *\| Theirs, large \|/);
});

test("the first page has 25 goals and the leading tables, and names what the appendix misses", () => {
  const goals = (count: number, value: number, label: string) =>
    Array.from({ length: count }, (_, at) => finding(`${label} ${at}`, value, atMost(4), "ms"));
  const table = (title: string, findings: Table["findings"]): Table => ({ ...TABLE, title, findings });
  const page = reportPage(
    [],
    [
      part("last", false, [table("Another", goals(20, 3, "kept"))]),
      part("first", true, [table("The mix", goals(5, 5, "lost"))]),
      part("more", false, [table("A third", [...goals(1, 3, "small"), ...goals(1, 9, "large")])]),
    ],
  );
  const [first = "", appendix = ""] = page.split("# Appendix");
  assert.ok(first.includes("20 of 25 are reached."));
  assert.ok(first.includes("Of the others, in the appendix, 1 of 2 are reached."));
  assert.ok(first.includes("- more: large 0, 9.00 ms (<= 4: MISSED)"));
  assert.equal(first.includes("small 0"), false);
  assert.deepEqual([first.includes("### The mix"), first.includes("### Another")], [true, false]);
  assert.deepEqual([appendix.includes("### The mix"), appendix.includes("### Another")], [false, true]);
});

test("docs/scaling.md shows the figures of bench/costs.json", () => {
  const costs = JSON.parse(readFileSync("bench/costs.json", "utf8")) as Costs;
  const page = readFileSync("docs/scaling.md", "utf8");
  assert.equal(fillScalingPage(page, costs), page, "docs/scaling.md is stale; run: npm run simulate -- --fill");
});

test("a time in a large store may grow as far as its ratio, or a number of milliseconds, allows", () => {
  const timed = (name: string, p50Ms: number) => rowOfSamples(name, [{ ...sample(10), p50Ms }]);
  const measured = [timed("small", 10), timed("alike", 11), timed("short", 20), timed("long", 21)];
  const findings = ["alike", "short", "long"].map((name) => latencyFinding(measured, name, name, "small", 1.15, 20));
  assert.deepEqual(findings.map(isReached), [true, true, false]);
  const page = reportPage([], [part("growth", true, [{ ...TABLE, findings }])]);
  assert.match(page, /long *\| 2\.10 \(21\.00 ms\) *\| <= 1\.15 or 20 ms: MISSED/);
});
