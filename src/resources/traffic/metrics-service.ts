// Answers how many requests met which action and rule.
import { DAY_MS, MAX_TIME_MS, SECOND_MS } from "../../kernel/clock.ts";
import type { Call, Implements } from "../../kernel/contract.ts";
import { fieldError, notFound } from "../../kernel/errors.ts";
import type { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import { FIREWALL_ACTIONS_METRIC, MAX_POINTS, MAX_ROWS, MAX_SERIES, RULES_ONLY } from "./metrics-contract.ts";
import type { metricsContract } from "./metrics-contract.ts";
import { DIMENSIONS, bucketsOf, groupSums } from "./metrics-rules.ts";
import type { Dimension } from "./metrics-rules.ts";
import { sumRules } from "./rule-sums-store.ts";
import { hourOf } from "./sum-rules.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";

type MetricsCall = Call<typeof metricsContract.queryMetrics>;
type Body = MetricsCall["body"];

function refusal(member: string, reason: string): ApiError {
  const field = `body.${member}`;
  return fieldError("bad_request", field, reason);
}

function readMoment(text: string, member: string): number {
  const time = Date.parse(text);
  if (!(time >= 0 && time <= MAX_TIME_MS)) throw refusal(member, "expected a time in ISO 8601");
  return time;
}

function readRange({ timeRange }: Body): { readonly from: number; readonly to: number } {
  const from = readMoment(timeRange.start, "timeRange.start");
  const to = readMoment(timeRange.end, "timeRange.end");
  if (to <= from) throw refusal("timeRange.end", "expected a time after timeRange.start");
  if (to - from > KEPT_DAYS * DAY_MS) throw refusal("timeRange", `expected at most ${KEPT_DAYS} days`);
  return { from: hourOf(from), to };
}

function readDimensions({ groupBy = [] }: Body): readonly Dimension[] {
  return groupBy.map((name, at) => {
    const known = DIMENSIONS.find((one) => one === name);
    // Clients go on without the figure when they read "does not support".
    if (!known) throw refusal(`groupBy[${at}]`, `${FIREWALL_ACTIONS_METRIC} does not support the dimension ${name}`);
    return known;
  });
}

/** The name that the figure goes by. */
function readAlias({ metrics, outputs, orderBy, seriesSelection }: Body): string {
  const [alias] = Object.keys(metrics) as [string];
  const wanted = `expected ${JSON.stringify(alias)}, the name in metrics`;
  if (outputs[0] !== alias) throw refusal("outputs[0]", wanted);
  if (orderBy && orderBy[0]?.metric !== alias) throw refusal("orderBy[0].metric", wanted);
  const rankBy = seriesSelection?.rankBy;
  if (rankBy && rankBy[0]?.metric !== alias) throw refusal("seriesSelection.rankBy[0].metric", wanted);
  return alias;
}

async function queryMetrics(tx: Tx, { scope: { ownerId }, body }: MetricsCall) {
  if (body.scope.ownerId !== ownerId) throw notFound("Team");
  const [projectId] = body.scope.projectIds as [string];
  const groupBy = readDimensions(body);
  const alias = readAlias(body);
  const { from, to } = readRange(body);
  // A span of all times is a single bucket.
  const span = (body.bucketSeconds ?? 0) * SECOND_MS || MAX_TIME_MS;
  const sums = await sumRules(tx, {
    ownerId,
    projectId,
    from,
    to,
    span,
    byRule: groupBy.includes("wafRuleId") ? 1 : 0,
    ruled: body.filter === RULES_ONLY ? 1 : 0,
  });
  const groups = groupSums(sums, groupBy);
  const row = (dimensions: (typeof groups)[number]["dimensions"], value: number) => ({
    dimensions,
    values: { [alias]: value },
  });
  const buckets = body.bucketSeconds === undefined ? [] : bucketsOf(from, to, span);
  const seriesLimit = Math.min(
    body.seriesSelection?.limit ?? MAX_SERIES,
    Math.floor(MAX_POINTS / Math.max(1, buckets.length)),
  );
  return {
    summary: groups.slice(0, body.rowLimit ?? MAX_ROWS).map(({ dimensions, total }) => row(dimensions, total)),
    series: groups.slice(0, seriesLimit).flatMap((group) =>
      buckets.map((start) => ({
        timestamp: new Date(start).toISOString(),
        ...row(group.dimensions, group.buckets.get(start) ?? 0),
      })),
    ),
  };
}

export const metricsService: Implements<typeof metricsContract> = { queryMetrics };
