// Parses query strings strictly: invalid encoding is refused, and a key may occur once unless the endpoint allows repetition.
import { ApiError, fieldError } from "../kernel/errors.ts";

export type QueryValues = ReadonlyMap<string, readonly string[]>;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ApiError("invalid_query", `query: expected percent-encoded UTF-8, got "${text.slice(0, 40)}"`);
  }
}

/** All values of each key, in order. */
export function parseQueryString(text: string): QueryValues {
  const values = new Map<string, string[]>();
  if (text === "") return values;
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const key = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

/** The single value of a key; equal repetitions count once, and an empty value counts as absent. */
export function singleValue(values: QueryValues, key: string): string | null {
  const all = values.get(key);
  if (!all) return null;
  const distinct = new Set(all.filter((value) => value !== ""));
  if (distinct.size > 1) {
    throw fieldError("scope_conflict", `query.${key}`, `expected one value, got ${distinct.size} different ones`);
  }
  return distinct.values().next().value ?? null;
}
