// Validates input against an endpoint's schemas. Errors name the field, what was expected and the type that was received, but never
// repeat a value that could be a secret.
import { createRequire } from "node:module";
import type { TObject, TSchema } from "typebox";
import type * as TypeBoxSchema from "typebox/schema";
import type { Endpoint } from "../kernel/contract.ts";
import { fieldError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import { parseIsoTime } from "../kernel/text/iso-time.ts";
import { knownKeys, unknownKey } from "../kernel/text/nearest-name.ts";
import { isTime, refuseSeconds } from "../kernel/units.ts";
import { SCOPE_KEYS, aboutNoTeam, takesEmpty } from "./empty-parameters.ts";
import { anyOf, atMostItems, fieldName, problemAt, problemsOf, refusal, unknownMember } from "./faults.ts";
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

/** A check that throws what is wrong with a value; `root` is its name in errors. */
export function compileCheck(root: string, schema: TSchema, code: ErrorCode): Check {
  const validatorOf = compileLate(schema);
  return (value) => {
    if (validatorOf().Check(value)) return;
    const unknown = findUnknownOfMany(schema, value);
    if (unknown !== undefined) throw refusal(code, [unknownMember(root, schema, unknown)]);
    const invalid = findInvalidPart({ schema, value, at: "" }, (inner) => compileLate(inner)());
    const at = fieldName(root, invalid.at);
    const most = maxItemsOf(invalid);
    if (most !== undefined) {
      const items = atMostItems(most);
      throw refusal(code, [problemAt(at, `expected ${items}`, items)]);
    }
    const errorsOf = (part: Part) => compileLate(part.schema)().Errors(part.value)[1];
    const [first = problemAt(at, "not as expected", "another value"), ...others] = problemsOf(root, invalid, errorsOf);
    throw refusal(code, [first, ...others]);
  };
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

function compileQuery(endpoint: Endpoint): (values: QueryValues) => unknown {
  const { query: schema } = endpoint;
  const members = Object.entries(schema?.properties ?? {});
  const about = aboutNoTeam(endpoint);
  const known = new Set<string>([...members.map(([name]) => name), ...(about === null ? SCOPE_KEYS : [])]);
  const check = schema ? compileCheck("query", schema, "invalid_query") : null;
  return (values) => {
    for (const [key, all] of values) {
      const isTeam = (SCOPE_KEYS as readonly string[]).includes(key);
      if (isTeam && about !== null) {
        throw fieldError(
          "invalid_query",
          `query.${key}`,
          `expected no team, because this is about ${about}; leave it out`,
        );
      }
      if (!known.has(key)) {
        const field = `query.${key.slice(0, 40)}`;
        if (hasMember(endpoint.body, key))
          throw fieldError("invalid_query", field, "expected in the body, not in the query");
        throw fieldError("invalid_query", field, unknownKey(key, [...known]), { expected: knownKeys([...known]) });
      }
      for (const value of all) refuseUnstorableText(value, `query.${key}`);
      if (isTeam && all.includes("") && !takesEmpty(endpoint, key)) {
        throw fieldError("invalid_query", `query.${key}`, NO_TEAM);
      }
    }
    const query: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const all = values.get(name);
      if (!all) continue;
      const { type, enum: choices = [] } = member as QueryMember;
      const isList = type === "array" || (member as QueryMember)["x-list"] !== undefined;
      if (!isList && all.length > 1) {
        throw fieldError("invalid_query", `query.${name}`, `expected once, got ${all.length} times`);
      }
      if (all.includes("")) {
        if (takesEmpty(endpoint, name)) continue;
        const wanted = type === "boolean" ? "true or false" : choices.length > 0 ? anyOf(choices) : "a value";
        throw fieldError("invalid_query", `query.${name}`, `expected ${wanted}, got nothing; else leave it out`);
      }
      const value = type === "array" ? all : coerce(all.join(","), member);
      if (typeof value === "number" && isTime(member)) refuseSeconds("invalid_query", `query.${name}`, value);
      query[name] = value;
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
