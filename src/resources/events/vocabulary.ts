// The one vocabulary of events: what GET /v1/events/types lists is what may happen here, whether Reeve emits it or
// somebody publishes it, and what a webhook may subscribe to.
import { PUBLIC_TYPES } from "./published-types.ts";
import { EVENT_TYPES } from "./types.ts";
import type { EventTypeInfo } from "./types.ts";

/** Every type by its name. */
export const VOCABULARY: ReadonlyMap<string, EventTypeInfo> = new Map([
  ...Object.entries<EventTypeInfo>(EVENT_TYPES),
  ...PUBLIC_TYPES,
]);

export const ALL_TYPES: readonly string[] = [...VOCABULARY.keys()];
