// Parsers for request bodies, which are combined like schemas. They collect all errors with their paths instead of stopping at
// the first. A parsed object has only known members, and only those that were sent.
import { expectedOf, fieldError } from "../../platform/kernel/errors.ts";
import { nearestHint, unknownKey } from "../../platform/kernel/text/nearest-name.ts";

/** One error in a body: the path, and what was expected there. */
export interface BodyError {
  readonly field: string;
  readonly message: string;
  readonly expected?: string;
}

const MAX_ERRORS = 100;

export interface ParseContext {
  readonly errors: BodyError[];
  /** The highest allowed cost of a configuration, and the cost of the expressions parsed so far. */
  readonly costLimit: number;
  patternCost: number;
}

export function newParseContext(costLimit: number): ParseContext {
  return { errors: [], costLimit, patternCost: 0 };
}

/** Whether the highest number of errors is reached. What follows is not parsed. */
export function hasMaxErrors({ errors }: ParseContext): boolean {
  return errors.length >= MAX_ERRORS;
}

/** Parses the value at path `at`. The result is valid only when no error was added. */
export type Parse<T> = (value: unknown, at: string, context: ParseContext) => T;

export function addError(context: ParseContext, field: string, message: string): undefined {
  const wanted = expectedOf(message);
  const error = { field: field.slice(0, 200), message, ...(wanted !== undefined && { expected: wanted }) };
  if (!hasMaxErrors(context)) context.errors.push(error);
  return undefined;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function expected(what: string, value: unknown, at: string, context: ParseContext): never {
  return addError(context, at, `expected ${what}, got ${kindOf(value)}`) as never;
}

export interface Member<T> {
  readonly parse: Parse<T>;
  readonly isOptional: boolean;
  /** A value as JSON, for errors that say that it is missing. */
  readonly example?: string | undefined;
  /** The member is accepted, and left out of the result. */
  readonly isDropped?: true;
}

export const required = <T>(parse: Parse<T>, example?: string): Member<T> => ({ parse, isOptional: false, example });
export const optional = <T>(parse: Parse<T>): Member<T> => ({ parse, isOptional: true });
/** Accepts any value: another parser checks it, or it is stored as it is. */
export const anything: Parse<unknown> = (value) => value;
/** A member of responses that a request may repeat. It is ignored. */
export const echoed: Member<unknown> = { parse: anything, isOptional: true, isDropped: true };

export type Members = Readonly<Record<string, Member<unknown>>>;

/** Checks members against each other. `isValid` says whether the named members have no errors. */
type Check<T> = (value: T, at: string, context: ParseContext, isValid: (...names: (keyof T)[]) => boolean) => void;

/** That a value is missing, and what a parser expects in its place. */
function isRequired({ parse, example }: Member<unknown>, { costLimit }: ParseContext): string {
  const context = newParseContext(costLimit);
  parse(undefined, "", context);
  const wanted = expectedOf(context.errors[0]?.message ?? "");
  const shown = example === undefined ? "" : `, such as ${example}`;
  return wanted === undefined ? `is required${shown}` : `is required: ${wanted}${shown}`;
}

/** Parses an object with these members. `T` is the type of the result. */
export function object<T>(members: Members, check?: Check<T>): Parse<T> {
  const names = Object.keys(members);
  return (value, at, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return expected("an object", value, at, context);
    }
    const source = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(source)) {
      if (Object.hasOwn(members, name)) continue;
      if (hasMaxErrors(context)) break;
      addError(context, `${at}.${name}`, unknownKey(name, names));
    }
    const result: Record<string, unknown> = {};
    const invalid = new Set<PropertyKey>();
    for (const name of names) {
      const before = context.errors.length;
      const known = members[name] as Member<unknown>;
      const member = source[name];
      if (member === undefined) {
        if (!known.isOptional) addError(context, `${at}.${name}`, isRequired(known, context));
      } else if (!known.isDropped) {
        result[name] = known.parse(member, `${at}.${name}`, context);
      }
      if (context.errors.length > before) invalid.add(name);
    }
    check?.(result as T, at, context, (...requested) => !requested.some((name) => invalid.has(name)));
    return result as T;
  };
}

/** Sorts members by name, the order in which they are stored. */
export function inNameOrder<T>(members: Readonly<Record<string, T>>): [name: string, member: T][] {
  return Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Parses an object with keys of the client's choice. The result is sorted by key, so that equal objects have equal JSON. */
export function record<T>(
  parse: Parse<T>,
  { max, names, what }: { readonly max: number; readonly names: RegExp; readonly what: string },
): Parse<Record<string, T>> {
  return (value, at, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return expected("an object", value, at, context);
    }
    const entries = inNameOrder<unknown>(value as Record<string, unknown>);
    if (entries.length > max) addError(context, at, `expected at most ${max} members`);
    return Object.fromEntries(
      entries.slice(0, max).map(([name, member]) => {
        if (!names.test(name)) addError(context, `${at}.${name}`, `expected a name of ${what}`);
        return [name, parse(member, `${at}.${name}`, context)];
      }),
    );
  };
}

export function list<T>(
  parse: Parse<T>,
  { min = 0, max, what = "items" }: { readonly min?: number; readonly max: number; readonly what?: string },
): Parse<T[]> {
  return (value, at, context) => {
    if (!Array.isArray(value)) return expected("an array", value, at, context);
    if (value.length < min) addError(context, at, `expected at least ${min} ${what}`);
    if (value.length > max) addError(context, at, `expected at most ${max} ${what}, got ${value.length}`);
    return value
      .slice(0, max)
      .map((item, index) => (hasMaxErrors(context) ? item : parse(item, `${at}[${index}]`, context)));
  };
}

export function text({
  min = 0,
  max,
  pattern,
  what,
}: {
  readonly min?: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** Describes the pattern in words. */
  readonly what?: string;
}): Parse<string> {
  return (value, at, context) => {
    if (typeof value !== "string") return expected(what ?? "a string", value, at, context);
    if (value.length < min) addError(context, at, `expected at least ${min} character${min === 1 ? "" : "s"}`);
    else if (value.length > max) addError(context, at, `expected at most ${max} characters, got ${value.length}`);
    else if (pattern && !pattern.test(value)) addError(context, at, `expected ${what ?? pattern.source}`);
    return value;
  };
}

export function choice<V extends string>(values: readonly V[]): Parse<V> {
  const known = values.map((value) => (value === "" ? "the empty text" : value)).join(", ");
  return (value, at, context) => {
    if (typeof value !== "string") return expected(`one of ${known}`, value, at, context);
    if (values.includes(value as V)) return value as V;
    addError(context, at, `expected one of ${known}${nearestHint(value, values)}`);
    return value as V;
  };
}

export const bool: Parse<boolean> = (value, at, context) =>
  typeof value === "boolean" ? value : expected("true or false", value, at, context);

export function integer(min: number, max: number): Parse<number> {
  return (value, at, context) => {
    if (typeof value !== "number") return expected("an integer", value, at, context);
    if (!Number.isInteger(value) || value < min || value > max) {
      addError(context, at, `expected an integer from ${min} to ${max}`);
    }
    return value;
  };
}

export function nullable<T>(parse: Parse<T>): Parse<T | null> {
  return (value, at, context) => (value === null ? null : parse(value, at, context));
}

/** Parses a whole body. Throws `invalid_firewall` with all errors. */
export function parseBody<T>(parse: Parse<T>, value: unknown, at: string, costLimit: number): T {
  const context = newParseContext(costLimit);
  const result = parse(value, at, context);
  throwErrors(context.errors);
  return result;
}

/** Throws `invalid_firewall` when there are errors. */
export function throwErrors(errors: readonly BodyError[]): void {
  const [first, ...others] = errors;
  if (!first) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more: see errors)`;
  const { expected: wanted } = first;
  const details = { ...(wanted !== undefined && { expected: wanted }), errors };
  throw fieldError("invalid_firewall", first.field, `${first.message}${more}`, details);
}
