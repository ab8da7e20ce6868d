// The feed as a stream of server-sent events: whoever listens gets each event when it happens, and after a break those
// that happened meanwhile.
import { Type } from "typebox";
import { defineContract } from "../../kernel/contract.ts";
import { EventsQuery } from "./contract.ts";

const { after, entityId, principalId, projectIds, type, types, userId, withPayload } = EventsQuery.properties;

export const StreamQuery = Type.Object({
  after: Type.Optional({
    ...after,
    description: "Begins after this sequence, or with the oldest event that is kept when it is 0; otherwise now.",
  }),
  types,
  type,
  principalId,
  userId,
  entityId,
  projectIds,
  withPayload,
});

export const eventStreamContract = defineContract({
  streamEvents: {
    method: "GET",
    path: "/v3/events/stream",
    tag: "Events",
    summary: "Listen to what happens, as server-sent events",
    description:
      "Each event comes with its sequence as `id`, its type as `event`, and the event as JSON in `data`. Who connects " +
      "again sends the last `id` as `Last-Event-ID`, which wins over `after`, and misses nothing; `events_pruned` says " +
      "that events after it are no longer kept. Comments keep a silent connection alive. The stream ends when the " +
      "credential or the right to read is lost, and when the server stops: then connect again.",
    access: { kind: "owner", permission: "event:read" },
    query: StreamQuery,
    response: Type.String(),
    streams: { "text/event-stream": { description: "Server-sent events, for as long as the client listens." } },
    isLive: true,
    errors: ["invalid_cursor", "events_pruned", "too_many_streams"],
    emits: [],
  },
});
