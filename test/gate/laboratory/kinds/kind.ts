// What a kind of request is made of: whole requests to begin with, and what is put into them.
import fc from "fast-check";
import type { RawRequest } from "../raw-request.ts";

type Section = "query" | "head" | "body";

export interface Kind {
  readonly name: string;
  readonly seeds: readonly RawRequest[];
  /** The applications that read values of this kind. */
  readonly readers: readonly string[];
  /** Where requests are edited; one that is named more often is edited more often. */
  readonly sections: readonly Section[];
  /** What applications may read in a way of their own; the simplest first. */
  readonly tokens: readonly string[];
}

export const ALL = ["PHP", "Django", "Rack", "Express", "formidable", "Fastify", "Hono"] as const;
export const FORM = "application/x-www-form-urlencoded";
export const words = (text: string) => text.split(" ");
export const utf8 = (text: string) => Buffer.from(text).toString("latin1");
export const get = (query: string, head = ""): RawRequest => ({ method: "GET", query, head, body: "" });
export const post = (type: string, body: string): RawRequest => ({
  method: "POST",
  query: "",
  head: type === "" ? "" : `Content-Type: ${type}`,
  body,
});

type Edit = readonly [section: Section, at: number, change: (rest: string) => string];

const escape = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** What stands at a place and behind it, changed. */
function changes({ tokens }: Kind): fc.Arbitrary<Edit[2]> {
  const named = (name: string, change: Edit[2]) => Object.assign(change, { toString: () => name });
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...tokens).map((token) => named(`insert ${token}`, (rest) => token + rest)),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...tokens).map((token) => named(`put ${token}`, (rest) => token + rest.slice(1))),
    },
    {
      weight: 2,
      arbitrary: fc.integer({ min: 1, max: 8 }).map((count) => named(`drop ${count}`, (rest) => rest.slice(count))),
    },
    { weight: 2, arbitrary: fc.constant(named("escape", (rest) => escape(rest || " ") + rest.slice(1))) },
    {
      weight: 1,
      arbitrary: fc.constant(
        named("escape twice", (rest) => escape("%") + escape(rest || " ").slice(1) + rest.slice(1)),
      ),
    },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 4, max: 60 })
        .map((count) => named(`repeat ${count}`, (rest) => rest.slice(0, count) + rest)),
    },
  );
}

/** Requests of a kind: a seed with some edits, of which shrinking takes one after another away. */
export function requestsOf(kind: Kind): fc.Arbitrary<RawRequest> {
  const edit = fc.tuple(fc.constantFrom(...kind.sections), fc.nat(400), changes(kind));
  return fc.tuple(fc.constantFrom(...kind.seeds), fc.array(edit, { maxLength: 4 })).map(([seed, edits]) => {
    const request = { ...seed };
    for (const [section, at, change] of edits) {
      const text = request[section];
      const place = at % (text.length + 1);
      request[section] = text.slice(0, place) + change(text.slice(place));
    }
    return request;
  });
}
