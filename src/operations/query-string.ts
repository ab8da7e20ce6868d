// Query strings, strictly: what does not decode is refused, and a key comes once unless the endpoint lets it repeat.
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
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const key = decode(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? "" : decode(part.slice(equals + 1));
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

/** The one value of a key; equal repetitions count once, and empty means absent. */
export function singleValue(values: QueryValues, key: string): string | null {
  const all = values.get(key);
  if (!all) return null;
  const distinct = new Set(all.filter((value) => value !== ""));
  if (distinct.size > 1) {
    throw fieldError("scope_conflict", `query.${key}`, `expected one value, got ${distinct.size} different ones`);
  }
  return distinct.values().next().value ?? null;
}
