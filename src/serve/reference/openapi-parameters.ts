// The parameters of an operation in the OpenAPI document: of its path, its query and its headers.
import type { TSchema } from "typebox";
import type { Endpoint } from "../../platform/kernel/contract.ts";
import { takesEmpty } from "../../platform/operations/empty-parameters.ts";
import { takesIdempotencyKey, takesIfMatch } from "../../platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { pathExample } from "./endpoint-examples.ts";
import { reference, stateHeaders } from "./openapi-components.ts";

/** Moves what a schema shares with others to the components. */
type Publish = (schema: unknown) => unknown;

/** The schema of a text that must not be empty. Members of a query may be given several times, so of a list each item. */
function filled(schema: TSchema): TSchema {
  const { type, items, enum: choices }: { type?: unknown; items?: TSchema; enum?: unknown } = schema;
  if (type === "array" && items) return { ...schema, items: filled(items) };
  return type === "string" && choices === undefined ? { minLength: 1, ...schema } : schema;
}

function queryParameters(endpoint: Endpoint, publish: Publish): unknown[] {
  const { example, query } = endpoint;
  const required = new Set(query?.required ?? []);
  return Object.entries(query?.properties ?? {}).map(([name, property]) => {
    const { description, ...schema } = property as TSchema & { description?: string };
    return {
      name,
      in: "query",
      ...(required.has(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: publish(takesEmpty(endpoint, name) ? schema : filled(schema)),
      ...(example?.query?.[name] === undefined ? {} : { example: example.query[name] }),
    };
  });
}

function pathParameters(path: string, named: NamedEndpoint, publish: Publish): unknown[] {
  const { params } = named.endpoint;
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const { description, ...schema } = (params?.properties[name] ?? { type: "string" }) as TSchema & {
      description?: string;
    };
    return {
      name,
      in: "path",
      required: true,
      ...(description === undefined ? {} : { description }),
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
    ...queryParameters(endpoint, publish),
    reference("parameters", takesEmpty(endpoint, "teamId") ? "TeamIdOrEmpty" : "TeamId"),
    reference("parameters", takesEmpty(endpoint, "slug") ? "SlugOrEmpty" : "Slug"),
    ...(takesIdempotencyKey(endpoint) ? [reference("parameters", "IdempotencyKey")] : []),
    ...(takesIfMatch(endpoint) ? [reference("parameters", "IfMatch")] : []),
    ...stateHeaders(endpoint),
  ];
}
