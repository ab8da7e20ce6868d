// The schemas of request attributes, decisions and the steps of an evaluation.
import { DECISIONS, OUTCOMES, PHASES } from "../evaluator/decision.ts";
import type { Decision as EvaluatorDecision, Step as EvaluatorStep } from "../evaluator/decision.ts";
import { Nullable, OneOf, RecordOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { ConditionValue } from "../configurations/config-schema.ts";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

const KIB = 1_024;
const closed = { additionalProperties: false } as const;

const Text = Type.Optional(Type.String({ maxLength: 2_048 }));
const HeaderValue = Type.String({ maxLength: 16 * KIB });

const ATTRIBUTES = {
  url: Type.String({
    minLength: 1,
    maxLength: 16 * KIB,
    description: "Absolute (`https://example.com/a?b=c`), or beginning with the path (`/a?b=c`).",
  }),
  method: Type.Optional(Type.String({ minLength: 1, maxLength: 32, description: "`GET` by default." })),
  headers: Type.Optional(
    RecordOf(Type.Union([HeaderValue, Type.Array(HeaderValue, { maxItems: 128 })]), {
      maxProperties: 128,
      description: "By name; a list for a header that occurs several times.",
    }),
  ),
  ip: Type.Optional(Type.String({ maxLength: 64, description: "Address of the client." })),
  protocol: Text,
  geo: Type.Optional(
    Type.Object(
      {
        continent: Text,
        country: Text,
        region: Text,
        city: Text,
        asNumber: Type.Optional(Type.Union([Type.String({ maxLength: 32 }), Type.Number()])),
      },
      closed,
    ),
  ),
  ja3: Text,
  ja4: Text,
  region: Text,
  environment: Text,
  domainEnvironment: Text,
  route: Text,
  targetPath: Type.Optional(Type.String({ maxLength: 16 * KIB })),
  serverAction: Text,
  rateLimitApiId: Text,
  bot: Type.Optional(Type.Object({ name: Text, category: Text, status: Text, protection: Text }, closed)),
  trafficSource: Text,
  trustedSource: Text,
  rulesets: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 128 })),
  body: Type.Optional(Type.String({ maxLength: 64 * KIB })),
  challengePassed: Type.Optional(
    Type.Boolean({ description: "The client has passed a challenge, and is not challenged again." }),
  ),
};

export const RequestAttributes = Type.Object(ATTRIBUTES, {
  title: "RequestFacts",
  description: "The attributes of a request; /docs/firewall says how they are used.",
  ...closed,
});

export const TimedAttributes = Type.Object(
  {
    ...ATTRIBUTES,
    at: Type.Optional(
      Type.Integer({
        ...EPOCH_MS,
        minimum: 0,
        maximum: 9_007_199_254_740_991,
        description: "The time of the request, ms since the epoch.",
      }),
    ),
  },
  { title: "TimedRequestFacts", ...closed },
);

const CAUSE = {
  phase: OneOf(PHASES),
  id: Nullable(
    Type.String({
      description: "The id of the rule or address entry, or the name of the managed set; null: attack mode.",
    }),
  ),
  name: Nullable(Type.String({ description: "The name of the rule, or the tag of the managed set that matched." })),
};
const Cause = Type.Object(CAUSE, { title: "FirewallCause" });

export const Decision = Type.Unsafe<EvaluatorDecision>(
  Type.Object(
    {
      action: OneOf(DECISIONS),
      status: Nullable(
        Type.Integer({ description: "The HTTP status for the client; null: the request is let through." }),
      ),
      by: Type.Union([Cause, Type.Null()], { description: "The step that decided; null: none did." }),
      location: Type.Optional(Type.String({ description: "The target of a redirect." })),
      retryAfter: Type.Optional(Type.Integer({ description: "Seconds until the decision expires." })),
      isHeld: Type.Optional(
        Type.Boolean({ description: "The decision repeats an earlier one of the rule for this client." }),
      ),
      logged: Type.Array(Cause, {
        description: "The steps that matched with the action `log`, in order; the first 50.",
      }),
    },
    { title: "FirewallDecision" },
  ),
);

const ConditionTrace = Type.Object(
  {
    type: Type.String(),
    op: Type.String(),
    neg: Type.Boolean(),
    key: Type.Optional(Type.String()),
    actual: Type.Array(Type.String(), {
      description: "The values of the request; long lists and texts are shortened.",
    }),
    expected: Type.Optional(
      Type.Union(ConditionValue.anyOf, { description: "The value of the condition; a long one is shortened." }),
    ),
    holds: Type.Boolean(),
  },
  { title: "FirewallConditionTrace" },
);

export const Steps = Type.Unsafe<readonly EvaluatorStep[]>(
  Type.Array(
    Type.Object(
      {
        ...CAUSE,
        outcome: OneOf(OUTCOMES),
        action: Type.String({ description: "The action of the step when it matches." }),
        reason: Type.Optional(Type.String({ description: "The reason, when conditions do not show it." })),
        groups: Type.Optional(
          Type.Array(Type.Object({ matches: Type.Boolean(), conditions: Type.Array(ConditionTrace) })),
        ),
        count: Type.Optional(Type.Number({ description: "Requests counted in the window, or tokens left." })),
        limit: Type.Optional(Type.Number()),
        isAfterDecision: Type.Optional(
          Type.Boolean({ description: "The step comes after the decision and shows what would have followed." }),
        ),
      },
      { title: "FirewallStep", description: "One step of an evaluation." },
    ),
    {
      description: "Every rule, and every matching entry and active set, in order, including those after the decision.",
    },
  ),
);
