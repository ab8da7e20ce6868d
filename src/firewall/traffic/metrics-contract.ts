// The endpoint of metrics: reported requests by action and rule, as clients chart them.
import { OneOf, Pattern, RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { ProjectName } from "../../platform/kernel/project.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";
import { SECONDS } from "../../platform/kernel/units.ts";

export const FIREWALL_ACTIONS_METRIC = "vercel.firewall_action.count";
/** All requests, whatever their outcome. Reports with the action `log` are not counted. */
export const REQUESTS_METRIC = "vercel.request.count";
export const MAX_ROWS = 500;
export const MAX_SERIES = 100;
/** Points of all series together. Each series has one per bucket. */
export const MAX_POINTS = 5_000;
/** Entries by minute, host and address that one request reads. */
export const MAX_MINUTE_ENTRIES = 5_000;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const closed = { additionalProperties: false };

const Timestamp = Pattern(
  "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$",
  "a time in UTC such as 2030-01-01T00:00:00Z",
  { description: "ISO 8601, in UTC." },
);

const Dimension = Pattern("^[A-Za-z][A-Za-z0-9_.]{0,63}$", "the name of a dimension");

const Alias = Pattern("^[A-Za-z][A-Za-z0-9_]{0,63}$", "at most 64 letters, digits and `_`, beginning with a letter");

const Ranking = Type.Array(Type.Object({ metric: Alias, direction: OneOf(["desc"]) }, closed), {
  minItems: 1,
  maxItems: 1,
  description: "By the requested metric, which is also the default.",
});

const FIGURES = {
  dimensions: RecordOf(Type.String(), {
    description: "The values of the row by member of `groupBy`; empty: none, or unknown.",
  }),
  values: RecordOf(Type.Number(), { description: "The number of requests, under the chosen name." }),
};

export const metricsContract = defineContract({
  queryMetrics: {
    method: "POST",
    path: "/metrics/v1",
    aliases: ["/v1/metrics"],
    tag: "Firewall traffic",
    gives: "nothing",
    summary: "Count requests by action and rule",
    description:
      "Counts the reported requests. By action and rule in buckets of whole hours: each hour that begins before the end and ends " +
      "after the start is counted whole. In shorter buckets, or by `clientIp` or `requestHostname`: by minute, from the latest " +
      `${MAX_MINUTE_ENTRIES} entries; both dimensions are unknown for allowed requests. Other dimensions are not reported and ` +
      "are empty.",
    access: { kind: "owner", permission: "firewall:read" },
    limits: { project: "body.scope.projectIds" },
    readsOnly: true,
    body: Type.Object(
      {
        scope: Type.Object(
          {
            ownerId: Type.String({
              maxLength: 100,
              description: "The team of the query, or the caller's own account.",
            }),
            projectIds: Type.Array(ProjectName(), {
              minItems: 1,
              maxItems: 1,
            }),
          },
          closed,
        ),
        timeRange: Type.Object(
          { start: Timestamp, end: Timestamp },
          { ...closed, description: `At most ${KEPT_DAYS} days.` },
        ),
        metrics: RecordOf(
          Type.Object(
            { metric: OneOf([FIREWALL_ACTIONS_METRIC, REQUESTS_METRIC]), aggregation: OneOf(["count"]) },
            closed,
          ),
          { minProperties: 1, maxProperties: 1, description: "The one metric, under a name of the client's choice." },
        ),
        outputs: Type.Array(Alias, { minItems: 1, maxItems: 1, description: "That name." }),
        bucketSeconds: Type.Optional(
          Type.Integer({
            ...SECONDS,
            minimum: MINUTE_SECONDS,
            maximum: KEPT_DAYS * 24 * HOUR_SECONDS,
            multipleOf: MINUTE_SECONDS,
            description: `Length of a bucket, since the epoch; at most ${MAX_POINTS} buckets. Without it there are no series.`,
          }),
        ),
        groupBy: Type.Optional(
          Type.Array(Dimension, {
            maxItems: 10,
            uniqueItems: true,
            description: "`wafAction`, `wafRuleId`, `clientIp`, `requestHostname`; others are empty.",
          }),
        ),
        filter: Type.Optional(
          Type.String({
            maxLength: 5_000,
            description: 'Conditions `dimension:"value"` or `dimension!="value"`, joined by `AND`.',
          }),
        ),
        seriesSelection: Type.Optional(
          Type.Object(
            {
              limit: Type.Integer({ minimum: 1, maximum: MAX_SERIES }),
              mode: Type.Optional(OneOf(["exact", "approximate"], { description: "Both are exact." })),
              rankBy: Type.Optional(Ranking),
            },
            { ...closed, description: `The groups that have series: ${MAX_SERIES} by default.` },
          ),
        ),
        rowLimit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: `Rows of the summary; ${MAX_ROWS} by default.` }),
        ),
        orderBy: Type.Optional(Ranking),
      },
      closed,
    ),
    example: {
      body: {
        scope: { ownerId: "acme", projectIds: ["shop"] },
        timeRange: { start: "2030-01-01T00:00:00.000Z", end: "2030-01-02T00:00:00.000Z" },
        metrics: { value: { metric: "vercel.firewall_action.count", aggregation: "count" } },
        outputs: ["value"],
        bucketSeconds: 3_600,
        groupBy: ["wafAction"],
      },
    },
    returns: "The counts, as a total for each group and as series over time.",
    response: Type.Object({
      summary: Type.Array(Type.Object(FIGURES), { description: "For the whole time range, most requests first." }),
      series: Type.Array(
        Type.Object({ timestamp: Type.String({ description: "ISO 8601: the start of the bucket." }), ...FIGURES }),
        {
          description: `Every bucket of each group; at most ${MAX_POINTS}, for the groups with the most requests.`,
        },
      ),
    }),
    errors: [],
    emits: [],
  },
});
