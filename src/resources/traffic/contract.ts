// What came of requests: reported by whoever enforces a configuration, and read as what happened and as attacks.
import { MAX_TIME_MS } from "../../kernel/scheduling/clock.ts";
import { defineContract } from "../../kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_QUERY } from "../projects/project-schema.ts";
import {
  Anomaly,
  KEPT_DAYS,
  MAX_ACTIONS,
  MAX_COUNTS,
  MAX_HOSTS,
  TrafficAction,
  TrafficCount,
} from "./traffic-schema.ts";

const TAG = "Firewall traffic";
const READ = { kind: "owner", permission: "firewall:read" } as const;

function clientPaths(name: string) {
  return [`/security/firewall/${name}`, `/v1/firewalls/${name}`, `/firewalls/${name}`];
}

const optionalTimestamp = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: MAX_TIME_MS, description: `ms since the epoch; ${description}.` }));

export const trafficContract = defineContract({
  reportTraffic: {
    method: "POST",
    path: "/v1/firewalls/traffic",
    aliases: ["/firewalls/traffic", "/v1/security/firewall/traffic", "/security/firewall/traffic"],
    tag: TAG,
    summary: "Report what came of requests",
    description:
      "For whoever enforces a configuration. Counts are added up by minute, and kept for " +
      `${KEPT_DAYS} days; all or none of a report are taken. Send an \`Idempotency-Key\` to repeat one safely. Nothing ` +
      "of it is recorded as an event.",
    access: { kind: "owner", permission: "firewall:write" },
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      { counts: Type.Array(TrafficCount, { minItems: 1, maxItems: MAX_COUNTS }) },
      { additionalProperties: false },
    ),
    response: Type.Object({ ok: Type.Boolean(), requests: Type.Integer({ description: "How many were counted." }) }),
    errors: [],
    emits: [],
  },
  listTrafficActions: {
    method: "GET",
    path: "/v1/security/firewall/events",
    aliases: clientPaths("events"),
    tag: TAG,
    summary: "What came of requests, newest first",
    description:
      `Consecutive minutes are one entry; at most ${MAX_ACTIONS}. Requests that were allowed are counted for the attack ` +
      "status alone.",
    access: READ,
    query: Type.Object({
      ...PROJECT_QUERY,
      startTimestamp: optionalTimestamp("a day before the end by default"),
      endTimestamp: optionalTimestamp("now by default"),
      hosts: Type.Optional(
        Type.String({
          maxLength: 5_000,
          description: `Only of these hosts, separated by commas; at most ${MAX_HOSTS}.`,
        }),
      ),
    }),
    response: Type.Object({ actions: Type.Array(TrafficAction) }),
    errors: [],
    emits: [],
  },
  getAttackStatus: {
    method: "GET",
    path: "/v1/security/firewall/attack-status",
    aliases: clientPaths("attack-status"),
    tag: TAG,
    summary: "Minutes with unusually many requests, newest first",
    description: "Worked out from what was reported; docs/firewall.md says how.",
    access: READ,
    query: Type.Object({
      ...PROJECT_QUERY,
      since: Type.Optional(Type.Integer({ minimum: 1, maximum: KEPT_DAYS, description: "Days back; 1 by default." })),
    }),
    response: Type.Object({ anomalies: Type.Array(Anomaly) }),
    errors: [],
    emits: [],
  },
  listAlertGroups: {
    method: "GET",
    path: "/alerts/v3/groups",
    tag: TAG,
    summary: "Alerts of a team, of which there are none",
    description: "Nothing here raises such alerts, so the list is always empty; the attack status tells of attacks.",
    access: READ,
    query: Type.Object({
      ...PROJECT_QUERY,
      from: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601." })),
      to: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601." })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      types: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
    }),
    response: Type.Array(Type.Object({}), { maxItems: 0 }),
    errors: [],
    emits: [],
  },
});
