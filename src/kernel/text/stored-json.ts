// JSON columns, read back. Most rows of a list hold the same few short texts (`[]`, `{"origin":"teams"}`), so their
// values are parsed once and shared; they are frozen, for whoever changes one would change it for all.

const MAX_SHARED_LENGTH = 48;
const MAX_SHARED = 1_000;

const shared = new Map<string, unknown>();

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

/** The value of a JSON text that our own serialiser wrote; never to be changed. */
export function parseStored(text: string): unknown {
  if (text.length > MAX_SHARED_LENGTH) return JSON.parse(text);
  const known = shared.get(text);
  if (known !== undefined) return known;
  const value: unknown = freeze(JSON.parse(text));
  if (shared.size < MAX_SHARED) shared.set(text, value);
  return value;
}
