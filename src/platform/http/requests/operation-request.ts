// Reads the request of an endpoint: validates path, query and body, and makes an OperationRequest, which is plain data.
import type { FastifyRequest } from "fastify";
import type { TObject } from "typebox";
import type { Origin } from "../../kernel/caller.ts";
import { isMutation, isWrite, namesInstance, takesBody } from "../../kernel/contract.ts";
import type { Endpoint, Instance } from "../../kernel/contract.ts";
import { fieldError } from "../../kernel/errors.ts";
import type { OperationRequest } from "../../operations/execute.ts";
import { readIdempotencyKey } from "../../operations/idempotency.ts";
import type { IdempotencyRequest } from "../../operations/idempotency.ts";
import { parseQueryString } from "../../operations/query-string.ts";
import type { QueryValues } from "../../operations/query-string.ts";
import { compileInput, readScope } from "../../operations/validation.ts";
import { takesIdempotencyKey, takesIfMatch } from "../../operations/endpoint-details.ts";
import { chooseMediaType } from "./accept.ts";
import { clientRequestIdOf } from "./request-id.ts";

const MAX_USER_AGENT_LENGTH = 512;

/** The validated input of one request. The body is in `request.body`. */
export interface RequestInput {
  readonly path: string;
  readonly queryText: string;
  readonly values: QueryValues;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  /** The call runs in a write transaction. */
  readonly isWriting: boolean;
}

export function headerOf(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

function splitUrl(url: string): { readonly path: string; readonly queryText: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, queryText: "" } : { path: url.slice(0, mark), queryText: url.slice(mark + 1) };
}

/** Compiles the validation of an endpoint's input. */
export function createInputReader(endpoint: Endpoint): (request: FastifyRequest) => RequestInput {
  const checks = compileInput(endpoint);
  return (request) => {
    const { path, queryText } = splitUrl(request.url);
    const values = parseQueryString(queryText);
    const params = request.params as Record<string, string>;
    checks.params(params);
    const query = checks.query(values);
    if (takesBody(endpoint)) checks.body(request.body);
    requireKnownCondition(request, endpoint);
    return { path, queryText, values, params, query, isWriting: isWrite(endpoint, query) };
  };
}

/** Chooses the form of an endpoint's response by `Accept`: the media type of a stream, or null for JSON. */
export function createFormChoice({ streams, streamsOnly }: Endpoint): (request: FastifyRequest) => string | null {
  if (!streams) return () => null;
  const offered = [...(streamsOnly ? [] : ["application/json"]), ...Object.keys(streams)];
  return ({ headers: { accept } }) => {
    const mediaType = chooseMediaType(accept, offered);
    if (mediaType === undefined) {
      throw fieldError("not_acceptable", "Accept", `expected ${offered.join(" or ")}`, { offered });
    }
    return mediaType === "application/json" ? null : mediaType;
  };
}

/** Refuses a change under a condition that nothing would look at. RFC 9110, 13.1 */
function requireKnownCondition(request: FastifyRequest, endpoint: Endpoint): void {
  if (!isMutation(endpoint)) return;
  const problem = (what: string) => `expected none, because this change ${what}: leave the header out`;
  if (headerOf(request, "if-match") !== null && !takesIfMatch(endpoint)) {
    const { properties = {} }: Partial<TObject> = endpoint.body ?? {};
    const versions = Object.keys(properties).find((name) => /^expectedVersions?$/.test(name));
    const what = versions === undefined ? "compares no ETag" : `compares \`${versions}\` of its body instead`;
    throw fieldError("bad_request", "If-Match", problem(what));
  }
  if (headerOf(request, "if-none-match") !== null && !endpoint.beginsObject) {
    throw fieldError("bad_request", "If-None-Match", problem("does not ask whether there is one already"));
  }
}

function readIdempotency(request: FastifyRequest, endpoint: Endpoint): IdempotencyRequest | null {
  const key = takesIdempotencyKey(endpoint) ? headerOf(request, "idempotency-key") : null;
  if (key === null) return null;
  const fingerprint = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`;
  return readIdempotencyKey(key, request.credential.value, fingerprint);
}

/** Where a request comes from, for events. */
export function originOf(request: FastifyRequest): Origin {
  return {
    ip: request.ip,
    userAgent: headerOf(request, "user-agent")?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
    requestId: request.id,
    clientRequestId: clientRequestIdOf(request.headers) ?? null,
    via: "http",
  };
}

/** A request of the operation `id`, at the time `now`. */
export function createOperationRequest(
  { id, endpoint }: { readonly id: string; readonly endpoint: Endpoint },
  request: FastifyRequest,
  { params, query, values }: RequestInput,
  { now, instance }: { readonly now: number; readonly instance: Instance },
): OperationRequest {
  const { teamId, slug } = readScope(values);
  const { kind, hash } = request.credential;
  return {
    operation: id,
    identity: { credential: { kind, hash } },
    scope: { pathTeam: params["teamId"] ?? null, teamId, slug, isInstance: namesInstance(endpoint, query) },
    params,
    query,
    body: request.body,
    now,
    ifMatch: headerOf(request, "if-match"),
    ifNoneMatch: headerOf(request, "if-none-match"),
    origin: originOf(request),
    instance,
    idempotency: readIdempotency(request, endpoint),
  };
}
