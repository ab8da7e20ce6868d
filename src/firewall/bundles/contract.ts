// What a gate reads: one bundle per project, and a stream that says which project has a new one.
import { Type } from "typebox";
import { Nullable, OneOf, defineContract } from "../../platform/kernel/contract.ts";
import { ConditionGroup, FirewallConfig } from "../configurations/config-schema.ts";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";

const TAG = "Gate";
const ACCESS = { kind: "owner", permission: "gate:connect" } as const;

const Bypass = Type.Object({
  domain: Nullable(Type.String({ description: "A host name, `*.name` or `*`; null: the whole project." })),
  ip: Nullable(Type.String({ description: "Address or network; null: any client." })),
  expiresAt: Nullable(Type.Integer({ description: "ms since the epoch; null: never." })),
});

export const gateContract = defineContract({
  getGateBundle: {
    method: "GET",
    path: "/v1/gate/bundle",
    tag: TAG,
    summary: "What a gate needs to decide about a project's requests",
    description:
      "The active configuration, attack challenge mode, bypasses, and the keys that sign challenges and passes, from which nobody can " +
      "compute those of another day or project. A gate keeps it on disk and decides without this server. Everything with an end has its " +
      "time, so that it ends at every gate alike. Send the `ETag` of the bundle you have as `If-None-Match`: 304 says that nothing has changed.",
    access: ACCESS,
    limits: PROJECT_LIMIT,
    isConditional: true,
    query: Type.Object(PROJECT_QUERY),
    example: { query: { projectId: "shop" } },
    response: Type.Object(
      {
        ownerId: Type.String({ description: "The team or user that the project belongs to." }),
        projectId: Type.String(),
        configuration: Type.Union([FirewallConfig, Type.Null()], {
          description: "The active configuration; null: none is active.",
        }),
        attackMode: Type.Object({
          isEnabled: Type.Boolean(),
          activeUntil: Nullable(
            Type.Integer({ description: "When it ends by itself, ms since the epoch; null: never." }),
          ),
          since: Nullable(
            Type.Integer({
              description:
                "When it was switched on, ms since the epoch; null: it is off. Passes of before do not count.",
            }),
          ),
        }),
        bypasses: Type.Array(Bypass),
        bypassRules: Type.Array(Type.Object({ domain: Type.String(), conditionGroup: ConditionGroup })),
        challengeKeys: Type.Array(
          Type.Object({
            day: Type.Integer({ description: "The day (UTC) on which the key signs: whole days since the epoch." }),
            key: Type.String({ description: "32 bytes, base64url." }),
          }),
          { description: "Of yesterday, today and the next seven days." },
        ),
        bots: Type.Array(
          Type.Object({
            name: Type.String({ description: "For one that does not sign: also a part of its user agent." }),
            agent: Nullable(Type.String({ description: "Its origin in `Signature-Agent`; null: it does not sign." })),
            networks: Type.Array(Type.String(), { description: "Those that it requests from." }),
            keys: Type.Array(Type.String(), { description: "Ed25519 public keys: `x` of their JWK." }),
          }),
          { description: "Verified bots, which are not challenged: see REEVE_BOT_SOURCES." },
        ),
      },
      { title: "GateBundle" },
    ),
    errors: ["master_key_missing"],
    emits: [],
  },
  reportGateEngine: {
    method: "POST",
    path: "/v1/gate/engine",
    tag: TAG,
    gives: "nothing",
    summary: "Say which engine enforces the categories of attacks",
    description:
      "For a gate whose settings a rule engine uses: configurations of the project name it in `enforcedBy.crs` then. Say it again every " +
      "five minutes; it is forgotten after fifteen. It is not recorded as an event.",
    access: ACCESS,
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    query: Type.Object(PROJECT_QUERY),
    body: Type.Object(
      { crs: OneOf(["modsecurity", "coraza"], { description: "The engine, with the OWASP core rule set." }) },
      { additionalProperties: false },
    ),
    example: { query: { projectId: "shop" }, body: { crs: "modsecurity" } },
    returns: "The report was stored.",
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    emits: [],
  },
  streamGateChanges: {
    method: "GET",
    path: "/v1/gate/stream",
    tag: TAG,
    summary: "Learn at once when a project's bundle has changed, as server-sent events",
    description:
      'Each `change` names a project in `data`, as JSON: `{"projectId":"shop"}`; null: any. Read its bundle again. Without ' +
      "`Last-Event-ID` the stream begins now. Comments keep a silent connection alive.",
    access: ACCESS,
    limits: { project: "handler" },
    response: Type.String(),
    streams: { "text/event-stream": { description: "Server-sent events, for as long as the gate listens." } },
    streamsOnly: true,
    isLive: true,
    isForGates: true,
    errors: ["too_many_streams"],
    emits: [],
  },
});
