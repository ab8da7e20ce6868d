// The formats of an export: CSV, NDJSON of public events, or NDJSON of the chain's columns.
import { fieldError } from "../../../platform/kernel/errors.ts";
import { NDJSON } from "../contract.ts";
import { csvHeader, csvLine } from "./csv.ts";
import type { EventRow } from "../feed/feed-store.ts";
import type { FeedQuery } from "../feed/filter.ts";
import { chainLine, eventLine } from "./lines.ts";

export interface ExportFormat {
  /** The text before the first event. */
  readonly header: string;
  readonly line: (row: EventRow) => string;
}

/** The parameters that `form=chain` allows. A contiguous range can be verified; a filtered selection cannot. */
const CHAIN_PARAMETERS: readonly string[] = ["form", "after", "before"] satisfies (keyof FeedQuery)[];

function chainFormat(query: FeedQuery): ExportFormat {
  const other = Object.keys(query).find((member) => !CHAIN_PARAMETERS.includes(member));
  if (other !== undefined) {
    throw fieldError("invalid_query", `query.${other}`, "expected only after and before with form=chain");
  }
  return { header: "", line: chainLine };
}

/** Refuses `form` for a media type that has no such form. */
export function refuseForm({ form }: FeedQuery): void {
  if (form === undefined) return;
  throw fieldError("invalid_query", "query.form", `expected Accept: ${NDJSON} with form=${form}`);
}

export function formatOf(mediaType: string, query: FeedQuery): ExportFormat {
  const { withPayload = false } = query;
  if (mediaType === NDJSON) {
    if (query.form === "chain") return chainFormat(query);
    return { header: "", line: (row) => eventLine(row, withPayload) };
  }
  refuseForm(query);
  return { header: csvHeader(withPayload), line: (row) => csvLine(row, withPayload) };
}
