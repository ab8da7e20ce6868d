// Reads the query of the feed: lists, globs and moments, with refusals that name what was expected.
import type { Static } from "typebox";
import { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import { MAX_PROJECTS } from "./contract.ts";
import type { EventsQuery } from "./contract.ts";
import { sequenceBefore } from "./feed.ts";
import type { EventFilter } from "./feed.ts";
import { expandPatterns, isAskedFor, unknownPattern } from "./type-pattern.ts";
import { ALL_TYPES } from "./vocabulary.ts";

export type FeedQuery = Static<typeof EventsQuery>;
/** What of a query is about the events themselves. */
type FilterQuery = Omit<FeedQuery, "limit" | "since" | "until" | "before" | "form">;

function invalid(field: string, problem: string): ApiError {
  return new ApiError("invalid_query", `query.${field}: ${problem}`, { field: `query.${field}` });
}

function splitList(list: string | undefined): string[] {
  return [...new Set((list ?? "").split(",").map((item) => item.trim()))].filter((item) => item !== "");
}

/** Types that fit any of the names and globs; null for every type. */
function readTypes(query: FilterQuery): readonly string[] | null {
  const patterns = (["types", "type"] as const).flatMap((field) => {
    const list = splitList(query[field]);
    const unknown = list.find((pattern) => !isAskedFor(pattern));
    if (unknown !== undefined) throw invalid(field, unknownPattern(unknown));
    return list;
  });
  if (patterns.length === 0) return null;
  const types = expandPatterns(patterns);
  return types.length === ALL_TYPES.length ? null : types;
}

function readProjects({ projectIds }: FilterQuery): readonly string[] | null {
  const ids = splitList(projectIds);
  if (ids.length > MAX_PROJECTS) throw invalid("projectIds", `expected at most ${MAX_PROJECTS} ids, got ${ids.length}`);
  return ids.length > 0 ? ids : null;
}

export function readFilter(query: FilterQuery): EventFilter {
  return {
    types: readTypes(query),
    entityId: query.entityId ?? null,
    projectIds: readProjects(query),
    principalId: query.principalId ?? query.userId ?? null,
  };
}

const MS = /^\d{1,15}(?:\.\d+)?$/;
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
const HAS_ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of a moment that is given as such or by ISO 8601; without a zone it is UTC. */
function readMoment(field: "since" | "until", text: string): number {
  if (MS.test(text)) return Number(text);
  const time = ISO.test(text) ? Date.parse(text.includes("T") && !HAS_ZONE.test(text) ? `${text}Z` : text) : NaN;
  if (Number.isNaN(time)) throw invalid(field, "expected milliseconds since 1970, or ISO 8601 as 2030-01-31T12:00:00Z");
  return time;
}

/**
 * The query's bounds as sequences, exclusive. Both moments are inclusive: clients that page by time send the last
 * event's time less 1 ms as `until`. So the range may turn out empty, which is no error: their last page is.
 */
export async function readBounds(
  tx: Tx,
  ownerId: string,
  query: FeedQuery,
): Promise<{ after: number; before: number }> {
  let { after = 0, before = Number.MAX_SAFE_INTEGER } = query;
  if (query.since !== undefined) {
    const time = Math.ceil(readMoment("since", query.since));
    after = Math.max(after, await sequenceBefore(tx, ownerId, time));
  }
  if (query.until !== undefined) {
    const time = Math.floor(readMoment("until", query.until)) + 1;
    before = Math.min(before, (await sequenceBefore(tx, ownerId, time)) + 1);
  }
  return { after, before };
}
