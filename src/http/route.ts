// One endpoint on the wire: reads the request, hands it to the backend, and writes the answer through the response
// schema, which drops whatever it does not name.
import fastJsonStringify from "fast-json-stringify";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../kernel/caller.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { isPostCommitEffect, isRendered, isWrite, namesInstance, takesBody } from "../kernel/contract.ts";
import type { Endpoint, Instance, ResultExtras } from "../kernel/contract.ts";
import { ApiError, fieldError } from "../kernel/errors.ts";
import { pageLinks } from "../kernel/pagination.ts";
import type { PageLinks } from "../kernel/pagination.ts";
import { entityTag } from "../kernel/revision.ts";
import { chooseMediaType } from "./requests/accept.ts";
import type { Admission } from "./limits/admission.ts";
import type { PresentedCredential } from "../operations/operation-runner.ts";
import type { OperationRunner } from "../operations/operation-runner.ts";
import { adaptForClient } from "./responses/client-profile.ts";
import { takesIdempotencyKey } from "./documentation/endpoint-details.ts";
import { setHeaders } from "./responses/header-list.ts";
import { readIdempotencyKey } from "../operations/idempotency.ts";
import type { IdempotencyRequest } from "../operations/idempotency.ts";
import { createCacheSlotFinder, headersOf } from "./responses/response-cache.ts";
import type { Answer, CacheSlot, ResponseCache } from "./responses/response-cache.ts";
import type { SlowClientLimits } from "./limits/connection-limits.ts";
import { resultOf, unauthorized } from "../operations/execute.ts";
import type { Outcome, OperationRequest } from "../operations/execute.ts";
import { traceRead, traceWrite } from "./requests/request-spans.ts";
import { parseQueryString } from "../operations/query-string.ts";
import { clientRequestIdOf } from "./requests/request-id.ts";
import type { Streams } from "./responses/streamed-response.ts";
import type { WorkTiming } from "../store/database.ts";
import { compileInput, readScope } from "../operations/validation.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the edge before the body is read. */
    caller: Caller;
    credential: PresentedCredential;
  }
  interface FastifyContextConfig {
    /** The endpoint's name. */
    operation?: string;
    /** Of the endpoint. */
    maxBodyValues?: number | undefined;
  }
}

export interface RouteContext {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  readonly instance: Instance;
  /** Makes the result of what a verb deferred: it does what no transaction may. `signal`: the client has gone. */
  runEffect(operation: string, effect: unknown, signal: AbortSignal): Promise<unknown>;
  /** Idempotency keys of requests that are running, as `credential:key`. */
  readonly runningKeys: Set<string>;
  readonly streams: Streams;
  readonly admission: Admission;
  readonly answers: ResponseCache | null;
  readonly slowClients: SlowClientLimits;
}

function splitUrl(url: string): { readonly path: string; readonly queryText: string } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, queryText: "" } : { path: url.slice(0, mark), queryText: url.slice(mark + 1) };
}

function header(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

/** Is aborted when the client goes before it has its answer. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once("close", () => gone.abort());
  return gone.signal;
}

/** `Link` of a page: the same request with another cursor. RFC 8288 */
function linkHeader(publicUrl: string, path: string, queryText: string, links: PageLinks): string | null {
  const link = (rel: "next" | "prev") => {
    const cursor = links[rel];
    if (!cursor) return [];
    const query = new URLSearchParams(queryText);
    for (const key of links.replaced) query.delete(key);
    query.set(cursor.name, String(cursor.value));
    return [`<${publicUrl}${path}?${query.toString()}>; rel="${rel}"`];
  };
  return [...link("next"), ...link("prev")].join(", ") || null;
}

function readIdempotency(request: FastifyRequest, endpoint: Endpoint): IdempotencyRequest | null {
  const key = takesIdempotencyKey(endpoint) ? header(request, "idempotency-key") : null;
  if (key === null) return null;
  const fingerprint = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`;
  return readIdempotencyKey(key, request.credential.value, fingerprint);
}

/** The form in which an endpoint's answer is wanted, by `Accept`; null for JSON. */
function createFormChoice({ streams, isLive }: Endpoint): (request: FastifyRequest) => string | null {
  if (!streams) return () => null;
  const offered = [...(isLive ? [] : ["application/json"]), ...Object.keys(streams)];
  return ({ headers: { accept } }) => {
    const mediaType = chooseMediaType(accept, offered);
    if (mediaType === undefined) {
      throw fieldError("not_acceptable", "Accept", `expected ${offered.join(" or ")}`, { offered });
    }
    return mediaType === "application/json" ? null : mediaType;
  };
}

/** Compiles an endpoint's handler. */
export function createHandler(id: string, endpoint: Endpoint, context: RouteContext) {
  const { runner, clock, publicUrl, instance, runningKeys, streams, admission, answers, slowClients } = context;
  const input = compileInput(endpoint);
  const chooseForm = createFormChoice(endpoint);
  const findPlace = createCacheSlotFinder(endpoint, answers);
  const status = endpoint.status ?? 200;
  let stringify: ((value: unknown) => string) | undefined;
  // Compiled at the first answer: compiling all of them would double the time to start.
  const serialise = (value: unknown) => {
    if (isRendered(value)) return value.rendered;
    stringify ??= fastJsonStringify(endpoint.response as never) as (value: unknown) => string;
    return stringify(value);
  };

  /** Who asks by now: the gate let them in before their body began to come. */
  async function findCallerAgain({ credential, ip }: FastifyRequest, now: number): Promise<Caller> {
    const caller = await runner.findCaller(credential, now, ip);
    if (!caller) throw unauthorized();
    return caller;
  }

  async function write(performRequest: OperationRequest, observe?: (timing: WorkTiming) => void) {
    const { idempotency } = performRequest;
    if (!idempotency) return await runner.write(performRequest, observe);
    const running = `${(performRequest.identity as { credential: PresentedCredential }).credential.hash}:${idempotency.keyHash}`;
    if (runningKeys.has(running)) {
      throw fieldError("idempotency_key_in_use", "Idempotency-Key", "a request with this key is still running");
    }
    runningKeys.add(running);
    try {
      return await runner.write(performRequest, observe);
    } finally {
      runningKeys.delete(running);
    }
  }

  function send(reply: FastifyReply, answer: Answer): void {
    const { body } = answer;
    setHeaders(reply, headersOf(answer));
    reply.code(status);
    if (body === null) {
      void reply.send();
      return;
    }
    slowClients.add(reply.raw, body.length);
    void reply.send(body);
  }

  async function perform(request: FastifyRequest, reply: FastifyReply, place: CacheSlot | null): Promise<void> {
    const { path, queryText } = splitUrl(request.url);
    const values = parseQueryString(queryText);
    const params = request.params as Record<string, string>;
    input.params(params);
    const query = input.query(values);
    if (takesBody(endpoint)) input.body(request.body);
    const isWriting = isWrite(endpoint, query);
    if (isWriting && request.method === "HEAD") {
      reply.header("allow", "GET");
      throw new ApiError("method_unknown", "HEAD shows nothing of what this would record: send GET");
    }
    // Whether a read is recorded stands in its query, which the gate does not read.
    if (isWriting && request.method === "GET") admission.admit("write", reply.raw);
    const mediaType = chooseForm(request);
    const scope = readScope(values);
    const { credential } = request;
    const performRequest: OperationRequest = {
      operation: id,
      identity: { credential: { kind: credential.kind, hash: credential.hash } },
      scope: {
        pathTeam: params["teamId"] ?? null,
        teamId: scope.teamId,
        slug: scope.slug,
        isInstance: namesInstance(endpoint, query),
      },
      params,
      query,
      body: request.body,
      now: clock(),
      ifMatch: header(request, "if-match"),
      origin: {
        ip: request.ip,
        userAgent: header(request, "user-agent")?.slice(0, 512) ?? null,
        requestId: request.id,
        clientRequestId: clientRequestIdOf(request.headers) ?? null,
        via: "http",
      },
      instance,
      idempotency: readIdempotency(request, endpoint),
    };
    if (mediaType !== null) {
      const chunk = { mediaType, cursor: null, lastEventId: header(request, "last-event-id") || null };
      await streams.answer(request, reply, { ...performRequest, chunk }, endpoint.isLive === true);
      return;
    }
    const { span } = request;
    let outcome: Outcome;
    if (isWriting) outcome = await write(performRequest, traceWrite(span));
    else {
      const caller = takesBody(endpoint) ? await findCallerAgain(request, performRequest.now) : request.caller;
      const read = () => runner.read(performRequest, caller);
      outcome = await (span ? traceRead(span, read) : read());
    }
    const answered = resultOf(outcome);
    const result = isPostCommitEffect(answered)
      ? await context.runEffect(id, answered.effect, untilGone(reply))
      : answered;
    const { revision, page, links = page && pageLinks(page) } = (result ?? {}) as ResultExtras;
    const answer: Answer = {
      etag: revision === undefined ? null : entityTag(revision),
      link: links ? linkHeader(publicUrl, path, queryText, links) : null,
      body: status === 204 ? null : serialise(adaptForClient(request.headers["user-agent"], id, result)),
    };
    if (outcome.isCacheable && !isPostCommitEffect(answered)) place?.keep(answer);
    if (outcome.isReplay) reply.header("idempotency-replayed", "true");
    send(reply, answer);
  }

  return function handle(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const place = findPlace(request);
    if (!place?.answer) return perform(request, reply, place);
    send(reply, place.answer);
    return undefined;
  };
}
