// Validates input against an endpoint's schemas. Errors name the field, what was expected and the type that was received, but never
// repeat a value that could be a secret.
import { createRequire } from "node:module";
import type { TObject, TSchema } from "typebox";
import type * as TypeBoxSchema from "typebox/schema";
import type { Endpoint } from "../kernel/contract.ts";
import { fieldError } from "../kernel/errors.ts";
import type { ApiError, ErrorCode } from "../kernel/errors.ts";
import { unknownKey } from "../kernel/text/nearest-name.ts";
import { SCOPE_KEYS, takesEmpty } from "./empty-parameters.ts";
import { findInvalidPart, findMeant, findUnknownOfMany, maxItemsOf } from "./invalid-part.ts";
import type { Part } from "./invalid-part.ts";
import { refuseUnstorableText } from "./json-body.ts";
import { singleValue } from "./query-string.ts";
import type { QueryValues } from "./query-string.ts";

interface SchemaError {
  readonly keyword: string;
  /** `#/properties/email` */
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message: string;
}

type Check = (value: unknown) => void;

/** `string` becomes `a string`. */
function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  return withArticle(value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

/** `/rules/2/op` of `body` becomes `body.rules[2].op`. */
function fieldName(root: string, pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`), root);
}

/** The value at a JSON pointer. */
function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    at = (at as Record<string, unknown> | null)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return at;
}

const MAX_ITEMS = ["at most", "item"] as const;
/** Keywords that limit a count, in words. */
const COUNTED: Readonly<Record<string, readonly [bound: string, thing: string]>> = {
  minLength: ["at least", "character"],
  maxLength: ["at most", "character"],
  minItems: ["at least", "item"],
  maxItems: MAX_ITEMS,
  minProperties: ["at least", "member"],
  maxProperties: ["at most", "member"],
};

function inWords([bound, thing]: readonly [bound: string, thing: string], limit: number): string {
  return `${bound} ${limit} ${thing}${limit === 1 ? "" : "s"}`;
}

function anyOf(values: readonly unknown[]): string {
  const [only, ...others] = values;
  return others.length === 0 ? String(only) : `one of ${values.join(", ")}`;
}

function expectation(schema: TSchema, error: SchemaError): string {
  const { keyword, params } = error;
  const counted = COUNTED[keyword];
  if (counted) return inWords(counted, params["limit"] as number);
  switch (keyword) {
    case "type":
      return [params["type"] as string | string[]].flat().map(withArticle).join(" or ");
    case "enum":
      return anyOf(params["allowedValues"] as unknown[]);
    case "const":
      return JSON.stringify(params["allowedValue"]);
    case "pattern":
      return (valueAt(schema, error.schemaPath) as { readonly "x-expected": string })["x-expected"];
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `a number ${String(params["comparison"])} ${String(params["limit"])}`;
    case "multipleOf":
      return `a multiple of ${String(params["multipleOf"])}`;
    case "uniqueItems":
      return "no item twice";
    default:
      return error.message;
  }
}

/**
 * The most specific error: the deepest one, because a failed union also reports the branches that were not meant; at equal depth
 * the first.
 */
function mostSpecific(errors: readonly SchemaError[]): SchemaError | undefined {
  const depth = (error: SchemaError) => error.instancePath.split("/").length;
  // A closed object reports each unknown key twice. The error that carries the key is the useful one, but the library stops after eight.
  const specific = errors.filter(({ keyword }) => keyword !== "boolean");
  return specific.toSorted((a, b) => depth(b) - depth(a))[0] ?? errors[0];
}

const MAX_FIELD_LENGTH = 200;

/** Limits the length of the field's name, because it comes from the request. */
function refusal(code: ErrorCode, name: string, message: string, expected: string): ApiError {
  const field = name.length > MAX_FIELD_LENGTH ? `${name.slice(0, MAX_FIELD_LENGTH)}...` : name;
  return fieldError(code, field, message, { expected });
}

interface Expected {
  /** The name of the value in errors. */
  readonly root: string;
  readonly schema: TSchema;
  readonly code: ErrorCode;
}

function describeUnknown(code: ErrorCode, at: string, { properties = {} }: Partial<TObject>, key: string): ApiError {
  return refusal(code, `${at}.${key}`, unknownKey(key, Object.keys(properties)), "no such key");
}

function describe({ root, schema, code }: Expected, value: unknown, error: SchemaError): ApiError {
  const at = fieldName(root, error.instancePath);
  const problem = (field: string, message: string, expected: string) => refusal(code, field, message, expected);
  if (error.keyword === "boolean") return problem(at, "unknown key", "no such key");
  if (error.keyword === "required") {
    const [missing] = error.params["requiredProperties"] as string[];
    return problem(`${at}.${missing}`, "is required", "a value");
  }
  if (error.keyword === "additionalProperties") {
    const [unknown] = error.params["additionalProperties"] as string[];
    return describeUnknown(code, at, valueAt(schema, error.schemaPath) as Partial<TObject>, unknown as string);
  }
  const expected = expectation(schema, error);
  if (error.keyword === "type") {
    return problem(at, `expected ${expected}, got ${kindOf(valueAt(value, error.instancePath))}`, expected);
  }
  return problem(at, `expected ${expected}`, expected);
}

const require = createRequire(import.meta.url);

type Validator = ReturnType<typeof TypeBoxSchema.Compile>;

const validators = new WeakMap<TSchema, Validator>();

/**
 * Compiles a schema when its first value is checked. Otherwise most of the start-up time would go into checks that may never run,
 * and into loading the library's two hundred modules.
 */
function compileLate(schema: TSchema): () => Validator {
  return () => {
    const validator = validators.get(schema) ?? (require("typebox/schema") as typeof TypeBoxSchema).Compile(schema);
    validators.set(schema, validator);
    return validator;
  };
}

/** Whether a value fits a schema. */
export function compileMatch(schema: TSchema): (value: unknown) => boolean {
  const validatorOf = compileLate(schema);
  return (value) => validatorOf().Check(value);
}

/** What is wrong with a part. Of a union of objects, only the form that the value's tags name counts. */
function findFault(part: Part): { readonly part: Part; readonly error: SchemaError | undefined } {
  const error = mostSpecific(compileLate(part.schema)().Errors(part.value)[1]);
  const meant = error && findMeant(part, error.instancePath);
  return meant ? findFault(meant) : { part, error };
}

/** A check that throws the first error; `root` is the name of the value in errors. */
export function compileCheck(root: string, schema: TSchema, code: ErrorCode): Check {
  const validatorOf = compileLate(schema);
  return (value) => {
    if (validatorOf().Check(value)) return;
    const unknown = findUnknownOfMany(schema, value);
    if (unknown !== undefined) throw describeUnknown(code, root, schema, unknown);
    const invalid = findInvalidPart({ schema, value, at: "" }, (inner) => compileLate(inner)());
    const most = maxItemsOf(invalid);
    if (most !== undefined) {
      const items = inWords(MAX_ITEMS, most);
      throw refusal(code, fieldName(root, invalid.at), `expected ${items}`, items);
    }
    const { part, error } = findFault(invalid);
    const expected = { root: fieldName(root, part.at), schema: part.schema, code };
    throw error
      ? describe(expected, part.value, error)
      : refusal(code, expected.root, "not as expected", "another value");
  };
}

/** Converts one query value to its schema's type. Text that cannot be converted stays text and fails the schema. */
function coerce(text: string, type: string | undefined): unknown {
  if (type === "number" || type === "integer") {
    return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

const NO_TEAM = "expected the id or slug of a team, got nothing; without a team, leave it out";

function compileQuery(endpoint: Endpoint): (values: QueryValues) => unknown {
  const { query: schema } = endpoint;
  const members = Object.entries(schema?.properties ?? {});
  const known = new Set<string>([...members.map(([name]) => name), ...SCOPE_KEYS]);
  const check = schema ? compileCheck("query", schema, "invalid_query") : null;
  return (values) => {
    for (const [key, all] of values) {
      if (!known.has(key)) {
        const field = `query.${key.slice(0, 40)}`;
        throw fieldError("invalid_query", field, unknownKey(key, [...known]));
      }
      for (const value of all) refuseUnstorableText(value, `query.${key}`);
      const isTeam = (SCOPE_KEYS as readonly string[]).includes(key);
      if (isTeam && all.includes("") && !takesEmpty(endpoint, key)) {
        throw fieldError("invalid_query", `query.${key}`, NO_TEAM);
      }
    }
    const query: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const all = values.get(name);
      if (!all) continue;
      const { type, enum: choices = [] } = member as { readonly type?: string; readonly enum?: readonly string[] };
      if (type !== "array" && all.length > 1) {
        throw fieldError("invalid_query", `query.${name}`, `expected once, got ${all.length} times`);
      }
      if (all.includes("")) {
        if (takesEmpty(endpoint, name)) continue;
        const wanted = type === "boolean" ? "true or false" : choices.length > 0 ? anyOf(choices) : "a value";
        throw fieldError("invalid_query", `query.${name}`, `expected ${wanted}, got nothing; else leave it out`);
      }
      query[name] = type === "array" ? all : coerce(all[0] as string, type);
    }
    check?.(query);
    return query;
  };
}

/** Clients send `{}` where nothing is expected. */
function refuseBody(body: unknown = {}): void {
  if (typeof body === "object" && body !== null && Object.keys(body).length === 0) return;
  throw fieldError("bad_request", "body", "expected no body");
}

/** An endpoint's input checks. */
export interface InputChecks {
  params(params: Record<string, string>): void;
  query(values: QueryValues): unknown;
  body(body: unknown): void;
}

export function compileInput(endpoint: Endpoint): InputChecks {
  const checkParams = endpoint.params ? compileCheck("path", endpoint.params, "invalid_path") : null;
  const checkBody = endpoint.body ? compileCheck("body", endpoint.body, "bad_request") : refuseBody;
  return {
    params(params) {
      for (const name in params) refuseUnstorableText(params[name] as string, `path.${name}`);
      checkParams?.(params);
    },
    query: compileQuery(endpoint),
    body(body) {
      if (endpoint.isBodyChecked) return;
      if (body === undefined && endpoint.isBodyOptional) return;
      checkBody(body);
    },
  };
}

/** The team that the query names. */
export function readScope(values: QueryValues): { readonly teamId: string | null; readonly slug: string | null } {
  return { teamId: singleValue(values, "teamId"), slug: singleValue(values, "slug") };
}
