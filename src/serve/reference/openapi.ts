// The OpenAPI 3.1 document, derived from the endpoints. It adds only what the HTTP layer does for every endpoint.
import type { TSchema } from "typebox";
import { HTTP_ERRORS } from "../../platform/kernel/http-errors.ts";
import type { ErrorCode } from "../../platform/kernel/errors.ts";
import {
  describeAccess,
  errorsByStatus,
  groupByStatus,
  isPaginated,
  takesIdempotencyKey,
  templatePath,
} from "../../platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { sdkExample } from "./endpoint-examples.ts";
import {
  COMMON_HEADERS,
  ERROR_HEADERS,
  ERROR_SCHEMAS,
  HEADERS,
  PARAMETERS,
  SECURITY_SCHEMES,
  TAGS,
  UNCHANGED,
  describeCallback,
  headers,
  reference,
} from "./openapi-components.ts";
import type { Json } from "./openapi-components.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import { describeForm } from "./form-body.ts";
import { parametersOf } from "./openapi-parameters.ts";
import type { PublicEndpoint } from "../../platform/http/public-endpoints.ts";

interface Components {
  readonly schemas: Record<string, unknown>;
  readonly requestBodies: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
}

const INTRODUCTION = `Accounts, teams and their members, credentials, secrets, firewalls, webhooks, and the events of all of them.

- **Credentials**: \`Authorization: Bearer <credential>\`, or \`X-API-Key\` for API keys.
- **Scope**: \`teamId\` or \`slug\` in the query names the team that a call is about; without them it is about the
  caller's own account, or the API key's team.
- **Pages**: newest first. \`pagination.next\` goes into \`until\`, \`pagination.prev\` into \`since\`; \`Link\` has both URLs.
- **Retries**: a POST with an \`Idempotency-Key\` is carried out once; the same key and body get the same response for 24 h.
- **Lost updates**: a response about one object has an \`ETag\`; send it back as \`If-Match\` with a change.
- **Errors**: branch on \`error.code\`, show \`error.message\`. Send \`Accept: application/problem+json\` for RFC 9457.
- Times are integer milliseconds since the epoch unless a field says otherwise.`;

/** Splits a nullable enum into two schemas, because some generators treat every value of an enum as a string. */
function splitNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { enum: values, type, description, ...rest } = schema;
  if (!Array.isArray(values) || !values.includes(null)) return schema;
  const kinds = [type].flat().filter((kind) => kind !== "null");
  const present = { type: kinds.length === 1 ? kinds[0] : kinds, enum: values.filter((value) => value !== null) };
  return { ...rest, ...(description === undefined ? {} : { description }), anyOf: [present, { type: "null" }] };
}

/** A schema as plain JSON Schema. Schemas with a title are moved to the components, once each. */
function publish(schema: unknown, components: Components): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, components));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, publish(value, components)]);
  const { title, ...rest } = splitNull(Object.fromEntries(entries));
  if (typeof title !== "string") return title === undefined ? rest : { ...rest, title };
  const known = components.schemas[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(rest)) {
    throw new Error(`two schemas have the title ${title}`);
  }
  components.schemas[title] = rest;
  return reference("schemas", title);
}

/** A reference to the component of a schema, which is named by its title or else by `name`. */
function publishAs(name: string, schema: TSchema, components: Components): unknown {
  const published = publish(schema, components) as Json;
  if ("$ref" in published) return published;
  components.schemas[name] = published;
  return reference("schemas", name);
}

function errorResponse(status: number, codes: readonly ErrorCode[], form = "Error"): Json {
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: { ...headers(["X-Request-Id", "RequestId"]), ...ERROR_HEADERS[status] },
    content: {
      "application/json": { schema: reference("schemas", form) },
      "application/problem+json": { schema: reference("schemas", "Problem") },
    },
    "x-error-codes": codes,
  };
}

/** The forms of an endpoint's response by media type. */
function contentOf({ id, endpoint }: NamedEndpoint, components: Components): Json {
  const { isLive, response, streams = {}, textForm } = endpoint;
  const streamed = Object.entries(streams).map(([mediaType, { description }]) => [
    mediaType,
    { schema: { type: "string", description } },
  ]);
  return {
    ...(isLive ? {} : { "application/json": { schema: publishAs(`${id}Response`, response, components) } }),
    ...(textForm === undefined ? {} : { "text/plain": { schema: { type: "string", description: textForm } } }),
    ...Object.fromEntries(streamed),
  };
}

function successResponse({ id, endpoint }: NamedEndpoint, components: Components): Json {
  const extra = {
    ...(isPaginated(endpoint) ? headers(["Link", "Link"]) : endpoint.isLive ? {} : headers(["ETag", "ETag"])),
    ...(takesIdempotencyKey(endpoint) ? headers(["Idempotency-Replayed", "IdempotencyReplayed"]) : {}),
  };
  if (endpoint.status === 204) return { description: "Done; there is no body.", headers: COMMON_HEADERS };
  return {
    description: endpoint.status === 202 ? "Accepted." : "Done.",
    headers: { ...COMMON_HEADERS, ...extra },
    content: contentOf({ id, endpoint }, components),
  };
}

/**
 * The responses of an endpoint by status. The successful response is written in place, because generators treat a reference to it as no
 * body or as a named type. Error responses are shared, which shortens the document to a third.
 */
function responsesOf(named: NamedEndpoint, components: Components): Json {
  const { id, endpoint } = named;
  const responses: Record<string, unknown> = { [endpoint.status ?? 200]: successResponse(named, components) };
  if (endpoint.isConditional) responses[304] = UNCHANGED;
  for (const [status, codes] of errorsByStatus(endpoint)) {
    // Errors of the HTTP layer alone are the same for every endpoint.
    const isOwn = codes.some((code) => !(HTTP_ERRORS as readonly ErrorCode[]).includes(code));
    const name = isOwn ? `${id}Error${status}` : `Error${status}`;
    components.responses[name] = errorResponse(status, codes);
    responses[status] = reference("responses", name);
  }
  return responses;
}

function describeOperation(named: NamedEndpoint, components: Components): (path: string) => Json {
  const { id, endpoint } = named;
  const { access, aliases, body, callback, description, emits, example, isBodyOptional, path, summary, tag } = endpoint;
  const responses = responsesOf(named, components);
  if (body) {
    components.requestBodies[id] = {
      required: isBodyOptional !== true,
      content: {
        "application/json": {
          schema: publish(body, components),
          ...(example?.body === undefined ? {} : { example: example.body }),
        },
      },
    };
  }
  const sdk = sdkExample(named);
  const isForSessions = access.kind === "user" && access.sessionsOnly !== undefined;
  const text = [description, describeAccess(endpoint)].filter((part) => part !== undefined).join("\n\n");
  return (url) => {
    const alias = url === path ? -1 : (aliases ?? []).indexOf(url);
    return {
      operationId: alias < 0 ? id : `${id}_${alias + 2}`,
      tags: [tag],
      summary,
      description: alias < 0 ? text : `The same as \`${endpoint.method} ${templatePath(path)}\`.`,
      ...(alias < 0 ? {} : { "x-alias-of": id }),
      ...("permission" in access ? { "x-permission": access.permission } : {}),
      ...(isForSessions ? { security: [{ session: [] }] } : {}),
      "x-access": isForSessions ? "session" : access.kind,
      ...(emits.length > 0 ? { "x-emits": emits } : {}),
      ...(sdk && alias < 0 ? { "x-vercel-sdk": sdk } : {}),
      parameters: parametersOf(url, named, (schema) => publish(schema, components)),
      ...(body ? { requestBody: reference("requestBodies", id) } : {}),
      responses,
      ...(callback && alias < 0 ? { callbacks: describeCallback(callback, publish(callback.body, components)) } : {}),
    };
  };
}

function describePublic({ id, path, summary, contentType, errors, form, redirects }: PublicEndpoint): unknown {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return {
    operationId: id,
    tags: ["Service"],
    summary,
    description: "Needs no credential.",
    security: [],
    ...(names.length > 0 && {
      parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    }),
    ...(form && { requestBody: describeForm(form) }),
    responses: {
      200: {
        description: "Done.",
        headers: headers(["X-Request-Id", "RequestId"]),
        content: { [contentType]: { schema: { type: contentType === "application/json" ? "object" : "string" } } },
      },
      ...(redirects !== undefined && {
        302: { description: redirects, headers: headers(["X-Request-Id", "RequestId"]) },
      }),
      ...Object.fromEntries(
        groupByStatus(errors).map(([status, codes]) => [status, errorResponse(status, codes, form && "ExchangeError")]),
      ),
    },
  };
}

function publicPaths(): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of PUBLIC_ENDPOINTS) {
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = describePublic(endpoint);
  }
  return paths;
}

function describeTag(name: string): Json {
  const description = TAGS[name];
  if (description === undefined) throw new Error(`describe the tag ${name} in openapi-components.ts`);
  return { name, description };
}

/** Builds the document of all endpoints and their aliases. */
export function describeApi(endpoints: Iterable<NamedEndpoint>, version: string): Json {
  const components: Components = { schemas: { ...ERROR_SCHEMAS }, requestBodies: {}, responses: {} };
  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>();
  for (const named of endpoints) {
    const { path, aliases = [], method, tag } = named.endpoint;
    tags.add(tag);
    const describe = describeOperation(named, components);
    for (const url of [path, ...aliases]) (paths[templatePath(url)] ??= {})[method.toLowerCase()] = describe(url);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Reeve",
      version,
      description: INTRODUCTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { apiKey: [] }, { session: [] }],
    tags: [...tags, "Service"].map(describeTag),
    paths: { ...paths, ...publicPaths() },
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      headers: HEADERS,
      ...components,
    },
  };
}
