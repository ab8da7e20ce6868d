// Runs the alert rules, by Prometheus' own promtool, on what a real server showed while something was wrong: its metrics go on for hours
// as they were recorded.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { isWriting, readTable, writeTable } from "../../harness/recorded-table.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { parseMetrics } from "../../health/metrics-text.ts";
import type { Exposition } from "../../health/metrics-text.ts";

const RULES = fileURLToPath(new URL("../../../deploy/prometheus-alerts.yml", import.meta.url));
/** Of Reeve without a fault, and then with it. */
const HEALTHY_MINUTES = 60;
const FAULTY_MINUTES = 120;
/** Gauges that grow for as long as a fault lasts; other gauges stay as they are. */
const BACKLOGS = /_(?:retained|lag)_bytes$/;
/** They grow with the time, unless they are ages of one thing after another. */
const AGES = /_(?:age|stalled|transaction)_seconds$/;

/** What a server showed, and when; null: it did not respond. */
export interface Scrape {
  readonly text: string | null;
  readonly at: number;
}

export async function scrape(url: string): Promise<Scrape> {
  const text = await fetch(`${url}/metrics`).then(
    (response) => response.text(),
    () => null,
  );
  return { text, at: performance.now() };
}

interface Growth {
  /** What happens between the two values. */
  readonly meanwhile?: () => Promise<void>;
  /** How much more the second one is, at least: an age between two scrapes in quick succession says little. */
  readonly least?: number;
}

export interface Recorder {
  readonly recordings: Map<string, readonly Scrape[]>;
  /** Values of the store are cached for some seconds. */
  untilScraped(isWanted: (page: Exposition) => boolean): Promise<Scrape>;
  /** Records two values, the second one right after it was read from the store, as the first one was. */
  recordGrowth(fault: string, series: string, options?: Growth): Promise<void>;
  recordOnce(fault: string, isWanted: (page: Exposition) => boolean): Promise<void>;
}

/** Records what the server shows that is at `urlNow()`. */
export function createRecorder(urlNow: () => string): Recorder {
  const recordings = new Map<string, readonly Scrape[]>();
  async function untilScraped(isWanted: (page: Exposition) => boolean): Promise<Scrape> {
    return await waitFor("the metrics to tell", async () => {
      const one = await scrape(urlNow());
      return one.text !== null && isWanted(parseMetrics(one.text)) ? one : undefined;
    });
  }
  return {
    recordings,
    untilScraped,
    async recordGrowth(fault, series, { meanwhile, least = 0 } = {}) {
      const scrapes: Scrape[] = [];
      for (let value = 0; scrapes.length < 3;) {
        const next = await untilScraped((page) => (page.value(series) ?? 0) > value + least);
        value = parseMetrics(next.text as string).value(series) as number;
        scrapes.push(next);
        if (scrapes.length === 2) await meanwhile?.();
      }
      recordings.set(fault, scrapes.slice(1));
    },
    async recordOnce(fault, isWanted) {
      recordings.set(fault, [await untilScraped(isWanted)]);
    },
  };
}

interface Line {
  readonly value: number;
  readonly perMinute: number;
}

/** The series of which the rules speak, with their growth. */
function readLines(scrapes: readonly Scrape[], rules: string): ReadonlyMap<string, Line> {
  const [first, last] = [scrapes.at(0) as Scrape, scrapes.at(-1) as Scrape];
  const lines = new Map<string, Line>([
    ['up{job="reeve",instance="a"}', { value: last.text === null ? 0 : 1, perMinute: 0 }],
  ]);
  if (first.text === null || last.text === null) return lines;
  const [earlier, { series, types }] = [parseMetrics(first.text), parseMetrics(last.text)];
  const minutes = (last.at - first.at) / 60_000;
  for (const [name, value] of series) {
    const metric = name.replace(/\{.*/, "");
    if (!rules.includes(metric)) continue;
    const isGauge = types.get(metric) === "gauge";
    const grown = Math.max(0, value - (earlier.value(name) ?? (isGauge ? value : 0)));
    const isAge = AGES.test(metric) && grown > 30 * minutes;
    const grows = !isGauge || BACKLOGS.test(metric) || isAge;
    const perMinute = minutes > 0 && grows ? grown / minutes : 0;
    const labels = name.slice(metric.length).replace(/^\{|\}$/g, "");
    lines.set(`${metric}{${[labels, 'job="reeve",instance="a"'].filter(Boolean).join(",")}}`, { value, perMinute });
  }
  return lines;
}

const shownLine = (line: Line | undefined, minutes: number) =>
  line === undefined ? `_x${minutes}` : `${line.value}+${line.perMinute}x${minutes - 1}`;

/** By what was wrong. */
export type Recordings = ReadonlyMap<string, readonly Scrape[]>;

export function promtool(...args: string[]) {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  if (error) throw new Error("promtool is missing: install Debian's package prometheus, as .ci/run does");
  return { status, output: `${stdout}${stderr}` };
}

const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})';

/** The alerts that fire two hours after each fault began, on a server that was as `healthy` shows before. */
export function findFiring(healthy: Scrape, recordings: Recordings): ReadonlyMap<string, readonly string[]> {
  const rules = readFileSync(RULES, "utf8");
  const checked = promtool("check", "rules", RULES);
  assert.equal(checked.status, 0, checked.output);
  const before = readLines([healthy], rules);
  const folder = mkdtempSync(join(tmpdir(), "reeve-alerts-"));
  try {
    return new Map(
      Array.from(recordings, ([fault, scrapes]) => {
        const during = readLines(scrapes, rules);
        const names = new Set([...before.keys(), ...during.keys()]);
        const series = Array.from(names, (name) => ({
          series: name,
          values: `${shownLine(before.get(name), HEALTHY_MINUTES)} ${shownLine(during.get(name), FAULTY_MINUTES)}`,
        }));
        const asked = { expr: FIRING, eval_time: `${HEALTHY_MINUTES + FAULTY_MINUTES - 1}m`, exp_samples: [] };
        const tests = [{ interval: "1m", input_series: series, promql_expr_test: [asked] }];
        const file = join(folder, "test.yml");
        writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: "1m", tests }));
        const { status, output } = promtool("test", "rules", file);
        if (status === 0) return [fault, []];
        // It was told to expect none, and says what it got.
        const got = /got:\s*(.*)/s.exec(output)?.[1] ?? assert.fail(output);
        const alerts = [...got.matchAll(/alertname=\\?"(\w+)/g)].map(([, alert]) => alert as string);
        assert.ok(alerts.length > 0, output);
        return [fault, alerts.toSorted()];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What other work on the machine sets off in any fault: each is held only where the table has it. */
const OF_THE_MACHINE: readonly string[] = ["ReeveSlow", "ReevePostgresStandbyBehind"];

/** The table of that name in docs/observability.md is that of the recordings. */
export function assertDocumented(table: string, firing: ReadonlyMap<string, readonly string[]>): void {
  const documented = readTable("observability.md", table);
  const alertsOf = new Map(documented.map(([fault = "", alerts = ""]) => [fault, alerts]));
  const isTold = (fault: string, alert: string) =>
    isWriting || !OF_THE_MACHINE.includes(alert) || alertsOf.get(fault)?.includes(alert);
  const rows = Array.from(firing, ([fault, alerts]) => {
    const told = alerts.filter((alert) => isTold(fault, alert));
    return [fault, told.map((alert) => `\`${alert}\``).join(", ") || "none"];
  });
  if (isWriting) return writeTable("observability.md", table, rows);
  assert.deepEqual(documented, rows, "docs/observability.md differs: REEVE_TEST_WRITE=1 writes its table");
}
