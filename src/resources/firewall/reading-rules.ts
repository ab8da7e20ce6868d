// Reads a body part by part and notes everything that is wrong with it, each fault with its path, instead of stopping at
// the first. What is read has known members alone, and only those that were sent.
import { fieldError } from "../../kernel/errors.ts";
import { nearestHint, unknownKey } from "../../kernel/text/nearest-name.ts";

/** One thing that is wrong: where, and what was expected there. */
export interface Fault {
  readonly field: string;
  readonly message: string;
}

const MAX_FAULTS = 100;

export interface Reading {
  readonly faults: Fault[];
  /** What a request may cost, and what the expressions read so far do. */
  readonly costLimit: number;
  patternCost: number;
}

export function newReading(costLimit: number): Reading {
  return { faults: [], costLimit, patternCost: 0 };
}

/** Nobody reads on after so many faults; what follows is not looked at. */
export function isFull({ faults }: Reading): boolean {
  return faults.length >= MAX_FAULTS;
}

/** Reads what stands at `at`; what it answers counts only when no fault was noted. */
export type Read<T> = (value: unknown, at: string, reading: Reading) => T;

export function fault(reading: Reading, field: string, message: string): undefined {
  if (!isFull(reading)) reading.faults.push({ field: field.slice(0, 200), message });
  return undefined;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function expected(what: string, value: unknown, at: string, reading: Reading): never {
  return fault(reading, at, `expected ${what}, got ${kindOf(value)}`) as never;
}

export interface Member<T> {
  readonly read: Read<T>;
  readonly isOptional: boolean;
  /** Known, and left out of what is read. */
  readonly isDropped?: true;
}

export const required = <T>(read: Read<T>): Member<T> => ({ read, isOptional: false });
export const optional = <T>(read: Read<T>): Member<T> => ({ read, isOptional: true });
/** For what is read elsewhere, or kept as it is. */
export const anything: Read<unknown> = (value) => value;
/** What an answer says and a request may repeat. */
export const echoed: Member<unknown> = { read: anything, isOptional: true, isDropped: true };

export type Members = Readonly<Record<string, Member<unknown>>>;

/** Looks at what goes together; `isSound` says which members are absent or as they should be. */
type Check<T> = (value: T, at: string, reading: Reading, isSound: (...names: (keyof T)[]) => boolean) => void;

/** An object of these members; `T` says what they make. */
export function object<T>(members: Members, check?: Check<T>): Read<T> {
  const names = Object.keys(members);
  return (value, at, reading) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return expected("an object", value, at, reading);
    }
    const source = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(source)) {
      if (Object.hasOwn(members, name)) continue;
      if (isFull(reading)) break;
      fault(reading, `${at}.${name}`, unknownKey(name, names));
    }
    const result: Record<string, unknown> = {};
    const unsound = new Set<PropertyKey>();
    for (const name of names) {
      const before = reading.faults.length;
      const { read, isOptional, isDropped } = members[name] as Member<unknown>;
      const member = source[name];
      if (member === undefined) {
        if (!isOptional) fault(reading, `${at}.${name}`, "is required");
      } else if (!isDropped) {
        result[name] = read(member, `${at}.${name}`, reading);
      }
      if (reading.faults.length > before) unsound.add(name);
    }
    check?.(result as T, at, reading, (...wanted) => !wanted.some((name) => unsound.has(name)));
    return result as T;
  };
}

/** Members by name, in the one order in which they are stored. */
export function inNameOrder<T>(members: Readonly<Record<string, T>>): [name: string, member: T][] {
  return Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** An object whose keys the caller chose; they are put in order, since it means the same in any. */
export function record<T>(
  read: Read<T>,
  { max, names, what }: { readonly max: number; readonly names: RegExp; readonly what: string },
): Read<Record<string, T>> {
  return (value, at, reading) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return expected("an object", value, at, reading);
    }
    const entries = inNameOrder<unknown>(value as Record<string, unknown>);
    if (entries.length > max) fault(reading, at, `expected at most ${max} members`);
    return Object.fromEntries(
      entries.slice(0, max).map(([name, member]) => {
        if (!names.test(name)) fault(reading, `${at}.${name}`, `expected a name of ${what}`);
        return [name, read(member, `${at}.${name}`, reading)];
      }),
    );
  };
}

export function list<T>(
  read: Read<T>,
  { min = 0, max, what = "items" }: { readonly min?: number; readonly max: number; readonly what?: string },
): Read<T[]> {
  return (value, at, reading) => {
    if (!Array.isArray(value)) return expected("an array", value, at, reading);
    if (value.length < min) fault(reading, at, `expected at least ${min} ${what}`);
    if (value.length > max) fault(reading, at, `expected at most ${max} ${what}, got ${value.length}`);
    return value.slice(0, max).map((item, index) => (isFull(reading) ? item : read(item, `${at}[${index}]`, reading)));
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
  /** What the pattern stands for. */
  readonly what?: string;
}): Read<string> {
  return (value, at, reading) => {
    if (typeof value !== "string") return expected(what ?? "a string", value, at, reading);
    if (value.length < min) fault(reading, at, `expected at least ${min} character${min === 1 ? "" : "s"}`);
    else if (value.length > max) fault(reading, at, `expected at most ${max} characters, got ${value.length}`);
    else if (pattern && !pattern.test(value)) fault(reading, at, `expected ${what ?? pattern.source}`);
    return value;
  };
}

export function choice<V extends string>(values: readonly V[]): Read<V> {
  const known = values.map((value) => (value === "" ? "the empty text" : value)).join(", ");
  return (value, at, reading) => {
    if (typeof value !== "string") return expected(`one of ${known}`, value, at, reading);
    if (values.includes(value as V)) return value as V;
    fault(reading, at, `expected one of ${known}${nearestHint(value, values)}`);
    return value as V;
  };
}

export const bool: Read<boolean> = (value, at, reading) =>
  typeof value === "boolean" ? value : expected("a boolean", value, at, reading);

export function integer(min: number, max: number): Read<number> {
  return (value, at, reading) => {
    if (typeof value !== "number") return expected("an integer", value, at, reading);
    if (!Number.isInteger(value) || value < min || value > max) {
      fault(reading, at, `expected an integer from ${min} to ${max}`);
    }
    return value;
  };
}

export function nullable<T>(read: Read<T>): Read<T | null> {
  return (value, at, reading) => (value === null ? null : read(value, at, reading));
}

/** Reads the whole body; refuses it with everything that was noted. */
export function readAll<T>(read: Read<T>, value: unknown, at: string, costLimit: number): T {
  const reading = newReading(costLimit);
  const result = read(value, at, reading);
  refuseFaults(reading.faults);
  return result;
}

/** Throws when there are faults. */
export function refuseFaults(faults: readonly Fault[]): void {
  const [first, ...others] = faults;
  if (!first) return;
  const more = others.length === 0 ? "" : ` (and ${others.length} more: see errors)`;
  throw fieldError("invalid_firewall", first.field, `${first.message}${more}`, { errors: faults });
}
