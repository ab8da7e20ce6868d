// The endpoint that evaluates requests against a configuration without storing anything.
import { DECISIONS } from "../evaluator/decision.ts";
import { Nullable, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import { Change } from "../configurations/change-schema.ts";
import { FIREWALL_TAG, VersionName, VersionParams, firewallAliases } from "../configurations/contract.ts";
import { Decision, Steps, TimedAttributes } from "./attributes-schema.ts";

export const MAX_REQUESTS = 1_000;
/** The most steps and conditions in a response with several traces. */
export const MAX_TRACE_ITEMS = 50_000;

export const BypassInput = Type.Object(
  {
    domain: Type.Optional(
      Nullable(
        Type.String({ maxLength: 2_544, description: "A host name, `*.name` or `*`; null: the whole project." }),
      ),
    ),
    ip: Type.Optional(Nullable(Type.String({ maxLength: 64, description: "Address or network; null: any client." }))),
  },
  { additionalProperties: false },
);

const Counted = Type.Integer({ minimum: 0 });

export const evaluateContract = defineContract({
  evaluateFirewallConfig: {
    method: "POST",
    path: "/v1/firewalls/:configVersion/evaluate",
    aliases: firewallAliases("/:configVersion/evaluate"),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Evaluate requests against a configuration: the decision for each, and why",
    description:
      "Evaluates the requests in order with counters that start empty, and stores nothing. Works on a draft, so that a change " +
      "can be tested before it is active. `compareWith` names another configuration to evaluate the same requests against: " +
      "`differences` lists those that are decided differently. The evaluation is aborted after five seconds of CPU time or when " +
      "the client disconnects. With several traced requests, their number times the number of rules, conditions, address " +
      `entries and sets is at most ${MAX_TRACE_ITEMS / 1_000} thousand.`,
    access: { kind: "owner", permission: "firewall:read" },
    limits: PROJECT_LIMIT,
    readsOnly: true,
    params: VersionParams,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        requests: Type.Array(TimedAttributes, {
          minItems: 1,
          maxItems: MAX_REQUESTS,
          description:
            "In order of time. A request without `at` has the time of the previous one; the first one has the current time.",
        }),
        trace: Type.Optional(
          Type.Boolean({ description: "Whether the response shows the steps; by default only for a single request." }),
        ),
        compareWith: Type.Optional(
          Type.Union([VersionName, Type.Integer({ minimum: 1, maximum: 999_999_999_999_999 })], {
            description: "Another configuration, by its name or number.",
          }),
        ),
        change: Type.Optional(
          Type.Object(Change.properties, {
            additionalProperties: false,
            description:
              "A change to evaluate the configuration with, as `PATCH` takes it; it is not stored. A draft that is not there is " +
              "begun with it, as by `PATCH`.",
          }),
        ),
        attackMode: Type.Optional(
          Type.Boolean({
            description: "Assume that attack challenge mode is on or off; by default its current state.",
          }),
        ),
        bypasses: Type.Optional(
          Type.Array(BypassInput, {
            maxItems: 1_000,
            description: "Replaces the project's bypass list and its bypass rules.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    maxBodyValues: 150_000,
    example: {
      query: { projectId: "shop" },
      body: { requests: [{ url: "https://shop.example.com/admin", ip: "203.0.113.7" }] },
    },
    returns: "The decision for each request, and why.",
    response: Type.Object(
      {
        version: Type.Integer({
          description: "The number of the version; of a draft, the number that it would get now.",
        }),
        results: Type.Array(
          Type.Object({
            decision: Decision,
            steps: Type.Optional(Steps),
          }),
          { description: "One for each request." },
        ),
        comparedWith: Type.Optional(Type.Integer({ description: "The other version." })),
        differences: Type.Optional(
          Type.Array(
            Type.Object({
              index: Type.Integer({ description: "The index of the request, from 0." }),
              before: Decision,
              after: Decision,
            }),
            { description: "`before` is the decision of the version compared with." },
          ),
        ),
        summary: Type.Object(Object.fromEntries(DECISIONS.map((action) => [action, Counted])), {
          description: "The number of requests by decision.",
        }),
      },
      { title: "FirewallEvaluation" },
    ),
    errors: ["invalid_firewall", "firewall_too_costly"],
    emits: [],
  },
});
