// Describes JSON Schemas for readers: the fields of a body as rows.

/** The subset of JSON Schema that the contracts use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  /** The pattern in words. */
  readonly "x-expected"?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
}

export interface Field {
  /** Depth of nesting; 0 for the members of the body itself. */
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Limits of its value, such as "at most 48 characters". */
  readonly limits: readonly string[];
}

function isScalar(schema: JsonSchema): boolean {
  return nested(schema).length === 0;
}

function plural(schema: JsonSchema): string {
  if (!isScalar(schema)) return "objects";
  const name = typeName(schema);
  return /^[a-z]+$/.test(name) ? `${name}s` : name;
}

/** `string`, `integer or null`, `array of objects`, `"a" or "b"`. */
export function typeName(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(" or ");
  const array = schema.items ? `array of ${plural(schema.items)}` : "array";
  const types = [schema.type ?? []].flat().map((type) => (type === "array" ? array : type));
  return types.length > 0 ? types.join(" or ") : "any JSON";
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low === undefined && high === undefined) return [];
  if (low === undefined || (low === 0 && high !== undefined && unit !== "")) return [`at most ${high}${unit}`];
  if (high === undefined) return [`at least ${low}${unit}`];
  return [low === high ? `exactly ${low}${unit}` : `${low} to ${high}${unit}`];
}

/** The limits of a value beyond its type. */
export function limitsOf(schema: JsonSchema): string[] {
  const values = schema.enum ?? schema.items?.enum;
  return [
    ...(values ? [`one of ${values.map((value) => `\`${String(value)}\``).join(", ")}`] : []),
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...range(schema.minimum, schema.maximum, ""),
    ...(schema["x-expected"] === undefined ? [] : [schema["x-expected"]]),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
  ];
}

/** Members of an object, of an array's items, or of each variant of a union. */
function nested(
  schema: JsonSchema,
): { readonly name: string; readonly schema: JsonSchema; readonly isRequired: boolean }[] {
  if (schema.items) return nested(schema.items);
  if (schema.anyOf) {
    // Variants share many members: each is listed once.
    const members = new Map(schema.anyOf.flatMap(nested).map((member) => [member.name, member]));
    return [...members.values()];
  }
  const keyed =
    Object.values(schema.patternProperties ?? {})[0] ??
    (typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined);
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, member]) => ({
      name,
      schema: member,
      isRequired: schema.required?.includes(name) ?? false,
    })),
    ...(keyed ? [{ name: "any name", schema: keyed, isRequired: false }] : []),
  ];
}

/** All fields of a body, each followed by its own fields. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  return nested(schema).flatMap(({ name, schema: member, isRequired }) => [
    {
      depth,
      name,
      type: typeName(member),
      isRequired,
      description: member.description ?? "",
      limits: limitsOf(member),
    },
    ...fieldsOf(member, depth + 1),
  ]);
}
