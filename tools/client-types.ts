// The client's types as text, for the package: what src/client/types.ts says with the contracts, without them. Descriptions of the
// schemas become comments, which editors show.
import type { NamedEndpoint } from "../src/platform/operations/endpoint-details.ts";
import type { TSchema } from "typebox";
import { describeMembers } from "../src/serve/reference/member-words.ts";
import { capitalized } from "../src/serve/reference/openapi-parameters.ts";
import { findItems } from "./client-table.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
  readonly deprecated?: boolean;
}

const SCALARS: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

function commentOf({ description, deprecated }: Schema): string {
  const text = [description, deprecated && "@deprecated"].filter(Boolean).join(" ");
  return text === "" ? "" : `/** ${text.replaceAll("*/", "* /")} */ `;
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined) {
    return `{ [name: string]: ${typeof additionalProperties === "object" ? typeText(additionalProperties) : "unknown"} }`;
  }
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${commentOf(schema)}${key}${required.includes(name) ? "" : "?"}: ${typeText(schema)};`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(" ")} }`;
}

function oneType(type: string, schema: Schema): string {
  if (type === "object") return objectType(schema);
  if (type === "array") return `(${schema.items ? typeText(schema.items) : "unknown"})[]`;
  return SCALARS[type] ?? "unknown";
}

/** A schema as a type of TypeScript. */
export function typeText(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf) return union(schema.anyOf.map((one) => `(${typeText(one)})`));
  if (schema.allOf) return schema.allOf.map((one) => `(${typeText(one)})`).join(" & ");
  const { type } = schema;
  if (type === undefined) return schema.properties ? objectType(schema) : "unknown";
  return union([type].flat().map((one) => oneType(one, schema)));
}

/** The type of a contract's schema, with comments. */
const described = (schema: TSchema, at: string) => typeText(describeMembers(schema, at));

/** The named types of an operation's query and body: `ListSecretsQuery`, `CreateWebhookInput`. */
function namedInputs({ id, endpoint: { query, body } }: NamedEndpoint): readonly string[] {
  return [
    ...(query ? [`export type ${capitalized(id)}Query = ${described(query, id)} & OwnerQuery;`] : []),
    ...(body ? [`export type ${capitalized(id)}Input = ${described(body, id)};`] : []),
  ];
}

function inputType({ id, endpoint }: NamedEndpoint): string {
  const { params, query, body, isBodyOptional, beginsObject } = endpoint;
  const name = capitalized(id);
  return [
    params ? `params: ${described(params, id)};` : "params?: never;",
    `query?: ${query ? `${name}Query` : "OwnerQuery"};`,
    body ? `body${isBodyOptional ? "?" : ""}: ${name}Input;` : "body?: never;",
    "readonly ifMatch?: string | null;",
    ...(beginsObject ? ['readonly ifNoneMatch?: "*" | null;'] : []),
  ].join(" ");
}

/** The text that stands for src/client/types.ts in the package. */
export function renderClientTypes(endpoints: readonly NamedEndpoint[]): string {
  const entries = endpoints.map((named) => {
    const { id, endpoint } = named;
    const output = endpoint.status === 204 ? "null" : described(endpoint.response, `${capitalized(id)}Result`);
    const summary = commentOf({ description: endpoint.summary });
    return `  ${summary}${id}: {\n    input: { ${inputType(named)} };\n    output: ${output};\n  };`;
  });
  const lists = endpoints.flatMap(({ id, endpoint }) => {
    const items = findItems(endpoint);
    if (items === null) return [];
    const path = items === "" ? "" : `["${items}"]`;
    return [`  ${id}: Output<"${id}">${path}[number];`];
  });
  return [
    "/** `teamId` and `slug` choose the owner where the path names none. */",
    "export interface OwnerQuery { readonly teamId?: string; readonly slug?: string }",
    ...endpoints.flatMap(namedInputs),
    "export interface Operations {",
    ...entries,
    "}",
    "/** The id of an operation, as openapi.json has it. */",
    "export type OperationId = keyof Operations;",
    "/** What a call is given. */",
    'export type Input<K extends OperationId> = Operations[K]["input"];',
    "/** What a call resolves to; null: the response has no body. */",
    'export type Output<K extends OperationId> = Operations[K]["output"];',
    "export interface Items {",
    ...lists,
    "}",
    "/** The operations that list, page by page. */",
    "export type ListId = keyof Items;",
    "/** One item of such a list. */",
    "export type Item<K extends ListId> = Items[K];",
    "",
  ].join("\n");
}
