// The schemas of webhooks: the object, its creation and its change.
import { Nullable, OneOf, RecordOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import type { Static } from "typebox";
import { ProjectName } from "../../platform/kernel/project.ts";

// Webhooks are sent events, and their deliveries show them.
export const READ = { kind: "owner", permission: "webhook:read", alsoNeeds: "event:read" } as const;
export const WRITE = { kind: "owner", permission: "webhook:write", alsoNeeds: "event:read" } as const;

export const MAX_WEBHOOKS = 100;
const MAX_EVENTS = 200;
/** Every name of an event is shorter. */
const MAX_EVENT_LENGTH = 64;
const MAX_PROJECTS = 50;
const MAX_CONCURRENCY = 64;
const MAX_RATE = 1_000;
const DEFAULT_CONCURRENCY = 4;

export const ORDERINGS = ["parallel", "strict"] as const;
export const INACTIVE_REASONS = ["request", "gone", "failing"] as const;
export type InactiveReason = (typeof INACTIVE_REASONS)[number];

export const DEFAULTS = { ordering: "parallel", concurrency: DEFAULT_CONCURRENCY } as const;

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: "The URL of the receiver: http or https, on an allowed port, without credentials, at a public address.",
});
const Events = Type.Array(Type.String({ minLength: 1, maxLength: MAX_EVENT_LENGTH }), {
  minItems: 1,
  maxItems: MAX_EVENTS,
  description: "Names of `GET /v1/events/types`, or globs of them: `team-*`, `deployment.*`, `*`.",
});
const ProjectIds = Type.Array(ProjectName(), {
  minItems: 1,
  maxItems: MAX_PROJECTS,
  description: "Only events of these projects; without it, events of all projects and of none.",
});
const Description = Type.String({ maxLength: 500 });
const Headers = RecordOf(Type.String({ maxLength: 1_024 }), {
  maxProperties: 20,
  description: "Headers of your own for each request. Their values are sealed and never in a response.",
});
const Ordering = OneOf(ORDERINGS, {
  description:
    "`parallel` (default): a failed delivery does not delay the others. `strict`: one at a time, each event after " +
    "the one before it was delivered or given up.",
});
const Concurrency = Type.Integer({
  minimum: 1,
  maximum: MAX_CONCURRENCY,
  description: `Deliveries in flight at once, if the ordering allows it; ${DEFAULT_CONCURRENCY} by default.`,
});
const RateLimit = Type.Integer({ minimum: 1, maximum: MAX_RATE, description: "Maximum of deliveries a second." });
const LogResponses = Type.Boolean({
  description:
    "Keep headers and bodies of responses in the log, and show them in tests. By default only for a webhook without " +
    "`headers` of its own, because receivers may echo these.",
});
const KeyPair = Type.Boolean({
  description: "Also sign with an Ed25519 key of the webhook's own (`v1a`), whose public half is `publicKey`.",
});

/** The members that both creating and changing a webhook take. */
const SETTINGS = {
  active: Type.Optional(
    Type.Boolean({ description: "While it is false, events are kept as `skipped` and can be replayed." }),
  ),
  ordering: Type.Optional(Ordering),
  concurrency: Type.Optional(Concurrency),
  keyPair: Type.Optional(KeyPair),
  logResponses: Type.Optional(LogResponses),
};

export const NewWebhook = Type.Object(
  {
    url: Url,
    events: Events,
    projectIds: Type.Optional(ProjectIds),
    description: Type.Optional(Description),
    headers: Type.Optional(Headers),
    rateLimit: Type.Optional(RateLimit),
    ...SETTINGS,
  },
  { additionalProperties: false },
);

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    projectIds: Type.Optional(Type.Union([ProjectIds, Type.Null()])),
    description: Type.Optional(Nullable(Description)),
    headers: Type.Optional(Type.Union([Headers, Type.Null()])),
    rateLimit: Type.Optional(Nullable(RateLimit)),
    ...SETTINGS,
  },
  { additionalProperties: false, minProperties: 1 },
);

const WEBHOOK = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  ownerId: Type.String({ description: "The team or user that it belongs to." }),
  createdAt: Type.Integer({ description: "ms since the epoch." }),
  updatedAt: Type.Integer(),
  projectIds: Type.Optional(Type.Array(Type.String(), { description: "Absent: all projects." })),
  description: Nullable(Type.String()),
  active: Type.Boolean(),
  inactiveReason: Nullable(
    OneOf(INACTIVE_REASONS, {
      description:
        "`request`: deactivated by a call. `gone`: the receiver responded with 410. `failing`: it failed for five days.",
    }),
  ),
  inactiveSince: Nullable(Type.Integer()),
  failingSince: Nullable(Type.Integer({ description: "Since when every attempt has failed." })),
  ordering: Ordering,
  concurrency: Type.Integer(),
  rateLimit: Nullable(Type.Integer()),
  headerNames: Type.Array(Type.String(), { description: "The names of its own headers." }),
  logResponses: LogResponses,
  publicKey: Nullable(Type.String({ description: "`whpk_…`: verifies `v1a` signatures." })),
  previousSecretExpiresAt: Nullable(Type.Integer({ description: "Until then the previous secret signs too." })),
};

export const WebhookHealth = Type.Object(
  {
    countedSince: Type.Integer({
      description:
        "Deliveries of events since then are counted, ms: later than the first period where there are too many.",
    }),
    periods: Type.Array(
      Type.Object({
        at: Type.Integer({ description: "When the half hour begins, ms since the epoch." }),
        delivered: Type.Integer(),
        failed: Type.Integer({ description: "Given up." }),
        pending: Type.Integer({ description: "Waiting for their first or next attempt." }),
      }),
      { description: "The last 24 hours by half hours, oldest first: deliveries by the time of their event." },
    ),
    medianMs: Nullable(
      Type.Integer({ description: "The median duration of the newest attempts that had a response; null: none had." }),
    ),
  },
  { title: "WebhookHealth" },
);
const health = Type.Optional(WebhookHealth);

/** Of a read of webhooks. */
export const HEALTH_QUERY = {
  withHealth: Type.Optional(Type.Boolean({ description: "Also returns `health`: how deliveries went lately." })),
};

export const Webhook = Type.Object({ ...WEBHOOK, health }, { title: "Webhook" });
/** What every response about a webhook has. */
export type PublicWebhook = Omit<Static<typeof Webhook>, "health">;

const Secret = Type.String({ description: "`whsec_…`; verifies `v1` and `x-vercel-signature`. Shown only here." });
export const NewlySignedWebhook = Type.Object({ ...WEBHOOK, secret: Secret }, { title: "WebhookWithSecret" });

const ProjectMetadata = Type.Object({
  id: Type.String(),
  name: Type.String(),
  framework: Type.Unsafe<null>({ type: "null" }),
});
export const ListedWebhook = Type.Object(
  {
    ...WEBHOOK,
    health,
    projectsMetadata: Type.Unsafe<
      readonly { readonly id: string; readonly name: string; readonly framework: null }[] | null
    >({ anyOf: [{ type: "array", items: ProjectMetadata }, { type: "null" }] }),
  },
  { title: "ListedWebhook" },
);
