// The parameters of an operation in the OpenAPI document: of its path, its query and its headers.
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { SCOPE_KEYS, aboutNoTeam, takesEmpty } from "../../platform/operations/empty-parameters.ts";
import { takesIdempotencyKey, takesIfMatch } from "../../platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { pathExample } from "./endpoint-examples.ts";
import { describeMember } from "./member-words.ts";
import { PARAMETERS, reference, stateHeaders } from "./openapi-components.ts";
import type { Json } from "./openapi-components.ts";

/** Moves what a schema shares with others to the components. */
type Publish = (schema: unknown) => unknown;

/** The schema of a text that must not be empty. Members of a query may be given several times, so of a list each item. */
function filled(schema: TSchema): TSchema {
  const { type, items, enum: choices }: { type?: unknown; items?: TSchema; enum?: unknown } = schema;
  if (type === "array" && items) return { ...schema, items: filled(items) };
  return type === "string" && choices === undefined ? { minLength: 1, ...schema } : schema;
}

function queryParameters({ id, endpoint }: NamedEndpoint, publish: Publish): unknown[] {
  const { example, query } = endpoint;
  const required = new Set(query?.required ?? []);
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { deprecated, ...schema } = property as TSchema & { deprecated?: true };
    const { description, ...rest } = describeMember(name, id, schema);
    return {
      name,
      in: "query",
      ...(required.has(name) ? { required: true } : {}),
      ...(deprecated ? { deprecated } : {}),
      description,
      schema: publish(takesEmpty(endpoint, name) ? rest : filled(rest)),
      ...(example?.query?.[name] === undefined ? {} : { example: example.query[name] }),
    };
  });
}

function pathParameters(path: string, named: NamedEndpoint, publish: Publish): unknown[] {
  const { params } = named.endpoint;
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const { description, ...schema } = describeMember(name, named.id, params?.properties[name] ?? Type.String());
    return {
      name,
      in: "path",
      required: true,
      description,
      schema: publish(filled(schema)),
      example: pathExample(name, named),
    };
  });
}

/** The parameters of an operation, without those of its body. */
export function parametersOf(path: string, named: NamedEndpoint, publish: Publish): unknown[] {
  const { endpoint } = named;
  return [
    ...pathParameters(path, named, publish),
    ...queryParameters(named, publish),
    ...(aboutNoTeam(endpoint) === null ? SCOPE_KEYS : []).map((key) =>
      reference("parameters", capitalized(takesEmpty(endpoint, key) ? `${key}OrEmpty` : key)),
    ),
    ...(takesIdempotencyKey(endpoint) ? [reference("parameters", "IdempotencyKey")] : []),
    ...(takesIfMatch(endpoint) ? [reference("parameters", "IfMatch")] : []),
    ...stateHeaders(endpoint),
  ];
}

/** `teamId`: "TeamId" */
export const capitalized = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

export interface Described {
  parameters: readonly unknown[];
}

/** How many operations have to take the same parameter for it to be described once. */
const SHARED_BY = 3;

/** Replaces parameters that several operations describe alike by references; returns what they refer to. */
export function shareParameters(operations: readonly Described[]): Json {
  const all = operations.flatMap(({ parameters }) => parameters.map((parameter) => JSON.stringify(parameter)));
  const alike = [...Map.groupBy(all, (text) => text)]
    .filter(([text, { length }]) => length >= SHARED_BY && !text.startsWith('{"$ref"'))
    .toSorted(([, a], [, b]) => b.length - a.length);
  const shared = new Map<string, string>();
  const names = new Set(Object.keys(PARAMETERS));
  for (const [text] of alike) {
    const parameter: { readonly name: string; readonly in: string } = JSON.parse(text);
    const name = `${capitalized(parameter.name)}In${capitalized(parameter.in)}`;
    // Of several forms the commonest has the name, and the others stay in place.
    if (names.has(name)) continue;
    names.add(name);
    shared.set(text, name);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((parameter) => {
      const name = shared.get(JSON.stringify(parameter));
      return name === undefined ? parameter : reference("parameters", name);
    });
  }
  return Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text)]));
}
