// Attack challenge mode: while it is on, whoever comes to the project is challenged first.
import { MAX_TIME_MS } from "../../kernel/scheduling/clock.ts";
import { Nullable, defineContract } from "../../kernel/contract.ts";
import { Type } from "typebox";
import { PROJECT_QUERY } from "../projects/project-schema.ts";

export const MAX_DAYS_ON = 30;

const PATH = "/v1/attack-challenge-mode";
/** Today's clients call it by another name. */
const ALIASES = ["/attack-challenge-mode", "/v1/security/attack-mode", "/security/attack-mode"];
const TAG = "Attack mode";

const ENABLED = Type.Boolean({ description: "Whether it is on." });
const ACTIVE_UNTIL = Nullable(
  Type.Integer({ description: "When it ends by itself, ms since the epoch; null: never, or it is off." }),
);

export const attackModeContract = defineContract({
  getAttackMode: {
    method: "GET",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    summary: "Whether attack challenge mode is on",
    description: "Of a project of the team in the query, else of the caller's account. Off where nobody ever set it.",
    access: { kind: "owner", permission: "firewall:read" },
    query: Type.Object(PROJECT_QUERY),
    response: Type.Object({
      attackModeEnabled: ENABLED,
      attackModeUpdatedAt: Nullable(
        Type.Integer({ description: "When it was last set, or ended by itself; null: it never was set." }),
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
    summary: "Switch attack challenge mode on or off",
    description:
      "Sets both, the switch and the end: without `attackModeActiveUntil` it stays on until it is switched off. Setting " +
      "what is already set changes nothing. At its end it is off at once and everywhere; the event " +
      "`attack-mode-disabled` follows within seconds.",
    access: { kind: "owner", permission: "firewall:write" },
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      {
        ...PROJECT_QUERY,
        attackModeEnabled: ENABLED,
        attackModeActiveUntil: Type.Optional(
          Nullable(
            Type.Integer({
              minimum: 0,
              maximum: MAX_TIME_MS,
              description: `When it ends by itself: ms since the epoch, in the future, at most ${MAX_DAYS_ON} days ahead.`,
            }),
          ),
        ),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({
      attackModeEnabled: ENABLED,
      // Clients insist on a number.
      attackModeUpdatedAt: Type.Integer({
        description: "When it was last set, or ended by itself; 0 when it was switched off and never had been on.",
      }),
      attackModeActiveUntil: ACTIVE_UNTIL,
    }),
    errors: ["invalid_expiry", "revision_mismatch"],
    emits: ["attack-mode-enabled", "attack-mode-disabled"],
  },
});
