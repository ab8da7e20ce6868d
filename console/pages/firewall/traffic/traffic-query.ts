// What the page of traffic asks for: a time range, a dimension and filters, all kept in the page's address.
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useApi } from "../../../api/queries.ts";
import { useTeam, useTeamId } from "../../../api/team.ts";
import { useProject } from "../../../parts/project.tsx";

export const BY_NAMES = { action: "Decision", rule: "Rule", host: "Host", client: "Address" };

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;
/** The name of the figure in requests and responses. */
const FIGURE = "requests";

/** Each with its length and that of its buckets, in seconds. */
export const RANGES = {
  hour: { length: HOUR_SECONDS, bucket: MINUTE_SECONDS },
  day: { length: DAY_SECONDS, bucket: HOUR_SECONDS },
  week: { length: 7 * DAY_SECONDS, bucket: 6 * HOUR_SECONDS },
} as const;
export type Range = keyof typeof RANGES;

/** The dimensions, by their names in the page's address. */
export const DIMENSIONS = {
  action: "wafAction",
  rule: "wafRuleId",
  host: "requestHostname",
  client: "clientIp",
} as const;
export type By = keyof typeof DIMENSIONS;
export const BYS = Object.keys(DIMENSIONS) as By[];

const METRIC = "vercel.firewall_action.count";

function oneOf<T extends string>(text: string | null, choices: Readonly<Record<T, unknown>>, fallback: T): T {
  return text !== null && Object.hasOwn(choices, text) ? (text as T) : fallback;
}

export interface TrafficView {
  readonly range: Range;
  readonly by: By;
  /** The value that each dimension must have; null: any. An empty value is an unknown one. */
  readonly filters: Readonly<Record<By, string | null>>;
}

function readView(params: URLSearchParams): TrafficView {
  return {
    range: oneOf(params.get("range"), RANGES, "day"),
    by: oneOf(params.get("by"), DIMENSIONS, "action"),
    filters: {
      action: params.get("action"),
      rule: params.get("rule"),
      host: params.get("host"),
      client: params.get("client"),
    },
  };
}

/** What the page shows, and how to change a part of it; null: without it. */
export function useTrafficView() {
  const [params, setParams] = useSearchParams();
  const change = (changes: Readonly<Record<string, string | null>>): void =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(changes)) {
          if (value === null) next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  return [readView(params), change] as const;
}

export type ChangeView = ReturnType<typeof useTrafficView>[1];

/** Conditions as the API reads them; null: there is none. */
export function filterText(filters: TrafficView["filters"]): string | null {
  const conditions = BYS.flatMap((by) => {
    const value = filters[by];
    return value === null ? [] : [`${DIMENSIONS[by]}:"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`];
  });
  return conditions.length === 0 ? null : conditions.join(" AND ");
}

/** The end of the current minute, so that it is counted. */
function endOfMinute(): number {
  const ms = MINUTE_SECONDS * 1_000;
  return Math.ceil(Date.now() / ms) * ms;
}

/** The requests of a view; `again` moves its end to the present. */
export function useTraffic({ range, by, filters }: TrafficView) {
  const teamId = useTeamId();
  const team = useTeam().data?.value;
  const [projectId] = useProject();
  const [end, setEnd] = useState(endOfMinute);
  const { length, bucket } = RANGES[range];
  const filter = filterText(filters);
  const times = { start: end - length * 1_000, end };
  const found = useApi(
    "POST /metrics/v1",
    {
      query: { teamId },
      body: {
        scope: { ownerId: team?.id ?? "", projectIds: [projectId] },
        timeRange: { start: new Date(times.start).toISOString(), end: new Date(end).toISOString() },
        metrics: { [FIGURE]: { metric: METRIC, aggregation: "count" } },
        outputs: [FIGURE],
        bucketSeconds: bucket,
        groupBy: [DIMENSIONS[by]],
        ...(filter !== null && { filter }),
      },
    },
    { enabled: team !== undefined },
  );
  const again = (): void => {
    const next = endOfMinute();
    if (next === end) void found.refetch();
    else setEnd(next);
  };
  return { found, times, bucket, again };
}

export function countOf(values: Readonly<Record<string, number>>): number {
  return values[FIGURE] ?? 0;
}
