// JSON Schemas in words: the type of a value, its limits, and its members. The reference page and the console say the same; only the
// latter's schemas hold references.

/** The subset of JSON Schema that the contracts use. */
export interface JsonSchema {
  readonly $ref?: string;
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

/** What a schema refers to, or itself. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

export interface Member {
  /** Empty: any name. */
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** `Webhook` of a reference; an empty text where the schema is in place. */
function titleOf({ $ref }: JsonSchema): string {
  return $ref?.split("/").at(-1) ?? "";
}

/** `strings`, `objects`; what is not one plain word stays. */
function plural(name: string): string {
  return /^[a-z]+$/.test(name) ? `${name}s` : name;
}

/** `string`, `integer or null`, `array of strings`, `array of Webhook`, `"a" or "b"`. */
export function typeName(schema: JsonSchema, resolve: Resolve): string {
  const own = resolve(schema);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.anyOf) return [...new Set(own.anyOf.map((one) => typeName(one, resolve)))].join(" or ");
  const array = own.items ? `array of ${plural(typeName(own.items, resolve))}` : "array";
  const types = [own.type ?? []].flat().map((type) => (type === "array" ? array : type));
  const title = types.includes("object") ? titleOf(schema) : "";
  if (types.length === 0) return own.properties ? "object" : "any JSON";
  return types.map((type) => (type === "object" && title !== "" ? title : type)).join(" or ");
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low === undefined && high === undefined) return [];
  if (low === undefined || (low === 0 && high !== undefined && unit !== "")) return [`at most ${high}${unit}`];
  if (high === undefined) return [`at least ${low}${unit}`];
  return [low === high ? `exactly ${low}${unit}` : `${low} to ${high}${unit}`];
}

/** The limits of a value beyond its type. */
export function limitsOf(schema: JsonSchema, resolve: Resolve): readonly string[] {
  const own = resolve(schema);
  const variants = own.anyOf?.map((one) => resolve(one)) ?? [];
  const items = own.items && resolve(own.items);
  const values = own.enum ?? items?.enum ?? variants.find((one) => one.enum)?.enum;
  return [
    ...(values ? [`one of ${values.map((value) => `\`${String(value)}\``).join(", ")}`] : []),
    ...range(own.minLength, own.maxLength, " characters"),
    ...range(own.minItems, own.maxItems, " items"),
    ...range(own.minimum, own.maximum, ""),
    ...(own["x-expected"] === undefined ? [] : [own["x-expected"]]),
    ...(own.format === undefined ? [] : [own.format]),
    ...(own.default === undefined ? [] : [`default \`${JSON.stringify(own.default)}\``]),
  ];
}

/** Members of an object, of an array's items, or of each variant of a union. */
export function membersOf(schema: JsonSchema, resolve: Resolve): readonly Member[] {
  const own = resolve(schema);
  if (own.items) return membersOf(own.items, resolve);
  if (own.anyOf) {
    // Variants share many members: each is listed once.
    const members = own.anyOf.flatMap((one) => membersOf(one, resolve));
    return [...new Map(members.map((member) => [member.name, member])).values()];
  }
  const named = Object.entries(own.properties ?? {}).map(([name, member]) => ({
    name,
    schema: member,
    isRequired: own.required?.includes(name) ?? false,
  }));
  const others =
    Object.values(own.patternProperties ?? {})[0] ??
    (typeof own.additionalProperties === "object" ? own.additionalProperties : undefined);
  return [...named, ...(others ? [{ name: "", schema: others, isRequired: false }] : [])];
}
