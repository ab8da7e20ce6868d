// How often each rule decided or logged in the last day, by hour.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { DIMENSIONS, countOf, useTraffic } from "../traffic/traffic-query.ts";
import "../../../style/rules.css";
import { formatCount } from "../../../parts/numbers.ts";

const VIEW = {
  range: "day",
  by: "rule",
  filters: { action: null, rule: null, host: null, client: null },
} as const;

export interface RuleHits {
  readonly total: number;
  /** One for each hour, oldest first. */
  readonly counts: readonly number[];
}

/** By the ids of the rules; a rule without hits has none. Undefined: not known yet, or not to be known. */
export function useHits(): ReadonlyMap<string, RuleHits> | undefined {
  const { found, times, bucket } = useTraffic(VIEW);
  const metrics = found.data?.value;
  if (!metrics) return undefined;
  const step = bucket * 1_000;
  const first = Math.floor(times.start / step);
  const hours = Math.floor(times.end / step) - first + 1;
  const hits = new Map<string, { total: number; counts: number[] }>();
  for (const { timestamp, dimensions, values } of metrics.series) {
    const id = dimensions[DIMENSIONS.rule] ?? "";
    const one = hits.get(id) ?? { total: 0, counts: Array.from({ length: hours }, () => 0) };
    const at = Math.floor(Date.parse(timestamp) / step) - first;
    one.counts[at] = (one.counts[at] ?? 0) + countOf(values);
    one.total += countOf(values);
    hits.set(id, one);
  }
  return hits;
}

/** The hits of several together. */
export function sumHits(hits: readonly RuleHits[]): RuleHits | undefined {
  const [first] = hits;
  return (
    first && {
      total: hits.reduce((sum, { total }) => sum + total, 0),
      counts: first.counts.map((_, at) => hits.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0)),
    }
  );
}

const [WIDTH, HEIGHT] = [80, 20];

function Spark({ counts }: Pick<RuleHits, "counts">): ReactNode {
  const peak = Math.max(1, ...counts);
  const points = counts.map((count, at) => {
    const x = (at / Math.max(1, counts.length - 1)) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - 1 - (count / peak) * (HEIGHT - 2)).toFixed(1)}`;
  });
  const line = `M${points.join("L")}`;
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="under" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path d={line} />
    </svg>
  );
}

interface Props {
  readonly hits: RuleHits | undefined;
  readonly name: string;
  /** The list of the decisions, or the traffic. */
  readonly href: string;
}

export function Hits({ hits, name, href }: Props): ReactNode {
  if (!hits) return <span className="hits quiet">0</span>;
  const shown = formatCount(hits.total);
  return (
    <Link className="hits" href={href} aria-label={`${shown} requests in 24 hours: decisions by ${name}`}>
      <Spark counts={hits.counts} />
      <span className="number">{shown}</span>
    </Link>
  );
}
