// The endpoints of the event feed, of publishing, and of the list of event types.
import { Type } from "typebox";
import { Nullable, OneOf, Pattern, defineContract } from "../../platform/kernel/contract.ts";
import { DEFAULT_LIMIT } from "../../platform/kernel/pagination.ts";
import { PUBLISHABLE_NAMES } from "../../platform/kernel/clients/public-webhook-names.ts";
import { ProjectName } from "../../platform/kernel/project.ts";
import { COMMAS } from "../../platform/kernel/units.ts";

// A page that merges many types reads this many events of each, on the serving thread.
const MAX_EVENTS_LIMIT = 250;
export const MAX_PROJECTS = 20;
export const NDJSON = "application/x-ndjson";
export const CSV = "text/csv";

export const MAX_PAYLOAD_BYTES = 256 * 1024;

const PlainObject = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object", additionalProperties: true });

/** A snapshot of an account at the time of the event. */
const EventUser = Type.Object({
  uid: Type.String(),
  username: Type.String(),
  email: Type.String(),
  slug: Type.String({ description: "The username." }),
  avatar: Type.String({ description: "Empty when there was none." }),
});

const Principal = Type.Object(
  {
    type: OneOf(["user", "app", "system"]),
    uid: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    slug: Type.Optional(Type.String()),
    avatar: Type.Optional(Type.String()),
    id: Type.Optional(Type.String({ description: "Of an API key." })),
    clientId: Type.Optional(Type.String({ description: "Of an API key; the same as `id`." })),
    name: Type.Optional(Type.String({ description: "Of an API key." })),
  },
  { description: "Who acted: a user, an API key (`app`), or Reeve itself (`system`)." },
);

export const Event = Type.Object(
  {
    id: Type.String(),
    sequence: Type.Integer({ description: "Position in the owner's chain: 1, 2, 3, ... without gaps." }),
    type: Type.Optional(Type.String({ description: "A name of `GET /v1/events/types`." })),
    text: Type.String({ description: "What happened, as a sentence." }),
    entities: Type.Array(Type.Object({ type: Type.String(), start: Type.Integer(), end: Type.Integer() }), {
      description: "What parts of `text` are, by UTF-16 offsets.",
    }),
    categories: Type.Optional(Type.Array(Type.String())),
    createdAt: Type.Integer({
      description: "ms since the epoch; of two events of an owner the later has no lower one.",
    }),
    principalId: Type.String({ description: "Id of the user or API key that acted, or `system`." }),
    principal: Type.Optional(Principal),
    userId: Type.String({
      description: "The account for which the principal acted; empty for keys of a team and for Reeve itself.",
    }),
    user: Type.Optional(EventUser),
    tokenId: Type.Optional(Type.String({ description: "Id of the access token or API key that was used." })),
    channel: OneOf(["http", "cli", "system"], { description: "How the call reached Reeve." }),
    requestId: Type.String({ description: "Reeve's own id of the call, which its log has too." }),
    clientRequestId: Type.Optional(Type.String({ description: "The `X-Request-Id` that the client sent." })),
    entityId: Type.String({ description: "Id of the resource that the event is about." }),
    projectId: Type.Optional(Type.String()),
    hash: Type.String({ description: "SHA-256 over the previous event's hash and this event." }),
    ownerId: Type.Optional(Type.String({ description: "With `instance=true`: the user or team whose event it is." })),
    ip: Type.Optional(Type.String({ description: "With `withPayload`." })),
    userAgent: Type.Optional(Type.String({ description: "With `withPayload`." })),
    payload: Type.Optional(PlainObject),
    previous: Type.Optional(Nullable(PlainObject)),
    next: Type.Optional(Nullable(PlainObject)),
  },
  { title: "Event" },
);

const Sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Id = Type.String({ maxLength: 128 });
const Names = Type.String({
  ...COMMAS,
  maxLength: 2048,
  description: "Comma-separated names of event types or globs (`team-*`, `*`).",
});

export const EventsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_EVENTS_LIMIT,
      description: `Events per page, ${DEFAULT_LIMIT} by default.`,
    }),
  ),
  since: Type.Optional(
    Type.String({
      maxLength: 40,
      description: "Only events of this time (ms or ISO 8601) or later. None when it is after `until`.",
    }),
  ),
  until: Type.Optional(
    Type.String({ maxLength: 40, description: "Only events of this time (ms or ISO 8601) or earlier." }),
  ),
  after: Type.Optional({
    ...Sequence,
    description: "Only events above this sequence, oldest first: for catching up.",
  }),
  before: Type.Optional({ ...Sequence, description: "Only events below this sequence." }),
  types: Type.Optional(Names),
  type: Type.Optional({ ...Names, description: "The same as `types`." }),
  principalId: Type.Optional(Id),
  userId: Type.Optional({ ...Id, description: "Former name of `principalId`, which wins." }),
  entityId: Type.Optional(Id),
  projectIds: Type.Optional(
    Type.String({
      ...COMMAS,
      maxLength: 2048,
      description: `Comma-separated ids of projects, ${MAX_PROJECTS} at most.`,
    }),
  ),
  withPayload: Type.Optional(
    Type.Boolean({ description: "Also returns `payload`, `previous`, `next`, `ip` and `userAgent`." }),
  ),
  instance: Type.Optional(
    Type.Boolean({
      description: "The events of every user and team, deleted ones too, newest first: for instance administrators.",
    }),
  ),
  cursor: Type.Optional(
    Pattern("^\\d{1,15}\\.[0-9A-Za-z_]{1,64}\\.\\d{1,15}$", "the cursor of a page", {
      maxLength: 96,
      description: "With `instance=true`: the `cursor` of the previous page, to read the next one.",
    }),
  ),
  form: Type.Optional(
    OneOf(["chain"], { deprecated: true, description: "Of an export: the same as that of `GET /v3/events/export`." }),
  ),
});

const EventTypeInfo = Type.Object({
  name: Type.String(),
  description: Type.String(),
  categories: Type.Array(Type.String()),
  publishable: Type.Boolean({ description: "Whether `POST /v1/events` takes it; Reeve itself records the others." }),
});

export const EXPORT_FORMS = {
  [NDJSON]: { description: "One event as JSON in each line." },
  [CSV]: {
    description:
      "A header, then one event in each row: `sequence`, `id`, `createdAt` (ISO 8601), `type`, `text`, " +
      "`principalType`, `principalId`, `principalName`, `principalEmail`, `userId`, `tokenId`, `channel`, " +
      "`requestId`, `clientRequestId`, `entityId`, `projectId`, `hash`; with `withPayload` also `ip`, `userAgent`, " +
      "`payload`, `previous`, `next`. A cell that a spreadsheet would take for a formula begins with `'`.",
  },
};

export const eventsContract = defineContract({
  listEvents: {
    method: "GET",
    path: "/v3/events",
    aliases: ["/v2/events", "/v1/events", "/events"],
    tag: "Events",
    summary: "List events, newest first",
    description:
      "Without a cursor it returns the newest events; the `Link` header leads to the next page. `after` reads on from a " +
      "sequence, oldest first, so a client that polls with the last sequence it has seen misses nothing. An event must " +
      "match all filters.\n\n" +
      "The events of a deleted team can still be read, by its id or its last slug, by its OWNERs at the time, for as " +
      "long as events are stored.\n\n" +
      `With \`Accept: ${NDJSON}\` or \`${CSV}\` it returns what \`GET /v3/events/export\` does: deprecated.`,
    access: { kind: "owner", permission: "event:read", afterDeletion: true, orInstance: true },
    query: EventsQuery,
    example: { query: { types: "secret-*", limit: 20 } },
    response: Type.Object(
      {
        events: Type.Array(Event),
        cursor: Type.Optional(
          Type.String({
            description:
              "With `instance=true`: where the next page begins; absent on the last one. A page may be short, or empty, " +
              "and lead on: it looks at no more than 2 000 events for those that fit.",
          }),
        ),
      },
      { title: "EventList" },
    ),
    streams: EXPORT_FORMS,
    errors: ["too_many_streams"],
    emits: [],
  },
  publishEvent: {
    method: "POST",
    path: "/v1/events",
    tag: "Events",
    gives: "nothing",
    summary: "Publish an event",
    description:
      "Records an event of another part of a platform. It joins the owner's chain and is delivered to webhooks, as " +
      "Reeve's own events are. A project that does not exist begins with it only with the permission firewall:write. An " +
      "`Idempotency-Key` makes it safe to send again.",
    access: { kind: "owner", permission: "event:write" },
    changesOwnerOnly: true,
    sharesTransaction: true,
    body: Type.Object(
      {
        type: Type.String({
          maxLength: 128,
          description:
            "A name that `GET /v1/events/types` calls publishable. What Reeve records itself is refused, and so is " +
            "`test-webhook`, which only a test of a webhook sends. Terraform's spelling of a name is stored as the name.",
        }),
        payload: Type.Optional({
          ...PlainObject,
          description: `The payload for receivers, stored unchanged: at most ${MAX_PAYLOAD_BYTES} bytes as JSON without spaces, and numbers below 2^53; \`{}\` by default.`,
        }),
        projectId: Type.Optional(ProjectName("Name of the project that it belongs to.")),
        entityId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 128,
            description: "Id of the resource that the event is about; by default the project, else the team or user.",
          }),
        ),
        text: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 500,
            description: "What the publisher did, as the rest of a sentence that begins with the publisher's name.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { type: "deployment.created", projectId: "shop" } },
    response: Event,
    errors: [],
    emits: PUBLISHABLE_NAMES,
  },
  listEventTypes: {
    method: "GET",
    path: "/v1/events/types",
    aliases: ["/events/types"],
    tag: "Events",
    summary: "List the types of events, and their categories",
    access: { kind: "owner", permission: "event:read" },
    response: Type.Object({
      types: Type.Array(EventTypeInfo),
      categories: Type.Array(Type.Object({ name: Type.String(), label: Type.String() })),
    }),
    errors: [],
    emits: [],
  },
});
