// Trying requests on a configuration: what would become of them, and why.
import { DECISIONS } from "../../evaluator/decision.ts";
import { Nullable, defineContract } from "../../kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_QUERY } from "../projects/project-schema.ts";
import { FIREWALL_TAG, VersionName, VersionParams, firewallAliases } from "../firewall/contract.ts";
import { Decision, Steps, TimedAttributes } from "./attributes-schema.ts";

export const MAX_REQUESTS = 1_000;
/** Steps, and conditions in them, that one answer shows: it grows with each. */
export const MAX_TRACE_ITEMS = 50_000;

export const BypassInput = Type.Object(
  {
    domain: Type.Optional(
      Nullable(Type.String({ maxLength: 2_544, description: "A name, `*.name` or `*`; null: the whole project." })),
    ),
    ip: Type.Optional(Nullable(Type.String({ maxLength: 64, description: "Address or network; null: all sources." }))),
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
    summary: "Try requests on a configuration: what would become of each, and why",
    description:
      "The requests happen one after the other, on counters that begin empty, and change nothing. Works on a draft, so that a " +
      "change can be tried before it is live. `compareWith` names a configuration to try the same requests on: " +
      "`differences` are those that it decides otherwise. What takes more than five seconds of a processor is given up, and so is what its " +
      "caller no longer waits for. Traced requests times rules, conditions, address entries and sets is at most " +
      `${MAX_TRACE_ITEMS / 1_000} thousand, where there are several.`,
    access: { kind: "owner", permission: "firewall:read" },
    readsOnly: true,
    params: VersionParams,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        requests: Type.Array(TimedAttributes, {
          minItems: 1,
          maxItems: MAX_REQUESTS,
          description: "In order of time; one without `at` happens when the one before it did, the first one now.",
        }),
        trace: Type.Optional(
          Type.Boolean({ description: "Whether to answer the steps; by default for a single request only." }),
        ),
        compareWith: Type.Optional(
          Type.Union([VersionName, Type.Integer({ minimum: 1, maximum: 999_999_999_999_999 })], {
            description: "Another configuration, by its name or number.",
          }),
        ),
        attackMode: Type.Optional(
          Type.Boolean({ description: "As if attack challenge mode were on or off; by default as it is." }),
        ),
        bypasses: Type.Optional(
          Type.Array(BypassInput, {
            maxItems: 1_000,
            description: "In the place of the project's bypass list and its bypass rules.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    maxBodyValues: 150_000,
    response: Type.Object(
      {
        version: Type.Integer({ description: "Of a draft the number that it would get now." }),
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
              index: Type.Integer({ description: "Of the request, from 0." }),
              before: Decision,
              after: Decision,
            }),
            { description: "`before` is of the version compared with." },
          ),
        ),
        summary: Type.Object(Object.fromEntries(DECISIONS.map((action) => [action, Counted])), {
          description: "How many requests met each decision.",
        }),
      },
      { title: "FirewallEvaluation" },
    ),
    errors: ["firewall_too_costly"],
    emits: [],
  },
});
