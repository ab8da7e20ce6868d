// The OpenAPI 3.1 document, derived from the endpoints. It adds only what the HTTP layer does for every endpoint.
import type { TSchema } from "typebox";
import type { ErrorCode } from "../../platform/kernel/errors.ts";
import {
  describeAccess,
  groupByStatus,
  isPaginated,
  takesIdempotencyKey,
  templatePath,
} from "../../platform/operations/endpoint-details.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { sdkExample } from "./endpoint-examples.ts";
import {
  ANY_ERROR,
  ERROR_FORMS,
  ERROR_HEADERS,
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
import { ERROR_SCHEMAS } from "./openapi-errors.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import RECORDED from "./recorded-responses.json" with { type: "json" };
import { describeResponse } from "./response-words.ts";
import { describeMembers } from "./member-words.ts";
import { capitalized, parametersOf, shareParameters } from "./openapi-parameters.ts";
import type { Described } from "./openapi-parameters.ts";
import type { PublicEndpoint } from "../../platform/http/public-endpoints.ts";

function describeForm({ required, optional }: NonNullable<PublicEndpoint["form"]>): unknown {
  const fields = Object.entries({ ...required, ...optional });
  const properties = Object.fromEntries(fields.map(([name, description]) => [name, { type: "string", description }]));
  const content = { schema: { type: "object", required: Object.keys(required), properties } };
  return { required: true, content: { "application/x-www-form-urlencoded": content, "application/json": content } };
}

interface Components {
  readonly schemas: Record<string, unknown>;
  readonly requestBodies: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
}

const INTRODUCTION = `Accounts, teams and their members, credentials, secrets, firewalls, webhooks, and the events of all of them.

- **Credentials**: \`Authorization: Bearer <credential>\`, or \`X-API-Key\` for API keys.
- **Scope**: \`teamId\` or \`slug\` in the query names the team that a call is about; without them it is about the
  caller's own account, or the API key's team.
- **Pages**: newest first. \`pagination.next\` goes into the parameter that its description names, nearly always \`until\`; \`Link\` has the URL.
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
  const published = publish(describeMembers(schema, name), components) as Json;
  if ("$ref" in published) return published;
  components.schemas[name] = published;
  return reference("schemas", name);
}

const EXCHANGE_ERROR = { ...ERROR_FORMS, "application/json": { schema: reference("schemas", "ExchangeError") } };

function errorResponse(status: number, codes: readonly ErrorCode[], content: Json = ERROR_FORMS): Json {
  const own = ERROR_HEADERS[status];
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    ...(own && { headers: own }),
    content,
    "x-error-codes": codes,
  };
}

/** The forms of an endpoint's response by media type. Streams beside JSON are left out: generators take the whole for a stream. */
function contentOf({ id, endpoint }: NamedEndpoint, components: Components): Json {
  const { streamsOnly, response, streams = {}, textForm } = endpoint;
  if (streamsOnly) {
    const forms = Object.entries(streams).map(([type, { description }]) => [
      type,
      { schema: { type: "string", description } },
    ]);
    return Object.fromEntries(forms);
  }
  const example: unknown = (RECORDED as Json)[id];
  return {
    "application/json": {
      schema: publishAs(`${capitalized(id)}Result`, response, components),
      ...(example !== undefined && { example }),
    },
    ...(textForm !== undefined && { "text/plain": { schema: { type: "string", description: textForm } } }),
  };
}

function successResponse(named: NamedEndpoint, components: Components): Json {
  const { endpoint } = named;
  if (endpoint.status === 204) return { description: "Done; there is no body." };
  const own = {
    ...(isPaginated(endpoint) ? headers(["Link", "Link"]) : endpoint.streamsOnly ? {} : headers(["ETag", "ETag"])),
    ...(takesIdempotencyKey(endpoint) ? headers(["Idempotency-Replayed", "IdempotencyReplayed"]) : {}),
  };
  const deprecated = endpoint.streamsOnly ? [] : Object.keys(endpoint.streams ?? {});
  return {
    description: describeResponse(named),
    ...(deprecated.length > 0 && { "x-deprecated-streams": deprecated }),
    headers: own,
    content: contentOf(named, components),
  };
}

/**
 * The responses of an endpoint by status. The successful response is written in place, because generators treat a reference to it as no
 * body or as a named type. Errors of the endpoint's own are shared by those that have the same; `default` is what any call can get.
 */
function responsesOf(named: NamedEndpoint, components: Components): Json {
  const { endpoint } = named;
  const responses: Record<string, unknown> = { [endpoint.status ?? 200]: successResponse(named, components) };
  if (endpoint.isConditional) responses[304] = UNCHANGED;
  for (const [status, codes] of groupByStatus(new Set(endpoint.errors))) {
    const name = codes.join(".");
    components.responses[name] = errorResponse(status, codes);
    responses[status] = reference("responses", name);
  }
  return { ...responses, default: reference("responses", "AnyError") };
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
          schema: publish(describeMembers(body, id), components),
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
      ...(alias < 0 ? {} : { deprecated: true }),
      tags: [tag],
      summary,
      description: alias < 0 ? text : `The same as \`${endpoint.method} ${templatePath(path)}\`.`,
      ...(alias < 0 ? aliases && { "x-aliases": aliases.map(templatePath) } : { "x-alias-of": id }),
      ...("permission" in access ? { "x-permission": access.permission } : {}),
      ...(isForSessions ? { security: [{ session: [] }] } : {}),
      "x-access": isForSessions ? "session" : access.kind,
      ...(emits.length > 0 ? { "x-emits": emits } : {}),
      ...(sdk && alias < 0 ? { "x-vercel-sdk": sdk } : {}),
      parameters: parametersOf(url, named, (schema) => publish(schema, components)),
      ...(body ? { requestBody: reference("requestBodies", id) } : {}),
      responses,
      ...(callback && alias < 0
        ? { callbacks: describeCallback(callback, publish(describeMembers(callback.body, callback.name), components)) }
        : {}),
    };
  };
}

const PATH_WORDS = { token: "The token of the link.", page: "The name of the page." } as const;

function describePublic({ id, path, summary, returns, contentType, errors, form, redirects }: PublicEndpoint): unknown {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const schema = { type: contentType === "application/json" ? "object" : "string" };
  const example: unknown = (RECORDED as Json)[id];
  return {
    operationId: id,
    tags: ["Service"],
    summary,
    description: "Needs no credential.",
    security: [],
    ...(names.length > 0 && {
      parameters: names.map((name) => ({
        name,
        in: "path",
        required: true,
        description: PATH_WORDS[name as keyof typeof PATH_WORDS],
        schema: { type: "string" },
      })),
    }),
    ...(form && { requestBody: describeForm(form) }),
    responses: {
      200: {
        description: returns,
        content: { [contentType]: { schema, ...(example !== undefined && { example }) } },
      },
      ...(redirects !== undefined && {
        302: { description: redirects },
      }),
      ...Object.fromEntries(
        groupByStatus(errors).map(([status, codes]) => [status, errorResponse(status, codes, form && EXCHANGE_ERROR)]),
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
  if (description === undefined)
    throw new Error(`describe the tag ${name} in src/serve/reference/openapi-components.ts`);
  return { name, description };
}

/** Builds the document of all endpoints. With `aliases` it has the further paths that existing clients call. */
export function describeApi(
  endpoints: Iterable<NamedEndpoint>,
  version: string,
  { aliases: withAliases = false }: { readonly aliases?: boolean } = {},
): Json {
  const components: Components = {
    schemas: { ...ERROR_SCHEMAS },
    requestBodies: {},
    responses: { AnyError: ANY_ERROR },
  };
  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>();
  for (const named of endpoints) {
    const { path, aliases = [], method, tag } = named.endpoint;
    tags.add(tag);
    const describe = describeOperation(named, components);
    for (const url of [path, ...(withAliases ? aliases : [])])
      (paths[templatePath(url)] ??= {})[method.toLowerCase()] = describe(url);
  }
  const shared = shareParameters(
    Object.values(paths).flatMap((operations) => Object.values(operations) as Described[]),
  );
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
      parameters: { ...PARAMETERS, ...shared },
      headers: HEADERS,
      ...components,
    },
  };
}
