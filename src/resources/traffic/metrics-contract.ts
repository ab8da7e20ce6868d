// How many requests met which action and which rule: figures of what was reported, as clients chart them.
import { OneOf, Pattern, RecordOf, defineContract } from "../../kernel/contract.ts";
import { Type } from "typebox";
import { ProjectName } from "../projects/project-schema.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";

export const FIREWALL_ACTIONS_METRIC = "vercel.firewall_action.count";
/** Requests, whatever came of them: notes of rules are left out. */
export const REQUESTS_METRIC = "vercel.request.count";
export const MAX_ROWS = 500;
export const MAX_SERIES = 100;
/** Of all series together; each has one for every bucket. */
export const MAX_POINTS = 5_000;
/** By minute, host and address: what one call reads. */
export const MAX_MINUTE_ENTRIES = 5_000;

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;

const closed = { additionalProperties: false };

const Timestamp = Pattern(
  "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$",
  "a moment in UTC such as 2030-01-01T00:00:00Z",
  { description: "ISO 8601, in UTC." },
);

const Dimension = Pattern("^[A-Za-z][A-Za-z0-9_.]{0,63}$", "the name of a dimension");

const Alias = Pattern("^[A-Za-z][A-Za-z0-9_]{0,63}$", "at most 64 letters, digits and `_`, beginning with a letter");

const Ranking = Type.Array(Type.Object({ metric: Alias, direction: OneOf(["desc"]) }, closed), {
  minItems: 1,
  maxItems: 1,
  description: "By the figure asked for; that is so without it, too.",
});

const FIGURES = {
  dimensions: RecordOf(Type.String(), {
    description: "What the row is about, by member of `groupBy`; empty: none, or not known.",
  }),
  values: RecordOf(Type.Number(), { description: "How many requests, under the name chosen." }),
};

export const metricsContract = defineContract({
  queryMetrics: {
    method: "POST",
    path: "/metrics/v1",
    aliases: ["/v1/metrics"],
    tag: "Firewall traffic",
    summary: "How many requests met which action and rule",
    description:
      "Counts what was reported. By action and rule, in buckets of whole hours: each hour that begins before the end and ends " +
      "after the start counts as a whole. In shorter buckets, by `clientIp` or by `requestHostname`: by the minute, of the " +
      `latest ${MAX_MINUTE_ENTRIES} entries; of requests that were allowed neither is known. Nobody reports other dimensions: ` +
      "they are empty.",
    access: { kind: "owner", permission: "firewall:read" },
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
          { minProperties: 1, maxProperties: 1, description: "The one figure, under a name of the caller's." },
        ),
        outputs: Type.Array(Alias, { minItems: 1, maxItems: 1, description: "That name." }),
        bucketSeconds: Type.Optional(
          Type.Integer({
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
            { ...closed, description: `Of which groups there are series: ${MAX_SERIES} by default.` },
          ),
        ),
        rowLimit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: `Rows of the summary; ${MAX_ROWS} by default.` }),
        ),
        orderBy: Type.Optional(Ranking),
      },
      closed,
    ),
    response: Type.Object({
      summary: Type.Array(Type.Object(FIGURES), { description: "Of the whole time, the most requests first." }),
      series: Type.Array(
        Type.Object({ timestamp: Type.String({ description: "ISO 8601: when the bucket begins." }), ...FIGURES }),
        {
          description: `Every bucket of each group; ${MAX_POINTS} at most, the groups with the most requests.`,
        },
      ),
    }),
    errors: [],
    emits: [],
  },
});
