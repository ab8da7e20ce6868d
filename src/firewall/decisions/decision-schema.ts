// The schemas of sampled decisions, and the bounds of what is stored.
import { DECISIONS, PHASES } from "../evaluator/decision.ts";
import { Nullable, OneOf, Pattern } from "../../platform/kernel/contract.ts";
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Static } from "typebox";
import { Type } from "typebox";
import { Steps } from "../evaluation/attributes-schema.ts";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

export const KEPT_DAYS = 7;
/** How far a gate's clock may be ahead. */
export const MAX_AHEAD_MINUTES = 5;
/** The newest of a project; older ones are deleted when a report brings further ones. */
export const MAX_STORED = 10_000;
/** Of a report. */
export const MAX_REPORTED = 100;
/** Of a decision, as JSON. */
export const MAX_BYTES = 24_576;
const MAX_HEADERS = 64;

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description !== undefined && { description }) });

/** What the action of an entry may be in a filter. */
export const FILTERED_ACTIONS = [...DECISIONS, "log"] as const;

export const DecisionId = Pattern("^[A-Za-z0-9]{8,40}$", "8 to 40 letters and digits", {
  description: "Made by the gate: the `id` of `X-Reeve-Decision`, and of the page and the problem document.",
});

const Cause = Type.Object(
  {
    phase: OneOf(PHASES),
    id: Nullable(text(256, "The id of the rule or address entry, or the name of the managed set; null: attack mode.")),
    name: Nullable(text(256, "The name of the rule, or the tag of the managed set that matched.")),
  },
  closed,
);

const Header = Type.Object({ name: text(128), value: text(2_048) }, closed);

const DECIDED = {
  id: DecisionId,
  at: Type.Integer({ ...EPOCH_MS, minimum: 0, maximum: MAX_TIME_MS, description: "ms since the epoch." }),
  action: OneOf(DECISIONS, { description: "What happened to the request." }),
  status: Nullable(
    Type.Integer({ minimum: 100, maximum: 599, description: "What the client got; null: it was let through." }),
  ),
  wouldBe: Nullable(OneOf(DECISIONS, { description: "With detect only: what would have been done." })),
  reason: Nullable(
    text(40, "The policy that made or changed the decision, such as `detect_only`; null: the configuration decided."),
  ),
  detail: Type.Optional(
    text(200, "What was found, where `reason` alone does not say it: what is wrong with a body, for example."),
  ),
  version: Nullable(
    Type.Integer({ minimum: 0, description: "The version of the configuration; null: none was active." }),
  ),
  by: Type.Union([Cause, Type.Null()], { description: "The step that decided; null: none did." }),
  logged: Type.Array(Cause, { maxItems: 50, description: "The steps that matched with the action `log`, in order." }),
  method: text(32),
  scheme: OneOf(["http", "https"]),
  host: text(255),
  target: text(2_048, "Path and query; credentials are left out, and a long one is cut."),
  ip: Nullable(text(64, "Address of the client; null: unknown, or the request was let through without a match.")),
  userAgent: Nullable(text(512)),
};

const DETAILS = {
  headers: Type.Array(Header, { maxItems: MAX_HEADERS, description: "Without the values of those with credentials." }),
  steps: Type.Union([Steps, Type.Null()], {
    description: "Why: the steps of the evaluation; null: the gate did not record them.",
  }),
  omittedSteps: Type.Integer({
    minimum: 0,
    description: "Further steps that were left out because they did not match.",
  }),
};

export const ReportedDecision = Type.Object({ ...DECIDED, ...DETAILS }, closed);

const STORED = {
  ...DECIDED,
  projectId: Type.String(),
};

export const ListedDecision = Type.Object(STORED, { title: "GateDecision" });
export const FullDecision = Type.Object({ ...STORED, ...DETAILS }, { title: "GateDecisionWithSteps" });

/** A decision is stored in two parts: what lists show, and the rest. */
export type Summary = Omit<Static<typeof ListedDecision>, "projectId">;
export type Details = Omit<Static<typeof FullDecision>, keyof Static<typeof ListedDecision>>;
