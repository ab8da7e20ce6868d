// What can be wrong with a request: one change of a good one, by name, so that a failure says what it was.
import fc from "fast-check";
import { ODD_HEADERS, ODD_METHODS, ODD_QUERIES, ODD_SEGMENTS, ODD_TEXTS, ODD_VALUES, isRawJson } from "./odd.ts";

/** A request as it goes over the wire, before its parts are put together. */
export interface Parts {
  method: string;
  /** Encoded. */
  segments: string[];
  /** Encoded names and values, in order. */
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body: unknown;
  /** Instead of the body. */
  raw?: string | Buffer;
}

/** Where a change is made, and what it puts there. */
interface Choice {
  readonly at: number;
  readonly value: unknown;
  readonly text: string;
}

type Container = Record<string, unknown> | unknown[];

/** Every place of a value that can hold another: its containers with their keys. */
function placesIn(value: unknown): [container: Container, key: string | number][] {
  if (typeof value !== "object" || value === null || isRawJson(value)) return [];
  const entries = Object.entries(value) as [string, unknown][];
  const isList = Array.isArray(value);
  return entries.flatMap(([key, member]) => [
    [value as Container, isList ? Number(key) : key] as [Container, string | number],
    ...placesIn(member),
  ]);
}

function set(container: Container, key: string | number, value: unknown): void {
  // As JSON.parse does, whatever the key is.
  Object.defineProperty(container, key, { value, enumerable: true, configurable: true, writable: true });
}

function atBody(parts: Parts, at: number, change: (container: Container, key: string | number) => void): void {
  const places = placesIn(parts.body);
  const place = places[at % Math.max(1, places.length)];
  if (place) change(...place);
}

/** Plain JSON, of which every container is its own. */
function rawOf(parts: Parts): string {
  return JSON.stringify(parts.body ?? {});
}

function encodeLoosely(text: string): string {
  // A surrogate that stands alone has no encoding; as bytes it is what no decoder takes.
  return text.isWellFormed() ? encodeURIComponent(text) : "%ed%a0%80";
}

function pickFrom<T>(list: readonly T[], { at }: Choice): T {
  return list[at % list.length] as T;
}

const CHANGES = {
  "a member dropped": (parts, { at }) =>
    atBody(parts, at, (container, key) => {
      if (Array.isArray(container)) container.splice(key as number, 1);
      else delete container[key];
    }),
  "a member too many": (parts, { text, value, at }) => {
    const nested = placesIn(parts.body).flatMap(([container, key]) => {
      const inner = (container as Record<string, unknown>)[key];
      return typeof inner === "object" && inner !== null && !Array.isArray(inner) ? [inner] : [];
    });
    const all = [parts.body ?? {}, ...nested] as Container[];
    parts.body ??= all[0];
    const chosen = all[at % all.length] as Container;
    if (Object.isExtensible(chosen)) set(chosen, text || "unheardOf", value);
  },
  "another value": (parts, { at, value }) => atBody(parts, at, (container, key) => set(container, key, value)),
  "another text": (parts, { at, text }) => atBody(parts, at, (container, key) => set(container, key, text)),
  "a list's item again": (parts, { at }) => {
    const lists = placesIn(parts.body).flatMap(([container]) => (Array.isArray(container) ? [container] : []));
    const list = lists[at % Math.max(1, lists.length)];
    if (list) list.push(...Array<unknown>(at % 120).fill(list[0]));
  },
  "another body": (parts, { value }) => {
    parts.body = value;
  },
  "no body": (parts) => {
    parts.body = undefined;
  },
  "a body in a list": (parts) => {
    parts.body = [parts.body];
  },
  "a key twice": (parts) => {
    const text = rawOf(parts);
    parts.raw = text.startsWith("{") ? `${text.slice(0, -1)}${text === "{}" ? "" : ","}"name":"a","name":"b"}` : text;
  },
  "a text that ends early": (parts, { at }) => {
    const text = rawOf(parts);
    parts.raw = text.slice(0, at % (text.length + 1));
  },
  "something after the text": (parts, { text }) => {
    parts.raw = `${rawOf(parts)}${text.isWellFormed() ? text : "x"}`;
  },
  "a byte order mark": (parts) => {
    parts.raw = `\ufeff${rawOf(parts)}`;
  },
  "bytes that are no UTF-8": (parts, { at }) => {
    const bytes = Buffer.from(rawOf(parts));
    bytes[at % bytes.length] = 0xff;
    parts.raw = bytes;
  },
  "a query member again": (parts, { at, text }) => {
    const member = parts.query[at % Math.max(1, parts.query.length)];
    if (member) parts.query.push([member[0], at % 2 === 0 ? member[1] : encodeLoosely(text)]);
  },
  "a query member with another value": (parts, { at, text }) => {
    const member = parts.query[at % Math.max(1, parts.query.length)];
    if (member) member[1] = encodeLoosely(text);
  },
  "an odd query member": (parts, choice) => {
    parts.query.push([...pickFrom(ODD_QUERIES, choice)]);
  },
  "no query": (parts) => {
    parts.query = [];
  },
  "an odd segment": (parts, choice) => {
    const at = 1 + (choice.at % Math.max(1, parts.segments.length - 1));
    parts.segments[at] = pickFrom(ODD_SEGMENTS, { ...choice, at: choice.at >> 3 });
  },
  "a segment of text": (parts, { at, text }) => {
    parts.segments[parts.segments.length - 1 - (at % 2)] = encodeLoosely(text);
  },
  "a segment more": (parts, choice) => {
    parts.segments.push(pickFrom(ODD_SEGMENTS, choice));
  },
  "a segment fewer": (parts) => {
    parts.segments.pop();
  },
  "a doubled slash": (parts, { at }) => {
    parts.segments.splice(1 + (at % parts.segments.length), 0, "");
  },
  "an odd header": (parts, choice) => {
    const [name, value] = pickFrom(ODD_HEADERS, choice);
    parts.headers[name] = value;
  },
  "another method": (parts, choice) => {
    parts.method = pickFrom(ODD_METHODS, choice);
  },
  "upper case": (parts) => {
    parts.segments = parts.segments.map((segment) => segment.toUpperCase());
  },
} satisfies Record<string, (parts: Parts, choice: Choice) => void>;

export interface Mutation extends Choice {
  readonly change: keyof typeof CHANGES;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
  at: fc.nat(10_000),
  value: fc.constantFrom(...ODD_VALUES),
  text: fc.constantFrom(...ODD_TEXTS),
});

/** All of it anew: what is put into a body may be changed there. */
function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)]));
}

export function mutate(parts: Parts, { change, ...choice }: Mutation): void {
  CHANGES[change](parts, { ...choice, value: copyOf(choice.value) });
}
