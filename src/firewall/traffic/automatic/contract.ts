// Endpoints of attack challenge mode that switches itself.
import { Type } from "typebox";
import { Nullable, OneOf, defineContract } from "../../../platform/kernel/contract.ts";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../../platform/kernel/project.ts";
import { KEPT_DAYS } from "../traffic-schema.ts";

const PATH = "/v1/attack-challenge-mode/automatic";
const TAG = "Attack mode";

const TIME = (description: string) => Nullable(Type.Integer({ description: `ms since the epoch; ${description}` }));

const Figures = (what: string) =>
  Type.Object(
    {
      usual: Nullable(
        Type.Integer({ description: "All but one in twenty minutes have at most this; null: not known yet." }),
      ),
      limit: Nullable(Type.Integer({ description: "A minute with more is unusual; null: not known yet." })),
      latest: Nullable(
        Type.Integer({ description: "The higher of this minute and the one before; null: nothing was measured." }),
      ),
    },
    { description: what },
  );

const AutomaticAttackMode = Type.Object(
  {
    enabled: Type.Boolean({ description: "Whether the mode switches itself." }),
    updatedAt: TIME("null: it was never switched."),
    isOn: Type.Boolean({ description: "Whether the mode is on because of this, and nobody has changed it since." }),
    pausedUntil: TIME("it does not switch on before, because somebody has switched the mode off; null: it may."),
    knownSince: TIME("the first minute that it knows; null: none."),
    learnedAt: TIME(
      "when it last learned what is usual, once an hour; null: at the time of this response, since it is not enabled.",
    ),
    requests: Figures("Requests in a minute."),
    errors: Figures("Responses of the application with status 500 or more in a minute."),
    latencyMs: Figures("The time after which 19 of 20 responses of a minute had begun."),
    lastUnusual: Nullable(
      Type.Object(
        {
          at: Type.Integer({ description: "The minute, ms since the epoch." }),
          measure: OneOf(["requests", "errors", "latency"]),
          measured: Type.Integer(),
          usual: Type.Integer(),
          limit: Type.Integer(),
        },
        {
          description:
            `The last minute of the last ${KEPT_DAYS} days, outside of the mode, that passes a limit: with this enabled the ` +
            "mode would have been switched on. Null: there is none.",
        },
      ),
    ),
  },
  { title: "AutomaticAttackMode" },
);

export const automaticContract = defineContract({
  getAutomaticAttackMode: {
    method: "GET",
    path: PATH,
    tag: TAG,
    summary: "Whether attack challenge mode switches itself, and by which figures",
    description:
      "What is usual is learned from the reported traffic of the project, from a day on. The figures are there whether it is enabled or not.",
    access: { kind: "owner", permission: "firewall:read" },
    limits: PROJECT_LIMIT,
    query: Type.Object(PROJECT_QUERY),
    example: { query: { projectId: "shop" } },
    response: AutomaticAttackMode,
    errors: [],
    emits: [],
  },
  setAutomaticAttackMode: {
    method: "PATCH",
    path: PATH,
    tag: TAG,
    gives: "nothing",
    summary: "Let attack challenge mode switch itself, or not",
    description:
      "While it is enabled, a report of traffic that passes a limit switches the mode on for ten minutes, and longer while it goes on. " +
      "It never switches off what a person has switched on, and stays off for an hour after a person has switched it off. Disabled, " +
      "it leaves the mode as it is.",
    access: { kind: "owner", permission: "firewall:write" },
    limits: PROJECT_LIMIT,
    protects: Type.Object({ enabled: Type.Literal(true) }),
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      { enabled: Type.Boolean({ description: "Whether the mode switches itself." }) },
      { additionalProperties: false },
    ),
    example: { query: { projectId: "shop" }, body: { enabled: true } },
    response: AutomaticAttackMode,
    errors: ["revision_mismatch"],
    emits: ["attack-mode-automatic-enabled", "attack-mode-automatic-disabled"],
  },
});
