// Validates input against an endpoint's schemas. Errors name the field, what was expected and the type that was received, but never
// repeat a value that could be a secret.
import { createRequire } from "node:module";
import type { TObject, TSchema } from "typebox";
import type * as TypeBoxSchema from "typebox/schema";
import type { Endpoint } from "../kernel/contract.ts";
import { expectedOf, fieldError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import { parseIsoTime } from "../kernel/text/iso-time.ts";
import { knownKeys, unknownKey } from "../kernel/text/nearest-name.ts";
import { isTime, secondsProblem } from "../kernel/units.ts";
import { SCOPE_KEYS, aboutNoTeam, takesEmpty } from "./empty-parameters.ts";
import { anyOf, atMostItems, fieldName, problemAt, problemsOf, refusal, unknownMember } from "./faults.ts";
import type { Problem } from "./faults.ts";
import { findInvalidPart, findUnknownOfMany, maxItemsOf } from "./invalid-part.ts";
import type { Part } from "./invalid-part.ts";
import { refuseUnstorableText } from "../kernel/text/json-body.ts";
import { singleValue } from "./query-string.ts";
import type { QueryValues } from "./query-string.ts";

type Check = (value: unknown) => void;

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

/** What is wrong with a value, the most specific first; `root` is its name in errors. */
function compileProblems(root: string, schema: TSchema): (value: unknown) => Problem[] {
  const validatorOf = compileLate(schema);
  return (value) => {
    if (validatorOf().Check(value)) return [];
    const unknown = findUnknownOfMany(schema, value);
    if (unknown !== undefined) return [unknownMember(root, schema, unknown)];
    const invalid = findInvalidPart({ schema, value, at: "" }, (inner) => compileLate(inner)());
    const at = fieldName(root, invalid.at);
    const most = maxItemsOf(invalid);
    if (most !== undefined) {
      const items = atMostItems(most);
      return [problemAt(at, `expected ${items}`, items)];
    }
    const errorsOf = (part: Part) => compileLate(part.schema)().Errors(part.value)[1];
    const found = problemsOf(root, invalid, errorsOf);
    return found.length > 0 ? found : [problemAt(at, "not as expected", "another value")];
  };
}

function refuseProblems(code: ErrorCode, [first, ...others]: readonly Problem[]): void {
  if (first !== undefined) throw refusal(code, [first, ...others]);
}

/** A check that throws what is wrong with a value; `root` is its name in errors. */
export function compileCheck(root: string, schema: TSchema, code: ErrorCode): Check {
  const problemsIn = compileProblems(root, schema);
  return (value) => refuseProblems(code, problemsIn(value));
}

/** The members of a query's schema that say how its text is read. */
interface QueryMember {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly "x-list"?: string;
}

/** Converts one query value to its schema's type. Text that cannot be converted stays text and fails the schema. */
function coerce(text: string, member: QueryMember): unknown {
  const { type } = member;
  if (type === "number" || type === "integer") {
    if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
    return (isTime(member) ? parseIsoTime(text) : undefined) ?? text;
  }
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

const NO_PARAMETER =
  "expected a value between the slashes of the path, got nothing; for a list, leave the last slash out";
const NO_TEAM = "expected the id or slug of a team, got nothing; without a team, leave it out";

/** What is wrong with one key of a query; null: it is known. */
type CheckKey = (key: string) => string | null;

function compileKeys(endpoint: Endpoint): { readonly known: readonly string[]; readonly check: CheckKey } {
  const about = aboutNoTeam(endpoint);
  const members = Object.keys(endpoint.query?.properties ?? {});
  const known = [...new Set([...members, ...(about === null ? SCOPE_KEYS : [])])];
  const check = (key: string) => {
    if (about !== null && (SCOPE_KEYS as readonly string[]).includes(key)) {
      return `expected no team, because this is about ${about}; leave it out`;
    }
    if (known.includes(key)) return null;
    return hasMember(endpoint.body, key) ? "expected in the body, not in the query" : unknownKey(key, known);
  };
  return { known, check };
}

/** What is wrong with a value before it is converted; null: nothing. */
function textProblem(
  all: readonly string[],
  { type, enum: choices = [] }: QueryMember,
  isList: boolean,
): string | null {
  if (!isList && all.length > 1) return `expected once, got ${all.length} times`;
  if (!all.includes("")) return null;
  const wanted = type === "boolean" ? "true or false" : choices.length > 0 ? anyOf(choices) : "a value";
  return `expected ${wanted}, got nothing; else leave it out`;
}

function compileQuery(endpoint: Endpoint): (values: QueryValues) => unknown {
  const { query: schema } = endpoint;
  const members = Object.entries((schema?.properties ?? {}) as Readonly<Record<string, QueryMember>>);
  const { known, check } = compileKeys(endpoint);
  const problemsIn = schema ? compileProblems("query", schema) : () => [];
  return (values) => {
    const found: Problem[] = [];
    const add = (key: string, text: string, expected = expectedOf(text)) =>
      found.push(problemAt(`query.${key}`, text, expected));
    for (const [key, all] of values) {
      const text = check(key);
      if (text !== null) add(key.slice(0, 40), text, text.startsWith("unknown") ? knownKeys(known) : undefined);
      for (const value of all) refuseUnstorableText(value, `query.${key}`);
      const isTeam = text === null && (SCOPE_KEYS as readonly string[]).includes(key);
      if (isTeam && all.includes("") && !takesEmpty(endpoint, key)) add(key, NO_TEAM);
    }
    const query: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const all = values.get(name);
      if (!all || (all.includes("") && takesEmpty(endpoint, name))) continue;
      const isList = member.type === "array" || member["x-list"] !== undefined;
      const text = textProblem(all, member, isList);
      if (text === null) query[name] = member.type === "array" ? all : coerce(all.join(","), member);
      else add(name, text);
      const seconds = typeof query[name] === "number" && isTime(member) ? secondsProblem(query[name]) : null;
      if (seconds !== null) add(name, seconds);
    }
    refuseProblems("invalid_query", [...found, ...problemsIn(query)]);
    return query;
  };
}

/** Clients send `{}` where nothing is expected. */
function refuseBody(body: unknown = {}): void {
  if (typeof body === "object" && body !== null && Object.keys(body).length === 0) return;
  throw fieldError("bad_request", "body", "expected no body");
}

const hasMember = (schema: TSchema | undefined, name: string): boolean =>
  Object.hasOwn((schema as TObject | undefined)?.properties ?? {}, name);

/** Refuses a member of a body that the query takes, where the body does not. */
function refuseMisplaced(endpoint: Endpoint, body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const inQuery = (name: string) =>
    hasMember(endpoint.query, name) ||
    (aboutNoTeam(endpoint) === null && (SCOPE_KEYS as readonly string[]).includes(name));
  const name = Object.keys(body).find((key) => inQuery(key) && !hasMember(endpoint.body, key));
  if (name === undefined) return;
  throw fieldError("bad_request", `body.${name}`, `expected in the query, as ?${name}=..., not in the body`);
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
      for (const name in params) {
        if (params[name] === "") throw fieldError("invalid_path", `path.${name}`, NO_PARAMETER);
        refuseUnstorableText(params[name] as string, `path.${name}`);
      }
      checkParams?.(params);
    },
    query: compileQuery(endpoint),
    body(body) {
      if (endpoint.isBodyChecked) return;
      if (body === undefined && endpoint.isBodyOptional) return;
      try {
        checkBody(body);
      } catch (error) {
        refuseMisplaced(endpoint, body);
        throw error;
      }
    },
  };
}

/** The team that the query names. */
export function readScope(values: QueryValues): { readonly teamId: string | null; readonly slug: string | null } {
  return { teamId: singleValue(values, "teamId"), slug: singleValue(values, "slug") };
}
