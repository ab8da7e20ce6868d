// How an export writes its events: one of the public forms, or the columns of the chain.
import { fieldError } from "../../../kernel/errors.ts";
import { NDJSON } from "../contract.ts";
import { csvHead, csvLine } from "./csv.ts";
import type { EventRow } from "../feed/feed-store.ts";
import type { FeedQuery } from "../feed/filter.ts";
import { chainLine, eventLine } from "./lines.ts";

export interface ExportFormat {
  /** What comes before the first event. */
  readonly head: string;
  readonly line: (row: EventRow) => string;
}

/** What may narrow the columns of the chain: a part of it proves itself, a selection does not. */
const CHAIN_MEMBERS: readonly string[] = ["form", "after", "before"] satisfies (keyof FeedQuery)[];

function chainFormat(query: FeedQuery): ExportFormat {
  const other = Object.keys(query).find((member) => !CHAIN_MEMBERS.includes(member));
  if (other !== undefined) {
    throw fieldError("invalid_query", `query.${other}`, "expected only after and before with form=chain");
  }
  return { head: "", line: chainLine };
}

/** Refuses a form that an answer of the media type at hand does not have. */
export function refuseForm({ form }: FeedQuery): void {
  if (form === undefined) return;
  throw fieldError("invalid_query", "query.form", `expected Accept: ${NDJSON} with form=${form}`);
}

export function formatOf(mediaType: string, query: FeedQuery): ExportFormat {
  const { withPayload = false } = query;
  if (mediaType === NDJSON) {
    if (query.form === "chain") return chainFormat(query);
    return { head: "", line: (row) => eventLine(row, withPayload) };
  }
  refuseForm(query);
  return { head: csvHead(withPayload), line: (row) => csvLine(row, withPayload) };
}
