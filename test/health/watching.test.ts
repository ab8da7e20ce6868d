// The dashboard and the alert rules that Reeve ships: they are complete, and use metrics that a server exposes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parse } from "yaml";
import { METRICS } from "../../src/platform/kernel/telemetry/metric-list.ts";
import type { Metric } from "../../src/platform/kernel/telemetry/metric-list.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { parseMetrics } from "./metrics-text.ts";

const { request } = await startOwnApp();
const { types } = parseMetrics((await request("GET", "/metrics", { token: null })).text);
/** Labels and metrics that Prometheus adds itself. */
const OF_PROMETHEUS = new Set(["up"]);

const LABELS = new Set([
  ...Object.values<Metric>(METRICS).flatMap(({ labels = [] }) => labels),
  "job",
  "instance",
  "le",
]);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

interface Dashboard {
  readonly title: string;
  readonly uid: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

function readDeployed(name: string): string {
  return readFileSync(new URL(`../../deploy/${name}`, import.meta.url), "utf8");
}

/** Metrics and labels that a PromQL expression uses, without strings and functions. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const bare = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const matchers = [...bare.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = ""]) => inner.match(/\w+(?=\s*[=!])/g) ?? []);
  const groups = [...bare.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)].flatMap(
    ([, inner = ""]) => inner.match(/\w+/g) ?? [],
  );
  const rest = bare.replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, " ").replaceAll(/\b(?:by|on|without|ignoring) \([^)]*\)/g, " ");
  const names = rest.match(/\b[a-z_][a-z0-9_]*\b(?!\s*\()/gi) ?? [];
  const keywords = new Set(["and", "or", "unless", "by", "on", "without", "ignoring", "bool", "offset"]);
  return {
    metrics: names.filter((name) => !keywords.has(name) && !/^e\d+$/.test(name)),
    labels: [...matchers, ...groups],
  };
}

function isShown(name: string): boolean {
  if (OF_PROMETHEUS.has(name)) return true;
  const base = name.replace(/_(?:bucket|sum|count)$/, "");
  return base === name ? types.has(name) && types.get(name) !== "histogram" : types.get(base) === "histogram";
}

function unknownNames(expr: string): string[] {
  const { metrics, labels } = namesIn(expr);
  assert.ok(metrics.length > 0, expr);
  return [...metrics.filter((name) => !isShown(name)), ...labels.filter((label) => !LABELS.has(label))];
}

test("expressions are parsed correctly", () => {
  assert.deepEqual(
    namesIn('topk(3, sum by (le, code) (rate(a_total{code="b_c",job=~"$job"}[5m]))) > 1e9 and on (instance) d == 0'),
    { metrics: ["a_total", "d"], labels: ["code", "job", "le", "code", "instance"] },
  );
});

const dashboard = JSON.parse(readDeployed("grafana-dashboard.json")) as Dashboard;
const panels = dashboard.panels.filter(({ type }) => type !== "row");

test("the dashboard has what Grafana requires, and can be imported for any data source", () => {
  assert.ok(dashboard.schemaVersion >= 36);
  assert.match(dashboard.uid, /^[\w-]{1,40}$/);
  assert.ok(dashboard.title);
  const ids = dashboard.panels.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(dashboard.templating.list.find(({ name }) => name === "datasource")?.type, "datasource");
  for (const { title, datasource, gridPos, targets = [] } of panels) {
    assert.deepEqual(datasource, { type: "prometheus", uid: "${datasource}" }, title);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
    assert.ok(targets.length > 0, title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
  }
});

test("no panel overlaps another one", () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  assert.equal(new Set(cells).size, cells.length);
});

test("every metric and label of a panel exists", () => {
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) assert.deepEqual(unknownNames(expr), [], `${title}: ${expr}`);
  }
});

test("the dashboard shows every metric of Reeve's", () => {
  const all = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
  const left = Object.values<Metric>(METRICS).filter(({ name }) => !all.includes(name));
  assert.deepEqual(
    left.map(({ name }) => name),
    // The same for as long as a process runs, and shown by none but the one who upgrades; and told with the mail's number.
    ["reeve_store_schema_version", "reeve_mails_oldest_due_age_seconds"],
  );
});

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

test("every alert rule is complete, and every metric and label of it exists", () => {
  const { groups } = parse(readDeployed("prometheus-alerts.yml")) as { groups: { name: string; rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  assert.ok(rules.length >= 10);
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, expr, for: time, labels, annotations } of rules) {
    assert.match(alert, /^Reeve[A-Z]\w+$/);
    assert.match(time, /^\d+[mh]$/, alert);
    assert.ok(["page", "ticket"].includes(labels.severity), alert);
    assert.ok(annotations.summary.length > 0, alert);
    assert.deepEqual(unknownNames(expr), [], `${alert}: ${expr}`);
    for (const [, label = ""] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) assert.ok(LABELS.has(label), alert);
  }
});
