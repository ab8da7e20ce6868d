// The schemas of traffic, and the bounds of what is stored.
import { DECISIONS } from "../evaluator/decision.ts";
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { LATENCY_COUNTS } from "../../platform/kernel/telemetry/latencies.ts";
import { Nullable, OneOf, Pattern, RecordOf } from "../../platform/kernel/contract.ts";
import type { TSchema } from "typebox";
import { Type } from "typebox";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

export const MAX_COUNTS = 1_000;
/** Minutes of responses in one report. */
export const MAX_RESPONSES = 100;
/** Requests of a minute in one report; more would stand for traffic that no reporter sees. */
export const MAX_REQUESTS = 10_000_000;
export const KEPT_DAYS = 7;
/** How far a reporter's clock may be ahead. */
export const MAX_AHEAD_MINUTES = 5;
/** Addresses per host and minute. More are counted together. */
export const MAX_ADDRESS_ENTRIES = 200;
/** Entries per project and minute. More hosts are counted together. */
export const MAX_ENTRIES = 2_000;
/** A minute with fewer requests is never part of an attack. The partial index on busy hours has the same number. */
export const MIN_REQUESTS = 1_000;
/** Sums by rule and action per project and hour. More are counted together, without a rule. */
export const MAX_RULE_SUMS = 200;
export const MAX_ACTIONS = 1_000;
export const MAX_HOSTS = 20;

/** Stands for the hosts that are counted together. */
export const OTHER_HOSTS = "*";

const REPORTED_ACTIONS = [...DECISIONS, "log"] as const;

export const TrafficCount = Type.Object(
  {
    at: Type.Integer({
      ...EPOCH_MS,
      minimum: 0,
      maximum: MAX_TIME_MS,
      description: `The time in ms since the epoch, within the last ${KEPT_DAYS} days.`,
    }),
    host: Pattern("^[A-Za-z0-9._:\\[\\]*-]+$", "a host name or address, with or without a port", { maxLength: 255 }),
    action: OneOf(REPORTED_ACTIONS, { description: "The decision; `log`: a rule logged the request." }),
    ip: Type.Optional(Type.String({ maxLength: 45, description: "Address of the client." })),
    ruleId: Type.Optional(Nullable(Type.String({ maxLength: 100, description: "The rule that decided." }))),
    count: Type.Integer({ minimum: 1, maximum: MAX_REQUESTS, description: "The number of requests." }),
  },
  { additionalProperties: false },
);

export const TrafficResponses = Type.Object(
  {
    at: Type.Integer({
      ...EPOCH_MS,
      minimum: 0,
      maximum: MAX_TIME_MS,
      description: `The time in ms since the epoch, within the last ${KEPT_DAYS} days.`,
    }),
    count: Type.Integer({ minimum: 1, maximum: MAX_REQUESTS, description: "Responses of the application." }),
    errors: Type.Integer({ minimum: 0, maximum: MAX_REQUESTS, description: "Those with status 500 or more." }),
    latencies: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: MAX_REQUESTS }), {
        minItems: LATENCY_COUNTS,
        maxItems: LATENCY_COUNTS,
        description:
          "How many responses began within 1, 2, 4, ... 65536 ms, each but those before it, and how many later. Absent: not measured.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const TrafficAction = Type.Object(
  {
    startTime: Type.String({ description: "ISO 8601: the first minute." }),
    endTime: Type.String({ description: "ISO 8601: the end of the last minute." }),
    isActive: Type.Boolean({ description: "Whether the last minute is the current or the previous one." }),
    action_type: Type.String({ description: "The same as `action`." }),
    host: Type.String({ description: "`*`: hosts that are counted together." }),
    public_ip: Type.String({ description: "Empty: unknown, or addresses that are counted together." }),
    count: Type.Integer({ description: "The number of requests." }),
    action: Type.String(),
    ruleId: Nullable(Type.String()),
    ruleName: Nullable(Type.String({ description: "The name of the rule in the active configuration." })),
  },
  { title: "TrafficAction" },
);

const AnomalyAlert = Type.Object({
  at_minute: Type.String({ description: "ISO 8601" }),
  zscore: Type.Number(),
  avg_requests: Type.Number({ description: "Mean of the minutes of the 24 hours before." }),
  stddev_requests: Type.Number({ description: "Their standard deviation." }),
  total_requests_minute: Type.Integer(),
});

const VolumeAlert = Type.Object({
  atMinute: Type.String({ description: "ISO 8601" }),
  totalReqs: Type.Integer({ description: "Requests of the whole attack." }),
});

const byKey = <const S extends TSchema>(schema: S, description: string) => RecordOf(schema, { description });

export const Anomaly = Type.Object(
  {
    projectId: Type.String(),
    ownerId: Type.String(),
    startTime: Type.Integer({ description: "The first minute, ms since the epoch." }),
    endTime: Nullable(Type.Integer({ description: "The end of the last minute; null: the attack continues." })),
    atMinute: Type.Integer({ description: "The busiest minute." }),
    state: OneOf(["active", "ended"]),
    affectedHostMap: byKey(
      Type.Object({
        anomalyAlerts: Type.Optional(byKey(AnomalyAlert, "The most unusual minute, by its time.")),
        ddosAlerts: Type.Optional(
          byKey(VolumeAlert, "By `sys_dos_mitigation:` and the outcome: `deny`, `challenge`, `allow`."),
        ),
      }),
      "By host.",
    ),
  },
  { title: "Anomaly" },
);
