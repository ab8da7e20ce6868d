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

function* innerParts({ schema, value, at }: Part): Iterable<Part> {
  const { items, properties = {}, additionalProperties } = schema as Schema;
  if (typeof value !== "object" || value === null) return;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  for (const [key, inner] of Object.entries(value)) {
    const fitting = Array.isArray(value) ? items : Object.hasOwn(properties, key) ? properties[key] : others;
    if (fitting)
      yield { schema: fitting, value: inner, at: `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}` };
  }
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
