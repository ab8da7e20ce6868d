// Readers of values in settings files. A reader notes every problem with its field instead of stopping at the first.
import { unknownKey } from "../text/nearest-name.ts";
import { expected } from "./setting-values.ts";

/** What is wrong with a field such as `providers[0].issuer`; the message says what was expected. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Reads the value of a field. After a problem the result is of no use. */
export type ValueReader<T> = (value: unknown, field: string, problems: FieldProblem[]) => T;

interface Key<T> {
  readonly read: ValueReader<T>;
  /** The value of an absent key; without one the key is required. */
  readonly fallback?: T;
}

const UNUSABLE = undefined as never;

/** A reader by a function that throws an Error whose message says what was expected. */
export function valueOf<T>(parse: (value: unknown) => T): ValueReader<T> {
  return (value, field, problems) => {
    try {
      return parse(value);
    } catch (error) {
      problems.push({ field, message: (error as Error).message });
      return UNUSABLE;
    }
  };
}

/** The same for texts; `what` is what to expect instead of anything else. */
export function textOf<T = string>(what: string, parse: (text: string) => T = (text) => text as T): ValueReader<T> {
  return valueOf((value) => (typeof value === "string" && value.trim() !== "" ? parse(value.trim()) : expected(what)));
}

export function listOf<T>(what: string, item: ValueReader<T>): ValueReader<readonly T[]> {
  return (value, field, problems) => {
    if (Array.isArray(value)) return value.map((one, index) => item(one, `${field}[${index}]`, problems));
    problems.push({ field, message: `expected ${what}` });
    return UNUSABLE;
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with these keys and no others. The field of the file itself is empty. */
export function objectOf<T extends object>(what: string, keys: { readonly [K in keyof T]: Key<T[K]> }): ValueReader<T> {
  const known = Object.keys(keys);
  return (value, field, problems) => {
    if (!isObject(value)) {
      problems.push({ field, message: `expected ${what}` });
      return UNUSABLE;
    }
    const fieldOf = (name: string) => (field === "" ? name : `${field}.${name}`);
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) problems.push({ field: fieldOf(name), message: unknownKey(name, known) });
    }
    const read = (name: string, key: Key<unknown>) => {
      const isGiven = Object.hasOwn(value, name);
      if (isGiven && value[name] !== null) return key.read(value[name], fieldOf(name), problems);
      if (!("fallback" in key)) problems.push({ field: fieldOf(name), message: "is required" });
      // The default of a key such as `domains` may allow everything.
      else if (isGiven) problems.push({ field: fieldOf(name), message: "expected a value, or no such key" });
      return key.fallback;
    };
    return Object.fromEntries(Object.entries<Key<unknown>>(keys).map(([name, key]) => [name, read(name, key)])) as T;
  };
}
