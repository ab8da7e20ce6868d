// Parses JSON columns. Most rows of a list have the same few short texts (`[]`, `{"origin":"teams"}`), so their values are parsed
// once and shared. They are frozen, because a change of one would change it for every row.

const MAX_SHARED_LENGTH = 48;
const MAX_SHARED = 1_000;

const shared = new Map<string, unknown>();

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** The value of JSON that Reeve itself wrote. Do not change it: it may be shared. */
export function parseStored(text: string): unknown {
  if (text.length > MAX_SHARED_LENGTH) return JSON.parse(text);
  const known = shared.get(text);
  if (known !== undefined) return known;
  const value: unknown = freeze(JSON.parse(text));
  if (shared.size < MAX_SHARED) shared.set(text, value);
  return value;
}
