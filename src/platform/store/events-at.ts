// The events at given sequences, for statements of several areas.
import { sql } from "kysely";
import type { Build } from "./build.ts";

/** The events of an owner at the sequences of a JSON array. */
export const eventsAt = ({ p, numbers, element, rowsAt }: Build<{ ownerId: string; sequences: string }>) =>
  rowsAt(
    "events",
    numbers("sequences"),
    { columns: [sql.ref("events.ownerId"), sql.ref("events.sequence")], values: [p("ownerId")] },
    element,
  );
