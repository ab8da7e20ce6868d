import { eventKeyParts } from "../event-keys.ts";
import type { Dialect, Migration } from "./migration.ts";

/**
 * On SQLite, keys of events that are written for many at once, in place of five indexes, which were most of what a change wrote. Older
 * processes find events without them, by reading more. PostgreSQL keeps its indexes (decisions/0060-keys-of-events-together.md).
 */
export const eventKeys: Migration = {
  version: 45,
  name: "event-keys",
  oldestBeside: 44,
  statements: ({ clustered }: Dialect) =>
    clustered === ""
      ? []
      : ["time", "type", "principal", "entity", "project"].map((name) => `drop index events_${name}`),
  derived: eventKeyParts,
};
