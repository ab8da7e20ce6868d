// Endpoints of attack challenge mode: while it is on, clients of the project are challenged.
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { Nullable, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { DEFAULT_PROJECT, PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import { EPOCH_MS } from "../../platform/kernel/units.ts";

export const MAX_DAYS_ON = 30;

const PATH = "/v1/attack-challenge-mode";
/** Existing clients use another name. */
const ALIASES = ["/attack-challenge-mode", "/v1/security/attack-mode", "/security/attack-mode"];
const TAG = "Attack mode";

const ENABLED = Type.Boolean({ description: "Whether it is on." });
const ACTIVE_UNTIL = Nullable(
  Type.Integer({ description: "The time at which it ends, ms since the epoch; null: never, or it is off." }),
);

export const attackModeContract = defineContract({
  getAttackMode: {
    method: "GET",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    summary: "Whether attack challenge mode is on",
    description: "For a project of the team in the query, else of the caller's account. Off when it was never set.",
    access: { kind: "owner", permission: "firewall:read" },
    limits: PROJECT_LIMIT,
    readsOwnerOnly: true,
    query: Type.Object(PROJECT_QUERY),
    example: { query: { projectId: "shop" } },
    response: Type.Object({
      attackModeEnabled: ENABLED,
      attackModeUpdatedAt: Nullable(
        Type.Integer({ description: "The time at which it was last set or ended; null: it was never set." }),
      ),
      attackModeActiveUntil: ACTIVE_UNTIL,
    }),
    errors: [],
    emits: [],
  },
  setAttackMode: {
    method: "POST",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Switch attack challenge mode on or off",
    description:
      "Sets the switch and the end. Without `attackModeActiveUntil` the mode stays on until it is switched off. Setting the " +
      "current state changes nothing. At its end the mode is off at once on every node; the event `attack-mode-disabled` " +
      "follows within seconds.",
    access: { kind: "owner", permission: "firewall:write" },
    limits: { project: { at: ["query.projectId", "body.projectId"], otherwise: DEFAULT_PROJECT } },
    changesOwnerOnly: true,
    protects: Type.Object({ attackModeEnabled: Type.Literal(true) }),
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        ...PROJECT_QUERY,
        attackModeEnabled: ENABLED,
        attackModeActiveUntil: Type.Optional(
          Nullable(
            Type.Integer({
              ...EPOCH_MS,
              minimum: 0,
              maximum: MAX_TIME_MS,
              description: `The time at which it ends: ms since the epoch, in the future, at most ${MAX_DAYS_ON} days ahead.`,
            }),
          ),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { projectId: "shop", attackModeEnabled: true } },
    returns: "Whether attack challenge mode is on, and until when.",
    response: Type.Object({
      attackModeEnabled: ENABLED,
      // Clients require a number.
      attackModeUpdatedAt: Type.Integer({
        description: "The time at which it was last set or ended; 0 when it was switched off and was never on.",
      }),
      attackModeActiveUntil: ACTIVE_UNTIL,
    }),
    errors: ["invalid_expiry", "revision_mismatch"],
    emits: ["attack-mode-enabled", "attack-mode-disabled"],
  },
});
