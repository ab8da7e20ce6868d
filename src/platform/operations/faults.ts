// What is wrong with an input, in words: the field, what was expected and the type that was received, but never a value that could be a
// secret.
import type { TObject, TSchema } from "typebox";
import { fieldError } from "../kernel/errors.ts";
import type { ApiError, ErrorCode } from "../kernel/errors.ts";
import { knownKeys, nearestHint, unknownKey } from "../kernel/text/nearest-name.ts";
import { isTime } from "../kernel/units.ts";
import { findMeant } from "./invalid-part.ts";
import type { Part } from "./invalid-part.ts";

interface SchemaError {
  readonly keyword: string;
  /** `#/properties/email` */
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Record<string, unknown>;
  readonly message: string;
}

/** `string` becomes `a string`. */
function withArticle(type: string): string {
  if (type === "null") return type;
  if (type === "boolean") return "true or false";
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "boolean") return "a boolean";
  return withArticle(value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
}

/** A part of a JSON pointer as it is called. RFC 6901 */
const unescape = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** `/rules/2/op` of `body` becomes `body.rules[2].op`. */
export function fieldName(root: string, pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map(unescape)
    .reduce((name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : `${name}.${part}`), root);
}

/** The value at a JSON pointer. */
function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    at = (at as Record<string, unknown> | null)?.[unescape(part)];
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

export function anyOf(values: readonly unknown[]): string {
  const [only, ...others] = values.map(String);
  return others.length === 0 ? String(only) : `one of ${[only, ...others].join(", ")}`;
}

/** The members of schemas that say in words what is expected. */
interface Described {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Described[];
  readonly items?: Described;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly "x-expected"?: string;
  readonly "x-unit"?: string;
}

/** The unit of a time or a duration, which is a number. */
const inUnit = ({ "x-unit": unit }: Described) => (unit === undefined ? "" : `, in ${unit}`);

/** `a string or null`; of an array also what it holds: `an array of strings`. */
function typesOf(types: string | readonly string[], items?: Described): string {
  const of = typeof items?.type === "string" ? ` of ${items.type}s` : "";
  return [types]
    .flat()
    .map((type) => withArticle(type) + (type === "array" ? of : ""))
    .join(" or ");
}

const ANYTHING = "a value";

/** What a schema expects, in words. */
function wantedOf(schema: Described): string {
  const { type, enum: choices, const: only, anyOf: forms, required = [], "x-expected": words } = schema;
  if (words !== undefined) return words;
  if (choices) return anyOf(choices);
  if (only !== undefined) return JSON.stringify(only);
  if (forms) return [...new Set(forms.map(wantedOf))].join(" or ");
  const members = required.length > 0 ? ` with ${required.join(", ")}` : "";
  return type === undefined ? ANYTHING : `${typesOf(type, schema.items)}${members}${inUnit(schema)}`;
}

function expectation(schema: TSchema, error: SchemaError): string {
  const { keyword, params } = error;
  const described = (valueAt(schema, error.schemaPath) ?? {}) as Described;
  const counted = COUNTED[keyword];
  if (counted) {
    const names = keyword === "minProperties" ? Object.keys(described.properties ?? {}) : [];
    return inWords(counted, params["limit"] as number) + (names.length > 0 ? ` of ${names.join(", ")}` : "");
  }
  switch (keyword) {
    case "type":
      return (
        described["x-expected"] ??
        `${typesOf(params["type"] as string | string[], described.items)}${inUnit(described)}`
      );
    case "enum":
      return anyOf(params["allowedValues"] as unknown[]);
    case "const":
      return JSON.stringify(params["allowedValue"]);
    case "pattern":
      return described["x-expected"] as string;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `a number ${String(params["comparison"])} ${String(params["limit"])}${inUnit(described)}`;
    case "multipleOf":
      return `a multiple of ${String(params["multipleOf"])}`;
    case "uniqueItems":
      return "no item twice";
    default:
      return error.message;
  }
}

export const atMostItems = (most: number) => inWords(MAX_ITEMS, most);

/** At equal depth an unknown key comes before a missing one, which is often the same one misspelt. */
const LATER: Readonly<Record<string, number>> = { boolean: 1, required: 2 };

/**
 * The most specific error: the deepest one, because a failed union also reports the branches that were not meant; at equal depth
 * the first. A closed object reports each unknown key twice, once at the key and once, with its name, at the object: that is the useful
 * one, but the library stops after eight.
 */
function mostSpecific(errors: readonly SchemaError[]): SchemaError | undefined {
  const depth = ({ instancePath, keyword }: SchemaError) =>
    instancePath.split("/").length - (keyword === "boolean" ? 1 : 0);
  const rank = ({ keyword }: SchemaError) => LATER[keyword] ?? 0;
  return errors.toSorted((a, b) => depth(b) - depth(a) || rank(a) - rank(b))[0];
}

/** The choice that was probably meant; what was given is not repeated. */
function choiceHint(given: unknown, choices: readonly unknown[]): string {
  if (typeof given !== "string" || choices.length === 1) return "";
  return nearestHint(
    given,
    choices.filter((choice) => typeof choice === "string"),
  );
}

const MAX_FIELD_LENGTH = 200;

/** One thing that is wrong with an input. */
export interface Problem {
  readonly field: string;
  readonly message: string;
  readonly expected: string | undefined;
}

/** Limits the length of the field's name, because it comes from the request. */
export function problemAt(name: string, message: string, expected: string | undefined): Problem {
  const field = name.length > MAX_FIELD_LENGTH ? `${name.slice(0, MAX_FIELD_LENGTH)}...` : name;
  return { field, message, expected };
}

const MAX_PROBLEMS = 20;

/** The refusal says the first problem; of several, `errors` lists each. */
export function refusal(code: ErrorCode, [first, ...others]: readonly [Problem, ...Problem[]]): ApiError {
  const { field, message, expected } = first;
  const known = new Set([field]);
  const further = others.filter((problem) => !known.has(problem.field) && known.add(problem.field));
  const errors = [first, ...further].slice(0, MAX_PROBLEMS);
  return fieldError(code, field, message, {
    ...(expected !== undefined && { expected }),
    ...(errors.length > 1 && { errors }),
  });
}

/** A part that does not fit, under the name that it has in errors. */
interface Fault {
  readonly at: string;
  readonly part: Part;
  readonly error: SchemaError;
}

export function unknownMember(at: string, { properties = {} }: Partial<TObject>, key: string): Problem {
  const known = Object.keys(properties);
  return problemAt(`${at}.${key}`, unknownKey(key, known), knownKeys(known));
}

/** A time in a query may be ISO 8601 too. */
function inQuery(schema: TSchema, { schemaPath }: SchemaError): string {
  const described = valueAt(schema, schemaPath) as object | undefined;
  return described && isTime(described) ? ", or ISO 8601 as 2030-01-31T12:00:00Z" : "";
}

function describe({ at: root, part: { schema, value }, error }: Fault): Problem[] {
  const at = fieldName(root, error.instancePath);
  switch (error.keyword) {
    case "boolean": {
      const object = (valueAt(schema, error.schemaPath.replace(/\/[^/]*$/, "")) ?? {}) as Partial<TObject>;
      const [key = "", ...above] = error.instancePath.split("/").toReversed();
      return [unknownMember(fieldName(root, above.toReversed().join("/")), object, unescape(key))];
    }
    case "required": {
      const missing = error.params["requiredProperties"] as string[];
      const { properties = {} } = (valueAt(schema, error.schemaPath) ?? {}) as Partial<TObject>;
      return missing.map((name) => {
        const wanted = wantedOf(properties[name] ?? {});
        return problemAt(`${at}.${name}`, wanted === ANYTHING ? "is required" : `is required: ${wanted}`, wanted);
      });
    }
    case "additionalProperties": {
      const unknown = error.params["additionalProperties"] as string[];
      const object = valueAt(schema, error.schemaPath) as Partial<TObject>;
      return unknown.map((key) => unknownMember(at, object, key));
    }
    default: {
      const expected = expectation(schema, error);
      const given = valueAt(value, error.instancePath);
      // All that a query holds was text.
      const isText = at.startsWith("query.") && typeof given === "string";
      const got = error.keyword !== "type" ? "" : isText ? inQuery(schema, error) : `, got ${kindOf(given)}`;
      const meant = error.keyword === "enum" ? choiceHint(given, error.params["allowedValues"] as unknown[]) : "";
      return [problemAt(at, `expected ${expected}${got}${meant}`, expected)];
    }
  }
}

/** Of a union, each form that was not meant fails too. */
const isOfForm = ({ keyword, schemaPath }: SchemaError) => keyword === "anyOf" || schemaPath.includes("/anyOf/");

/** A record names each key whose value does not fit, beside what is wrong with the value. */
function isOfRecord(schema: TSchema, { keyword, schemaPath }: SchemaError): boolean {
  return (
    keyword === "additionalProperties" &&
    (valueAt(schema, schemaPath) as { readonly additionalProperties?: unknown }).additionalProperties !== false
  );
}

/** What is wrong with a part, the most specific first. Of a union of objects, only the form that the value's tags name counts. */
export function problemsOf(root: string, part: Part, errorsOf: (part: Part) => readonly SchemaError[]): Problem[] {
  const errors = errorsOf(part).filter((one) => !isOfRecord(part.schema, one));
  const error = mostSpecific(errors);
  if (!error) return [];
  const at = fieldName(root, part.at);
  const meant = findMeant(part, error.instancePath);
  const first = meant ? problemsOf(root, meant, errorsOf) : describe({ at, part, error });
  const others = errors.filter((one) => one.keyword !== "boolean" && !isOfForm(one));
  return [...first, ...others.flatMap((one) => describe({ at, part, error: one }))];
}
