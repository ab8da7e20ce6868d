// The examples of responses in openapi.json: recorded from real ones. What differs with each run is made the same: ids, credentials,
// numbered names and times. `npm run record` does so.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { after } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { PublicEndpointId } from "../../src/platform/http/public-endpoints.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { pathExample } from "../../src/serve/reference/endpoint-examples.ts";
import recorded from "../../src/serve/reference/recorded-responses.json" with { type: "json" };
import type { Example } from "./example-things.ts";

const FILE = new URL("../../src/serve/reference/recorded-responses.json", import.meta.url);
const IS_WRITING = process.env["REEVE_WRITE_EXAMPLES"] === "1";
/** The first of a list's items says enough. */
const MOST_ITEMS = 1;
/** What has no meaning: an id, a hash, a credential. */
const RANDOM = /(?=[A-Za-z0-9+/]*\d)[A-Za-z0-9+/]{20,}/g;
/** Names that tests number: `uniqueName`. */
const NUMBERED = /\b([A-Za-z]+)[-_]\d+\b/g;
const DAY = /^2030-01-01T/;
const DIRECTORY = /\/\S*reeve-test-\w+/g;

type Json = unknown;
const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Names that were sent, with those of the documented call in their place. */
function documentedNames({ id, endpoint }: Operation, { params = {}, body }: Example): [sent: string, shown: string][] {
  const inPath = Object.entries(params).map(([name, sent]) => [sent, pathExample(name, { id, endpoint })] as const);
  const shown = endpoint.example?.body;
  const inBody =
    isObject(body) && isObject(shown) ? Object.entries(body).map(([name, sent]) => [sent, shown[name]]) : [];
  return [...inPath, ...inBody].filter(
    (pair): pair is [string, string] =>
      pair.every((value) => typeof value === "string") && new RegExp(NUMBERED).test(pair[0]),
  );
}

/** A text of the same length and alphabet, the same in each run. */
function steadyText(text: string, seed: string): string {
  const digest = hash("sha512", seed, "hex").repeat(Math.ceil(text.length / 128));
  if (/^[0-9a-f]+$/.test(text)) return digest.slice(0, text.length);
  const bytes = Buffer.from(digest, "hex").toString("base64").replace(/[+/=]/g, "x");
  return bytes.repeat(Math.ceil(text.length / bytes.length)).slice(0, text.length);
}

/** A response as the document shows it. */
function recordOf(id: string, names: readonly (readonly [sent: string, shown: string])[], body: Json): Json {
  const known = new Map<string, string>();
  const steady = (text: string): string => {
    const found = known.get(text) ?? steadyText(text, `${id} ${known.size}`);
    known.set(text, found);
    return found;
  };
  const text = (value: string): string => {
    const named = names.reduce((whole, [sent, shown]) => whole.replaceAll(sent, shown), value);
    return named.replace(DIRECTORY, "/var/lib/reeve").replace(RANDOM, steady).replace(NUMBERED, "$1");
  };
  const walk = (value: Json): Json => {
    if (typeof value === "string") return DAY.test(value) ? "2030-01-01T00:00:00.000Z" : text(value);
    if (typeof value === "number") return value > 1e12 ? Math.floor(value / 60_000) * 60_000 : value;
    if (Array.isArray(value)) return (value.some(isObject) ? value.slice(0, MOST_ITEMS) : value).map(walk);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), walk(member)]));
  };
  return walk(body);
}

/** The names and kinds of all members. */
function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOf(item))))].toSorted();
  if (!isObject(value)) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

const written: Record<string, Json> = {};
after(() => {
  if (IS_WRITING) writeFileSync(FILE, `${JSON.stringify(written, null, 1)}\n`);
});

function assertAs(id: string, record: Json): void {
  const before = (recorded as Readonly<Record<string, Json>>)[id];
  // What has the same form stays as it is, so that recording changes no more than it must.
  written[id] = isDeepStrictEqual(shapeOf(record), shapeOf(before)) ? before : record;
  if (IS_WRITING) return;
  assert.deepEqual(shapeOf(record), shapeOf(before), "record the responses again: npm run record");
}

/** That the document's example of a response is like a real one. */
export function assertRecorded(operation: Operation, example: Example, body: Json): void {
  assertAs(operation.id, recordOf(operation.id, documentedNames(operation, example), body));
}

/** The same of an endpoint that needs no credential. */
export function assertPublicRecorded(id: PublicEndpointId, body: Json): void {
  assertAs(id, recordOf(id, [], body));
}
