// The handler that counts requests by action and rule.
import { DAY_MS, HOUR_MS, MAX_TIME_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { parseIsoTime } from "../../platform/kernel/text/iso-time.ts";
import { fieldError, teamNotFound } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { MAX_POINTS, MAX_ROWS, MAX_SERIES, REQUESTS_METRIC } from "./metrics-contract.ts";
import type { metricsContract } from "./metrics-contract.ts";
import { MAX_CONDITIONS, parseFilter } from "./filter-rules.ts";
import type { Condition } from "./filter-rules.ts";
import { bucketsOf, fits, groupSums, isOfMinutes } from "./metrics-rules.ts";
import { readHourSums, readMinuteSums } from "./metrics-sums.ts";
import type { Range } from "./metrics-sums.ts";
import { hourOf, minuteOf } from "./sum-rules.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";

type MetricsCall = Call<typeof metricsContract.queryMetrics>;
type Body = MetricsCall["body"];

function badRequest(member: string, reason: string): ApiError {
  const field = `body.${member}`;
  return fieldError("bad_request", field, reason);
}

function parseTimestamp(text: string, member: string): number {
  const time = parseIsoTime(text);
  if (time === undefined || time < 0) throw badRequest(member, "expected a time in ISO 8601");
  return time;
}

function readTimes({ timeRange }: Body): { readonly from: number; readonly to: number } {
  const from = parseTimestamp(timeRange.start, "timeRange.start");
  const to = parseTimestamp(timeRange.end, "timeRange.end");
  if (to <= from) throw badRequest("timeRange.end", "expected a time after timeRange.start");
  if (to - from > KEPT_DAYS * DAY_MS) throw badRequest("timeRange", `expected at most ${KEPT_DAYS} days`);
  return { from, to };
}

function readConditions({ filter, metrics }: Body): readonly Condition[] {
  const conditions = filter === undefined ? [] : parseFilter(filter);
  if (!conditions) {
    throw badRequest(
      "filter",
      `expected at most ${MAX_CONDITIONS} conditions dimension:"value" or dimension!="value", joined by AND`,
    );
  }
  const [figure] = Object.values(metrics);
  const isDecision = { dimension: "wafAction", isEqual: false, value: "log" };
  return figure?.metric === REQUESTS_METRIC ? [...conditions, isDecision] : conditions;
}

/** The name of the metric in the request and the response. */
function readAlias({ metrics, outputs, orderBy, seriesSelection }: Body): string {
  const [alias] = Object.keys(metrics) as [string];
  const wanted = `expected ${JSON.stringify(alias)}, the name in metrics`;
  if (outputs[0] !== alias) throw badRequest("outputs[0]", wanted);
  if (orderBy && orderBy[0]?.metric !== alias) throw badRequest("orderBy[0].metric", wanted);
  const rankBy = seriesSelection?.rankBy;
  if (rankBy && rankBy[0]?.metric !== alias) throw badRequest("seriesSelection.rankBy[0].metric", wanted);
  return alias;
}

async function queryMetrics(tx: Tx, { scope: { ownerId }, body }: MetricsCall) {
  if (body.scope.ownerId !== ownerId) throw teamNotFound();
  const [projectId] = body.scope.projectIds as [string];
  const { groupBy = [] } = body;
  const conditions = readConditions(body);
  const alias = readAlias(body);
  const times = readTimes(body);
  const dimensions = [...groupBy, ...conditions.map(({ dimension }) => dimension)];
  // Without buckets one span covers all times.
  const span = (body.bucketSeconds ?? 0) * SECOND_MS || MAX_TIME_MS;
  const isFine = (span !== MAX_TIME_MS && span % HOUR_MS !== 0) || dimensions.some(isOfMinutes);
  const range: Range = { from: (isFine ? minuteOf : hourOf)(times.from), to: times.to, span };
  const buckets = body.bucketSeconds === undefined ? [] : bucketsOf(range.from, range.to, span);
  if (buckets.length > MAX_POINTS) throw badRequest("bucketSeconds", `expected at most ${MAX_POINTS} buckets`);
  const project = { ownerId, projectId };
  const sums = isFine
    ? await readMinuteSums(tx, project, range)
    : await readHourSums(tx, project, range, dimensions.includes("wafRuleId"));
  const groups = groupSums(
    sums.filter((sum) => fits(sum, conditions)),
    groupBy,
  );
  const row = (of: (typeof groups)[number]["dimensions"], value: number) => ({
    dimensions: of,
    values: { [alias]: value },
  });
  const seriesLimit = Math.min(
    body.seriesSelection?.limit ?? MAX_SERIES,
    Math.floor(MAX_POINTS / Math.max(1, buckets.length)),
  );
  return {
    summary: groups.slice(0, body.rowLimit ?? MAX_ROWS).map((group) => row(group.dimensions, group.total)),
    series: groups.slice(0, seriesLimit).flatMap((group) =>
      buckets.map((start) => ({
        timestamp: new Date(start).toISOString(),
        ...row(group.dimensions, group.buckets.get(start) ?? 0),
      })),
    ),
  };
}

export const metricsService: Implements<typeof metricsContract> = { queryMetrics };
