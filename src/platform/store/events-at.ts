// The events at given sequences, for statements of several areas.
import type { Build } from "./build.ts";

/** The events of an owner at the sequences of a JSON array. */
export const eventsAt = ({ p, numbers, element, rowsAt }: Build<{ ownerId: string; sequences: string }>) =>
  rowsAt("events", numbers("sequences"), { ownerId: p("ownerId"), sequence: element });
