// The one vocabulary of event types, which GET /v1/events/types lists: those that Reeve emits and those that callers publish.
// Webhooks subscribe to the same names.
import { PUBLIC_TYPES } from "./published-types.ts";
import { EVENT_TYPES } from "./types.ts";
import type { EventTypeInfo } from "./types.ts";

/** Every type by its name. */
export const VOCABULARY: ReadonlyMap<string, EventTypeInfo> = new Map([
  ...Object.entries<EventTypeInfo>(EVENT_TYPES),
  ...PUBLIC_TYPES,
]);

export const ALL_TYPES: readonly string[] = [...VOCABULARY.keys()];
