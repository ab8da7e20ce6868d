// Endpoints of sampled decisions: gates report them, and an operator finds one by the id that a client got.
import { Pagination, PAGE_QUERY } from "../../platform/kernel/pagination.ts";
import { OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import {
  DecisionId,
  FILTERED_ACTIONS,
  FullDecision,
  KEPT_DAYS,
  ListedDecision,
  MAX_REPORTED,
  MAX_STORED,
  ReportedDecision,
} from "./decision-schema.ts";

const TAG = "Gate";
const READ = { kind: "owner", permission: "firewall:read" } as const;

export const decisionsContract = defineContract({
  reportGateDecisions: {
    method: "POST",
    path: "/v1/gate/decisions",
    tag: TAG,
    gives: "nothing",
    summary: "Report samples of decisions",
    description:
      `For gates. A decision with an id that is stored is left out, so a report can be repeated. Kept for ${KEPT_DAYS} days, and the ` +
      `newest ${MAX_STORED} of a project. Values that look like credentials are not stored. Reports are not recorded as events.`,
    access: { kind: "owner", permission: "gate:connect" },
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      { decisions: Type.Array(ReportedDecision, { minItems: 1, maxItems: MAX_REPORTED }) },
      { additionalProperties: false },
    ),
    maxBodyValues: 150_000,
    example: {
      query: { projectId: "shop" },
      body: {
        decisions: [
          {
            id: "UfzlfYGPYJ0007",
            at: 1_893_456_000_000,
            action: "deny",
            status: 403,
            wouldBe: null,
            reason: null,
            version: 3,
            by: { phase: "rule", id: "rule_2mXw4Tn9KfLbR7Gq5VcYhJdP", name: "No admin from outside" },
            method: "GET",
            scheme: "https",
            host: "shop.example.com",
            target: "/admin",
            ip: "203.0.113.7",
            userAgent: "curl/8.5.0",
            headers: [{ name: "accept", value: "*/*" }],
            logged: [],
            steps: null,
            omittedSteps: 0,
          },
        ],
      },
    },
    returns: "How many samples were stored.",
    response: Type.Object({
      ok: Type.Boolean(),
      stored: Type.Integer({ description: "The number of decisions that were not stored before." }),
    }),
    errors: [],
    emits: [],
  },
  listGateDecisions: {
    method: "GET",
    path: "/v1/gate/decisions",
    tag: TAG,
    summary: "Samples of what gates refused, logged or decided by a policy, newest first",
    description: "All filters apply together. How many are sampled is in /docs/gate; the traffic has all counts.",
    access: READ,
    limits: PROJECT_LIMIT,
    readsOwnerOnly: true,
    query: Type.Object({
      ...PROJECT_QUERY,
      ...PAGE_QUERY,
      action: Type.Optional(
        OneOf(FILTERED_ACTIONS, {
          description: "Only with this action; `log`: let through although a rule matched, as with detect only.",
        }),
      ),
      ruleId: Type.Optional(Type.String({ maxLength: 256, description: "Only by this rule." })),
      host: Type.Optional(Type.String({ maxLength: 255, description: "Only of this host." })),
    }),
    example: { query: { projectId: "shop", action: "deny" } },
    response: Type.Object({ decisions: Type.Array(ListedDecision), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getGateDecision: {
    method: "GET",
    path: "/v1/gate/decisions/:decisionId",
    tag: TAG,
    summary: "Find a decision by its id: what decided, and why",
    description: "In every project of the team or account.",
    access: READ,
    limits: { project: "handler" },
    readsOwnerOnly: true,
    params: Type.Object({ decisionId: DecisionId }),
    response: Type.Object({ decision: FullDecision }),
    errors: [],
    emits: [],
  },
});
