// Endpoints of traffic: enforcement points report the outcomes of requests, and clients read them as actions and as attacks.
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import {
  Anomaly,
  KEPT_DAYS,
  MAX_ACTIONS,
  MAX_COUNTS,
  MAX_HOSTS,
  MAX_REQUESTS,
  MAX_RESPONSES,
  TrafficAction,
  TrafficCount,
  TrafficResponses,
} from "./traffic-schema.ts";
import { COMMAS, DAYS, EPOCH_MS } from "../../platform/kernel/units.ts";

const TAG = "Firewall traffic";
const READ = { kind: "owner", permission: "firewall:read" } as const;

function clientPaths(name: string) {
  return [`/security/firewall/${name}`, `/v1/firewalls/${name}`, `/firewalls/${name}`];
}

const optionalTimestamp = (description: string) =>
  Type.Optional(
    Type.Number({ ...EPOCH_MS, minimum: 0, maximum: MAX_TIME_MS, description: `ms since the epoch; ${description}.` }),
  );

export const trafficContract = defineContract({
  reportTraffic: {
    method: "POST",
    path: "/v1/firewalls/traffic",
    aliases: ["/firewalls/traffic", "/v1/security/firewall/traffic", "/security/firewall/traffic"],
    tag: TAG,
    gives: "nothing",
    summary: "Report the outcomes of requests",
    description:
      `For services that enforce a configuration. Counts are summed by minute and kept for ${KEPT_DAYS} days. A report is ` +
      `accepted as a whole or not at all, and has at most ${MAX_REQUESTS} requests of each minute. A report never begins a project. ` +
      "Send an `Idempotency-Key` to repeat one safely. Reports are not recorded as events. One that " +
      "passes what is usual switches attack challenge mode on, where it switches itself.",
    access: { kind: "owner", permission: "gate:connect" },
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        counts: Type.Array(TrafficCount, { maxItems: MAX_COUNTS, description: "May be empty beside `responses`." }),
        responses: Type.Optional(
          Type.Array(TrafficResponses, {
            maxItems: MAX_RESPONSES,
            description: "What the application answered, from reporters that see that.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    example: {
      query: { projectId: "shop" },
      body: {
        counts: [{ at: 1_893_456_000_000, host: "shop.example.com", action: "deny", ip: "203.0.113.7", count: 42 }],
      },
    },
    returns: "How many requests were counted.",
    response: Type.Object({
      ok: Type.Boolean(),
      requests: Type.Integer({ description: "The number of requests counted." }),
    }),
    errors: [],
    emits: ["attack-mode-enabled", "attack-mode-disabled"],
  },
  listTrafficActions: {
    method: "GET",
    path: "/v1/security/firewall/events",
    aliases: clientPaths("events"),
    tag: TAG,
    summary: "The outcomes of requests, newest first",
    description:
      `Consecutive minutes are joined to one entry; at most ${MAX_ACTIONS} entries. Allowed requests count only for the attack ` +
      "status.",
    access: READ,
    limits: PROJECT_LIMIT,
    query: Type.Object({
      ...PROJECT_QUERY,
      startTimestamp: optionalTimestamp("a day before the end by default"),
      endTimestamp: optionalTimestamp("now by default"),
      hosts: Type.Optional(
        Type.String({
          ...COMMAS,
          maxLength: 5_000,
          description: `Only of these hosts, separated by commas; at most ${MAX_HOSTS}.`,
        }),
      ),
    }),
    example: { query: { projectId: "shop" } },
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
    description: "Detected in the reported counts, as /docs/firewall describes.",
    access: READ,
    limits: PROJECT_LIMIT,
    query: Type.Object({
      ...PROJECT_QUERY,
      since: Type.Optional(
        Type.Integer({ ...DAYS, minimum: 1, maximum: KEPT_DAYS, description: "Days back; 1 by default." }),
      ),
    }),
    example: { query: { projectId: "shop", since: 7 } },
    response: Type.Object({ anomalies: Type.Array(Anomaly) }),
    errors: [],
    emits: [],
  },
  listAlertGroups: {
    method: "GET",
    path: "/alerts/v3/groups",
    acceptsEmptyTeam: true,
    tag: TAG,
    summary: "Alerts of a team: always empty",
    description: "This server raises no such alerts, so the list is always empty. The attack status shows attacks.",
    access: READ,
    limits: PROJECT_LIMIT,
    query: Type.Object({
      ...PROJECT_QUERY,
      from: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601." })),
      to: Type.Optional(Type.String({ maxLength: 40, description: "ISO 8601." })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      types: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
    }),
    example: { query: { projectId: "shop" } },
    response: Type.Array(Type.Object({}), { maxItems: 0 }),
    errors: [],
    emits: [],
  },
});
