// Parses the query of the feed: lists, globs and timestamps. Errors name the field and what was expected.
import type { Static } from "typebox";
import { fieldError } from "../../../platform/kernel/errors.ts";
import type { ApiError } from "../../../platform/kernel/errors.ts";
import { MAX_PROJECTS } from "../contract.ts";
import type { EventsQuery } from "../contract.ts";
import type { EventFilter } from "./feed.ts";
import { TIMESTAMP_EXPECTED, parseTimestamp } from "../timestamp.ts";
import { expandPatterns, isFilterPattern, unknownPattern } from "../type-pattern.ts";
import { ALL_TYPES } from "../vocabulary.ts";
import { refuseSeconds } from "../../../platform/kernel/units.ts";

export type FeedQuery = Static<typeof EventsQuery>;
/** The parameters of a query that filter by properties of an event. */
type FilterQuery = Omit<FeedQuery, "limit" | "since" | "until" | "before" | "form" | "instance" | "cursor">;

export function invalidQuery(field: string, problem: string): ApiError {
  return fieldError("invalid_query", `query.${field}`, problem);
}

/** Only the feed of the instance has cursors. */
export function refuseCursor({ cursor }: FeedQuery): void {
  if (cursor !== undefined) throw invalidQuery("cursor", "expected only with instance=true");
}

/** The items of a list in the query; none when it is left out. A list without items would mean all. */
export function splitList(field: string, list: string | undefined): string[] {
  if (list === undefined) return [];
  const items = [...new Set(list.split(",").map((item) => item.trim()))].filter((item) => item !== "");
  if (items.length === 0) throw invalidQuery(field, "expected names separated by commas, or to be left out");
  return items;
}

/** The names and globs of a list in the query; refuses one that matches no known type. */
export function readPatterns(field: string, list: string | undefined): readonly string[] {
  const patterns = splitList(field, list);
  const unknown = patterns.find((pattern) => !isFilterPattern(pattern));
  if (unknown !== undefined) throw invalidQuery(field, unknownPattern(unknown));
  return patterns;
}

/** The types that match any of the names and globs; null for every type. */
export function typesOf(patterns: readonly string[]): readonly string[] | null {
  if (patterns.length === 0) return null;
  const types = expandPatterns(patterns);
  return types.length === ALL_TYPES.length ? null : types;
}

function readProjects({ projectIds }: FilterQuery): readonly string[] | null {
  const ids = splitList("projectIds", projectIds);
  if (ids.length > MAX_PROJECTS)
    throw invalidQuery("projectIds", `expected at most ${MAX_PROJECTS} ids, got ${ids.length}`);
  return ids.length > 0 ? ids : null;
}

export function readFilter(query: FilterQuery): EventFilter {
  return {
    types: typesOf([...readPatterns("types", query.types), ...readPatterns("type", query.type)]),
    entityId: query.entityId ?? null,
    projectIds: readProjects(query),
    principalId: query.principalId ?? query.userId ?? null,
  };
}

/** A timestamp of the query in ms. */
function readTimestamp(field: "since" | "until", text: string): number {
  const time = parseTimestamp(text);
  if (time === undefined) throw invalidQuery(field, TIMESTAMP_EXPECTED);
  refuseSeconds("invalid_query", `query.${field}`, time);
  return time;
}

/** The timestamps of a query in ms, both inclusive. */
export function readTimes({ since, until }: Pick<FeedQuery, "since" | "until">): { since?: number; until?: number } {
  return {
    ...(since !== undefined && { since: Math.ceil(readTimestamp("since", since)) }),
    ...(until !== undefined && { until: Math.floor(readTimestamp("until", until)) }),
  };
}

/** The bounds of a query: sequences, exclusive, and timestamps, inclusive. */
type BoundsQuery = Pick<FeedQuery, "after" | "before" | "since" | "until">;

/**
 * The query's bounds as exclusive sequences. `lastBefore` finds the last sequence before a time. Timestamps are inclusive: clients
 * that page by time send the last event's time minus 1 ms as `until`. So the range may be empty, which is the last page
 * and no error.
 */
export async function readBounds(
  query: BoundsQuery,
  lastBefore: (time: number) => Promise<number>,
): Promise<{ after: number; before: number }> {
  let { after = 0, before = Number.MAX_SAFE_INTEGER } = query;
  const { since, until } = readTimes(query);
  if (since !== undefined) after = Math.max(after, await lastBefore(since));
  if (until !== undefined) before = Math.min(before, (await lastBefore(until + 1)) + 1);
  return { after, before };
}
