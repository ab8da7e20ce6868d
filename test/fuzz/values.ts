// Values that fit a schema, as an arbitrary of fast-check: mostly plain ones, now and then those at its edges.
import fc from "fast-check";
import type { Schema } from "./document.ts";

/** What stands at a place of its own kind, by the name that leads there; undefined: whatever fits the schema. */
export type Hint = (name: string, schema: Schema) => fc.Arbitrary<unknown> | undefined;

const NO_HINT: Hint = () => undefined;

/** Long lists and texts say little and take their time. */
const MOST_ITEMS = 3;
const MOST_CHARACTERS = 12;
/** Of texts that are as long as they may be. */
const LONGEST = 4_096;

/** Letters that are written, sorted, folded or shown in ways of their own; none is NUL or half a pair. */
const ODD_CHARACTERS: readonly string[] = [
  ...Array.from("éßİıſKÅﬀ№٣𝒳中ا🙂"),
  "e\u0301",
  "👩‍👩‍👧",
  ...Array.from("\u202e\u200d\ufeff\u2028\u0007\u007f\u00a0\ufffd\uffff"),
  ...Array.from(" \t\n\r\"'\\/%&+#?=;,.*<$`{"),
];

const plain = fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_"));
const character = fc.oneof(
  { weight: 12, arbitrary: plain },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_CHARACTERS) },
);

/** Schemas count code points. */
function cut(text: string, most: number): string {
  return Array.from(text).slice(0, most).join("");
}

function textOf({
  minLength = 0,
  maxLength = 64,
  pattern,
}: {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
}) {
  if (pattern !== undefined) {
    const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
    return fc.stringMatching(new RegExp(pattern), { size: "small" }).filter(fits);
  }
  const usual = fc
    .array(character, { minLength, maxLength: Math.max(minLength, Math.min(maxLength, MOST_CHARACTERS)) })
    .map((characters) => cut(characters.join(""), maxLength));
  const longest = character.map((one) => cut(one.repeat(Math.min(maxLength, LONGEST)), Math.min(maxLength, LONGEST)));
  const shortest = character.map((one) => cut(one.repeat(minLength), Math.max(minLength, 1)).slice(0, minLength * 8));
  return fc.oneof(
    { weight: 20, arbitrary: usual },
    { weight: 1, arbitrary: longest },
    { weight: 1, arbitrary: shortest.filter((text) => Array.from(text).length >= minLength) },
  );
}

function numberOf(schema: Schema, isWhole: boolean): fc.Arbitrary<number> {
  const { minimum = -1_000_000, maximum = 8_640_000_000_000_000 } = schema as { minimum?: number; maximum?: number };
  const near = Math.min(maximum, Math.max(minimum, 0) + 100);
  const edges = fc.constantFrom(minimum, maximum);
  const small = fc.integer({ min: Math.ceil(minimum), max: Math.floor(near) });
  const some = isWhole ? small : fc.oneof(small, fc.double({ min: minimum, max: near, noNaN: true }));
  return fc.oneof({ weight: 8, arbitrary: some }, { weight: 1, arbitrary: edges });
}

function recordOf(schema: Schema, hint: Hint): fc.Arbitrary<unknown> {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
    additionalProperties?: Schema | boolean;
  };
  const entries = Object.entries(properties);
  if (entries.length === 0) {
    const item =
      typeof additionalProperties === "object" ? valueOf(additionalProperties, hint) : fc.jsonValue({ maxDepth: 2 });
    if (additionalProperties === false) return fc.constant({});
    const { minProperties = 0 } = schema as { minProperties?: number };
    const key = hint("*", schema) ?? fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,10}$/);
    return fc.dictionary(key as fc.Arbitrary<string>, item, { minKeys: minProperties, maxKeys: minProperties + 2 });
  }
  const members = Object.fromEntries(
    entries.map(([name, member]) => [name, hint(name, member) ?? valueOf(member, hint)] as const),
  );
  return fc.record(members, { requiredKeys: [...required] });
}

function arrayOf(schema: Schema, hint: Hint): fc.Arbitrary<unknown> {
  const {
    items = {},
    minItems = 0,
    maxItems = MOST_ITEMS,
    uniqueItems,
  } = schema as {
    items?: Schema;
    minItems?: number;
    maxItems?: number;
    uniqueItems?: boolean;
  };
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, MOST_ITEMS)) };
  const item = valueOf(items, hint);
  return uniqueItems
    ? fc.uniqueArray(item, { ...bounds, selector: (one) => JSON.stringify(one) })
    : fc.array(item, bounds);
}

function valueOfType(type: unknown, schema: Schema, hint: Hint): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return numberOf(schema, type === "integer");
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return arrayOf(schema, hint);
    case "object":
      return recordOf(schema, hint);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** What fits a schema. */
export function valueOf(schema: Schema, hint: Hint = NO_HINT): fc.Arbitrary<unknown> {
  const {
    anyOf,
    enum: values,
    const: only,
    type,
  } = schema as {
    anyOf?: readonly Schema[];
    enum?: readonly unknown[];
    const?: unknown;
    type?: unknown;
  };
  if (only !== undefined) return fc.constant(only);
  if (values) return fc.constantFrom(...values);
  if (anyOf) return fc.oneof(...anyOf.map((one) => valueOf(one, hint)));
  if (Array.isArray(type)) {
    const [first, ...others] = type.map((one) => valueOfType(one, schema, hint));
    return fc.oneof(
      { weight: 3, arbitrary: first as fc.Arbitrary<unknown> },
      ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
    );
  }
  return valueOfType(type, schema, hint);
}
