// Parses the Prometheus text format strictly enough to reject invalid output.
import assert from "node:assert/strict";

export interface Exposition {
  /** By name of the metric. */
  readonly types: ReadonlyMap<string, string>;
  readonly helps: ReadonlyMap<string, string>;
  /** By name with labels, as printed. */
  readonly series: ReadonlyMap<string, number>;
  value(series: string): number | undefined;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*\})?) (\S+)$/;

export function parseMetrics(text: string): Exposition {
  const types = new Map<string, string>();
  const helps = new Map<string, string>();
  const series = new Map<string, number>();
  for (const line of text.split("\n").filter(Boolean)) {
    const [, kind, name = "", rest = ""] = /^# (TYPE|HELP) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "TYPE") types.set(name, rest);
    else if (kind === "HELP") helps.set(name, rest);
    else {
      const [, sample = "", value = ""] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`);
      assert.ok(!series.has(sample), `twice: ${sample}`);
      series.set(sample, value === "+Inf" ? Infinity : Number(value));
    }
  }
  return { types, helps, series, value: (name) => series.get(name) };
}
