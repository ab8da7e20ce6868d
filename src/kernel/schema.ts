// JSON Schema with static types: TypeBox's signatures, and plain objects behind them. Contracts need no more of the
// library at run time than that, and loading it would cost each thread a fifth of its memory and of its start.
import type { Type as TypeBox } from "typebox";

type Builders = Pick<
  typeof TypeBox,
  | "Array"
  | "Boolean"
  | "Integer"
  | "Literal"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Partial"
  | "Record"
  | "String"
  | "Union"
  | "Unsafe"
>;

/** A schema as it is built here; the static type is the library's. */
interface PlainSchema {
  readonly [keyword: string]: unknown;
  readonly [OPTIONAL]?: true;
}

// Not part of the JSON: whether a member may be left out is said by the object that has it.
const OPTIONAL = Symbol("optional");

type Members = Readonly<Record<string, PlainSchema>>;

function objectOf(properties: Members, options: object = {}): PlainSchema {
  const required = Object.keys(properties).filter((name) => !properties[name]?.[OPTIONAL]);
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties, ...options };
}

function optional(schema: PlainSchema): PlainSchema {
  return { ...schema, [OPTIONAL]: true };
}

function partial({ required: _required, properties, ...rest }: PlainSchema, options: object = {}): PlainSchema {
  const members = Object.entries(properties as Members).map(([name, member]) => [name, optional(member)]);
  return { ...rest, properties: Object.fromEntries(members), ...options };
}

const scalar =
  (type: string) =>
  (options: object = {}): PlainSchema => ({ type, ...options });

/** Builders of schemas, as in TypeBox. */
export const Type = {
  Array: (items: PlainSchema, options: object = {}) => ({ type: "array", items, ...options }),
  Boolean: scalar("boolean"),
  Integer: scalar("integer"),
  Literal: (value: unknown, options: object = {}) => ({ type: typeof value, const: value, ...options }),
  Null: scalar("null"),
  Number: scalar("number"),
  Object: objectOf,
  Optional: optional,
  Partial: partial,
  Record: (_key: PlainSchema, value: PlainSchema, options: object = {}) => ({
    type: "object",
    additionalProperties: value,
    ...options,
  }),
  String: scalar("string"),
  Union: (schemas: readonly PlainSchema[], options: object = {}) => ({ anyOf: schemas, ...options }),
  Unsafe: (schema: PlainSchema) => schema,
} as unknown as Builders;
