// The endpoint that streams the feed as server-sent events. A client gets each event when it is committed, and after a
// reconnect those that it missed.
import { Type } from "typebox";
import { defineContract } from "../../platform/kernel/contract.ts";
import { EventsQuery } from "./contract.ts";

const { after, entityId, principalId, projectIds, type, types, userId, withPayload } = EventsQuery.properties;

export const StreamQuery = Type.Object({
  after: Type.Optional({
    ...after,
    description: "Begins after this sequence; 0 begins with the oldest stored event. By default the stream begins now.",
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
    summary: "Stream events, as server-sent events",
    description:
      "Each event has its sequence as `id`, its type as `event`, and the event as JSON in `data`. To reconnect without " +
      "missing an event, send the last `id` as `Last-Event-ID`, which wins over `after`; `events_pruned` says that events " +
      "after it are no longer stored. Comments keep a silent connection alive. The stream ends when the credential or the " +
      "right to read is lost, and when the server stops: then connect again.",
    access: { kind: "owner", permission: "event:read" },
    query: StreamQuery,
    example: { query: { types: "secret-*" } },
    response: Type.String(),
    streams: { "text/event-stream": { description: "Server-sent events, for as long as the client listens." } },
    streamsOnly: true,
    isLive: true,
    errors: ["invalid_cursor", "events_pruned", "too_many_streams"],
    emits: [],
  },
});
