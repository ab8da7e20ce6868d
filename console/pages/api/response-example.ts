// An example of a response, made of its schema: the values of the call's own example where names agree, else values by name.
import type { JsonSchema, Resolve } from "../../../src/serve/reference/schema-words.ts";
import type { Operation } from "./operations.ts";
import { RARE, SAMPLES } from "./sample-values.ts";

type Values = Readonly<Record<string, unknown>>;

/** Optional members of objects that are deeper than this are left out: a firewall configuration has hundreds. */
const DEPTH = 2;
/** A text whose name says nothing. */
export const UNNAMED = "something";
/** 2026-11-02T09:30:00Z */
const MOMENT_MS = Date.UTC(2026, 10, 2, 9, 30);
const IS_MOMENT = /(?:At|Until|since|until|created|from|to|timestamp|Time)$/;

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is one that the schema of a single value, or of a list of single values, takes. */
function takes(schema: JsonSchema, value: unknown, resolve: Resolve): boolean {
  const own = resolve(schema);
  if (value === undefined) return false;
  if (own.anyOf) return own.anyOf.some((one) => takes(one, value, resolve));
  if (own.const !== undefined) return own.const === value;
  if (own.enum) return own.enum.includes(value);
  const types = [own.type ?? []].flat();
  if (Array.isArray(value)) {
    const { items = {} } = own;
    return types.includes("array") && value.every((item) => takes(items, item, resolve));
  }
  // What is sent of an object is not all of it.
  if (isObject(value) && own.properties) return false;
  return types.includes(value === null ? "null" : Number.isInteger(value) ? "integer" : typeof value);
}

function numberFor({ minimum = 0, maximum = Infinity }: JsonSchema, name: string): number {
  const value = IS_MOMENT.test(name) ? MOMENT_MS : 1;
  return Math.min(Math.max(value, minimum), maximum);
}

/** Makes values of the schemas of one operation. */
function maker(resolve: Resolve) {
  function object(own: JsonSchema, known: Values, depth: number): Values {
    const members = Object.entries(own.properties ?? {}).filter(
      ([name]) => own.required?.includes(name) || name in known || (depth < DEPTH && !RARE.has(name)),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, make(member, name, known, depth + 1)]));
  }

  function list({ items, maxItems }: JsonSchema, name: string, known: Values, depth: number): unknown[] {
    if (!items || maxItems === 0 || Object.keys(items).length === 0) return [];
    // What was sent is returned with what the server adds.
    const sent = Array.isArray(known[name]) ? known[name] : [{}];
    return sent.map((item: unknown) => make(items, name, isObject(item) ? { ...item } : known, depth));
  }

  function make(schema: JsonSchema, name: string, known: Values, depth: number): unknown {
    const own = resolve(schema);
    if (own.const !== undefined) return own.const;
    for (const value of [known[name], SAMPLES[name]]) if (takes(own, value, resolve)) return value;
    // What may be missing is: it was not suspended, and has no end.
    if (takes(own, null, resolve) && !isObject(known[name])) return null;
    if (own.anyOf) return make(own.anyOf[0] ?? {}, name, known, depth);
    if (own.enum) return own.enum[0];
    const [type = own.properties ? "object" : "null"] = [own.type ?? []].flat();
    switch (type) {
      case "object":
        return object(own, isObject(known[name]) ? known[name] : known, depth);
      case "array":
        return list(own, name, known, depth);
      case "integer":
      case "number":
        return numberFor(own, name);
      case "boolean":
        return false;
      case "string":
        return UNNAMED;
      default:
        return null;
    }
  }
  return make;
}

/** The body of a response in JSON; undefined: there is none. */
export function exampleResponse({ body, forms, parameters }: Operation, resolve: Resolve): unknown {
  const json = forms.find(({ type }) => type === "application/json");
  if (!json) return undefined;
  const inPath = parameters.filter((one) => one.in === "path").map(({ name, example }) => [name, example] as const);
  // A response shows no credential that was sent.
  const { value: _, ...sent } = (body?.example ?? {}) as Values;
  return maker(resolve)(json.schema, "", { ...Object.fromEntries(inPath), ...sent }, 0);
}
