// The handlers of the event feed, of publishing, and of the list of event types.
import type { Implements } from "../../platform/kernel/contract.ts";
import { DEFAULT_LIMIT } from "../../platform/kernel/pagination.ts";
import type { PageLinks } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { eventsContract } from "./contract.ts";
import { publicEvent } from "./event.ts";
import { refuseForm } from "./export/export-format.ts";
import { readEvents, sequenceBefore } from "./feed/feed.ts";
import type { EventRow } from "./feed/feed-store.ts";
import { readBounds, readFilter, refuseCursor } from "./feed/filter.ts";
import type { FeedQuery } from "./feed/filter.ts";
import { readInstancePage } from "./feed/instance-feed.ts";
import { createPublish } from "./publish.ts";
import type { BeginProject } from "./publish.ts";
import { isPublishable } from "./published-types.ts";
import { EVENT_CATEGORIES } from "./types.ts";
import { VOCABULARY } from "./vocabulary.ts";

/** Links page by sequence, which is exact where many events share a time. They keep the `since` and `until` of the request. */
function linksOf(rows: readonly EventRow[], isForward: boolean, isMore: boolean): PageLinks {
  const first = rows[0];
  const last = rows.at(-1);
  const [onward, back] = isForward ? (["after", "before"] as const) : (["before", "after"] as const);
  return {
    next: isMore && last ? { name: onward, value: last.sequence } : null,
    prev: first ? { name: back, value: first.sequence } : null,
    replaced: ["after", "before"],
  };
}

const TYPES = [...VOCABULARY].map(([name, { description, categories }]) => ({
  name,
  description,
  categories: [...categories],
  publishable: isPublishable(name),
}));
const CATEGORIES = Object.entries(EVENT_CATEGORIES).map(([name, label]) => ({ name, label }));

async function listOfInstance(tx: Tx, query: FeedQuery) {
  const { rows, cursor } = await readInstancePage(tx, query);
  const events = rows.map((row) => ({ ...publicEvent(row, query.withPayload ?? false), ownerId: row.ownerId }));
  const next = cursor === null ? null : { name: "cursor", value: cursor };
  return { events, ...(cursor !== null && { cursor }), links: { next, prev: null, replaced: ["cursor"] } };
}

export function createEventsService(beginProject: BeginProject): Implements<typeof eventsContract> {
  return {
    async listEvents(tx, { scope, query }) {
      if (query.instance) return await listOfInstance(tx, query);
      refuseCursor(query);
      refuseForm(query);
      const { limit = DEFAULT_LIMIT, withPayload = false } = query;
      const filter = readFilter(query);
      const bounds = await readBounds(query, (time) => sequenceBefore(tx, scope.ownerId, time));
      const isForward = query.after !== undefined;
      const rows = await readEvents(tx, scope.ownerId, filter, {
        ...bounds,
        limit: limit + 1,
        direction: isForward ? "oldest" : "newest",
      });
      const page = rows.slice(0, limit);
      return {
        events: page.map((row) => publicEvent(row, withPayload)),
        links: linksOf(page, isForward, rows.length > limit),
      };
    },

    publishEvent: createPublish(beginProject),

    listEventTypes: () => ({ types: TYPES, categories: CATEGORIES }),
  };
}
