// JSON Schemas in words: the type of a value, its limits, and its members.
import { resolve } from "./operations.ts";
import type { ApiDocument, Schema } from "./operations.ts";

export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** `Webhook` of a reference; an empty text where the schema is in place. */
export function titleOf({ $ref }: Schema): string {
  return $ref?.split("/").at(-1) ?? "";
}

/** `string`, `integer or null`, `array of Webhook`, `"a" or "b"`. */
export function typeName(document: ApiDocument, schema: Schema): string {
  const own = resolve<Schema>(document, schema);
  if (own.const !== undefined) return JSON.stringify(own.const);
  if (own.anyOf) return [...new Set(own.anyOf.map((one) => typeName(document, one)))].join(" or ");
  const array = own.items ? `array of ${typeName(document, own.items)}` : "array";
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
export function limitsOf(document: ApiDocument, schema: Schema): readonly string[] {
  const own = resolve<Schema>(document, schema);
  const variants = own.anyOf?.map((one) => resolve<Schema>(document, one)) ?? [];
  const items = own.items && resolve<Schema>(document, own.items);
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

/** The values that it may have; undefined: any of its type. */
export function valuesOf(document: ApiDocument, schema: Schema): readonly unknown[] | undefined {
  const own = resolve<Schema>(document, schema);
  return own.type === "boolean" ? [true, false] : own.enum;
}

/** Members of an object, of an array's items, or of each variant of a union. */
export function membersOf(document: ApiDocument, schema: Schema): readonly Member[] {
  const own = resolve<Schema>(document, schema);
  if (own.anyOf) {
    // Variants share many members: each is listed once.
    const members = own.anyOf.flatMap((one) => membersOf(document, one));
    return [...new Map(members.map((member) => [member.name, member])).values()];
  }
  const named = Object.entries(own.properties ?? {}).map(([name, member]) => ({
    name,
    schema: member,
    isRequired: own.required?.includes(name) ?? false,
  }));
  const others = typeof own.additionalProperties === "object" ? own.additionalProperties : undefined;
  if (named.length === 0 && own.items) return membersOf(document, own.items);
  return [...named, ...(others ? [{ name: "", schema: others, isRequired: false }] : [])];
}
