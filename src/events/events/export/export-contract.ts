// The endpoint that exports the feed as lines of JSON or as CSV.
import { Type } from "typebox";
import { OneOf, defineContract } from "../../../platform/kernel/contract.ts";
import { EXPORT_FORMS, EventsQuery } from "../contract.ts";

const { limit, form: _form, instance: _instance, cursor: _cursor, ...filters } = EventsQuery.properties;

const ExportQuery = Type.Object({
  ...filters,
  limit: Type.Optional({ ...limit, maximum: Number.MAX_SAFE_INTEGER, description: "How many events; all by default." }),
  form: Type.Optional(
    OneOf(["chain"], {
      description:
        "Of NDJSON: lines of `columns` (what the hash covers, in its order) and `hash`, for verifying without the " +
        "server; only `after` and `before` may narrow it.",
    }),
  ),
});

export const eventExportContract = defineContract({
  exportEvents: {
    method: "GET",
    path: "/v3/events/export",
    tag: "Events",
    summary: "Export events, oldest first",
    description:
      "Returns all events that match, up to the one that is the newest when the export begins. `Accept` chooses NDJSON, which is " +
      "the default, or CSV. An export that fails ends without the terminating chunk of its body.\n\n" +
      "The events of a deleted team can still be exported, as `GET /v3/events` reads them.",
    access: { kind: "owner", permission: "event:read", afterDeletion: true },
    query: ExportQuery,
    example: { query: { types: "secret-*" } },
    returns: "The events that match, oldest first.",
    response: Type.String(),
    streams: EXPORT_FORMS,
    streamsOnly: true,
    errors: ["too_many_streams"],
    emits: [],
  },
});
