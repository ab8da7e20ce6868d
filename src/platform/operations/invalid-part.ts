// Finds the part of a large value that does not fit its schema. The library looks for errors without a compiled schema, which takes a
// quarter of a second for a large value, and a few milliseconds for its part.
import type { TSchema } from "typebox";

/** With more members than any schema names, an object is not searched for further errors: each unknown member would become one. */
const MANY_MEMBERS = 500;
/** A value of more values than this, itself and all that are in it, is large. */
const LARGE_VALUES = 2_000;

export interface Part {
  readonly schema: TSchema;
  readonly value: unknown;
  /** A JSON pointer that leads to it. */
  readonly at: string;
}

/** The members that the parts of values have in schemas. */
interface Schema {
  readonly items?: TSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: TSchema | boolean;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

function isLarge(value: unknown): boolean {
  let left = LARGE_VALUES;
  const take = (inner: unknown): boolean => {
    if (left-- === 0) return true;
    return typeof inner === "object" && inner !== null && Object.values(inner).some(take);
  };
  return take(value);
}

/** How many items an array may have that has more, by all forms that it may have. */
export function maxItemsOf({ schema, value }: Pick<Part, "schema" | "value">): number | undefined {
  if (!Array.isArray(value)) return undefined;
  const { maxItems, items, anyOf } = schema as Schema;
  if (anyOf) {
    const forms = anyOf.filter((form) => (form as Schema).items !== undefined);
    const bounds = forms.map((form) => maxItemsOf({ schema: form, value }));
    return bounds.length === 0 || bounds.includes(undefined) ? undefined : Math.max(...(bounds as number[]));
  }
  return items !== undefined && maxItems !== undefined && value.length > maxItems ? maxItems : undefined;
}

/** A member of an object or an array; undefined: there is none, or no schema for it. */
function innerPart({ schema, value, at }: Part, key: string): Part | undefined {
  const { items, properties = {}, additionalProperties } = schema as Schema;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const fitting = Array.isArray(value) ? items : Object.hasOwn(properties, key) ? properties[key] : others;
  const inner = (value as Readonly<Record<string, unknown>>)[key];
  return fitting && { schema: fitting, value: inner, at: `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}` };
}

function* innerParts(part: Part): Iterable<Part> {
  if (typeof part.value !== "object" || part.value === null) return;
  for (const key of Object.keys(part.value)) {
    const inner = innerPart(part, key);
    if (inner) yield inner;
  }
}

/** The values that a schema names as the only ones; undefined: it names none. */
function namedValues({ const: only, enum: choices }: Schema = {}): readonly unknown[] | undefined {
  return choices ?? (only === undefined ? undefined : [only]);
}

/** The form of a union that an object has by its tag, which is the first member that every form of an object names the values of. */
function findForm({ schema, value, at }: Part): Part | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const membersOf = (form: TSchema) => (form as Schema).properties as Readonly<Record<string, Schema>>;
  const [first, ...others] = ((schema as Schema).anyOf ?? []).filter(membersOf);
  if (!first || others.length === 0) return first && { schema: first, value, at };
  const forms = [first, ...others];
  const tag = Object.keys(membersOf(first)).find((name) => forms.every((form) => namedValues(membersOf(form)[name])));
  if (tag === undefined) return undefined;
  const named = (value as Readonly<Record<string, unknown>>)[tag];
  const meant = forms.find((form) => namedValues(membersOf(form)[tag])?.includes(named));
  return meant && { schema: meant, value, at };
}

/** The outermost value on the way to a fault, by its JSON pointer, that has one of several forms: with the schema of that form alone. */
export function findMeant(part: Part, pointer: string): Part | undefined {
  let at: Part | undefined = part;
  for (const key of pointer.split("/").slice(1)) {
    const form = findForm(at);
    if (form) return form;
    at = innerPart(at, key.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (!at) return undefined;
  }
  return findForm(at);
}

/** The first unknown member of a closed object that has very many. */
export function findUnknownOfMany(schema: TSchema, value: unknown): string | undefined {
  const { additionalProperties, properties = {} } = schema as Schema;
  if (additionalProperties !== false || typeof value !== "object" || value === null) return undefined;
  const keys = Object.keys(value);
  return keys.length < MANY_MEMBERS ? undefined : keys.find((key) => !Object.hasOwn(properties, key));
}

/** The schema of a value without those of its parts, which all fit. */
function shallowOf(schema: TSchema): TSchema {
  const { properties, additionalProperties } = schema as Schema;
  const names = Object.keys(properties ?? {});
  return {
    ...schema,
    items: {},
    additionalProperties: additionalProperties !== false,
    ...(properties && { properties: Object.fromEntries(names.map((name) => [name, {}])) }),
  };
}

/** The first part of a value that does not fit and is not large, or what is wrong with the value itself where all of its parts fit. */
export function findInvalidPart(part: Part, compile: (schema: TSchema) => { Check(value: unknown): boolean }): Part {
  if (!isLarge(part.value) || maxItemsOf(part) !== undefined) return part;
  for (const inner of innerParts(part)) {
    if (!compile(inner.schema).Check(inner.value)) return findInvalidPart(inner, compile);
  }
  return { ...part, schema: shallowOf(part.schema) };
}
