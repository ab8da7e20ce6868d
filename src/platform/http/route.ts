// One endpoint over HTTP: reads the request, has the operation runner execute it, and sends the response.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../kernel/caller.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { isDeferredWork, isMutation, takesBody } from "../kernel/contract.ts";
import type { Endpoint, Instance } from "../kernel/contract.ts";
import { ApiError, fieldError } from "../kernel/errors.ts";
import { namesTag } from "../kernel/revision.ts";
import { takesIdempotencyKey } from "../operations/endpoint-details.ts";
import { compileMatch } from "../operations/validation.ts";
import { resultOf, unauthorized } from "../operations/execute.ts";
import type { OperationRequest, Outcome } from "../operations/execute.ts";
import type { OperationRunner, PresentedCredential } from "../operations/operation-runner.ts";
import type { Admission } from "./limits/admission.ts";
import type { DiskReserve } from "./limits/disk-reserve.ts";
import type { SlowClientLimits } from "./limits/slow-clients.ts";
import { createFormChoice, createInputReader, createOperationRequest, headerOf } from "./requests/operation-request.ts";
import type { RequestInput } from "./requests/operation-request.ts";
import { ownOrigin } from "./requests/same-origin.ts";
import { traceRead, traceWrite } from "./requests/request-spans.ts";
import { setHeaders } from "./responses/header-list.ts";
import { createRenderer, responseHeaders } from "./responses/rendered-response.ts";
import type { RenderedResponse } from "./responses/rendered-response.ts";
import { createCacheSlotFinder } from "./responses/response-cache.ts";
import type { CacheSlot, ResponseCache } from "./responses/response-cache.ts";
import type { Streams } from "./responses/streamed-response.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The request guards set both before the body is read. */
    caller: Caller;
    credential: PresentedCredential;
  }
  interface FastifyContextConfig {
    /** The id of the endpoint. */
    operation?: string;
    /** Of the endpoint. */
    maxBodyValues?: number | undefined;
  }
}

/** What an effect may know of its client. */
export interface EffectClient {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Where browsers see this server, such as `https://reeve.example.com`. */
  readonly origin: string;
}

/** Runs the post-commit effect of an operation and returns its result. */
export type RunEffect = (operation: string, effect: unknown, client: EffectClient) => Promise<unknown>;

export interface RouteContext {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  readonly instance: Instance;
  readonly runEffect: RunEffect;
  /** Idempotency keys of requests in flight, as `credential:key`. */
  readonly runningKeys: Set<string>;
  readonly streams: Streams;
  readonly admission: Admission;
  readonly disk: DiskReserve;
  readonly responseCache: ResponseCache | null;
  readonly slowClients: SlowClientLimits;
}

/** A signal that aborts when the client disconnects before it has the response. */
function abortWhenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once("close", () => gone.abort());
  return gone.signal;
}

/** Runs a write. Of two requests with one idempotency key, the second is refused while the first is in flight. */
async function writeOnce(
  { runner, runningKeys }: RouteContext,
  { caller, span }: FastifyRequest,
  operationRequest: OperationRequest,
): Promise<Outcome> {
  const { idempotency, identity } = operationRequest;
  const write = () => runner.write(operationRequest, caller, traceWrite(span));
  if (!idempotency) return await write();
  const { hash } = (identity as { readonly credential: PresentedCredential }).credential;
  const key = `${hash}:${idempotency.keyHash}`;
  if (runningKeys.has(key)) {
    throw fieldError("idempotency_key_in_use", "Idempotency-Key", "a request with this key is still running");
  }
  runningKeys.add(key);
  try {
    return await write();
  } finally {
    runningKeys.delete(key);
  }
}

/** Runs a read. After a body was received, it authenticates again: the credential may have been revoked meanwhile. */
async function runRead(
  { runner }: RouteContext,
  endpoint: Endpoint,
  request: FastifyRequest,
  operationRequest: OperationRequest,
): Promise<Outcome> {
  const { credential, ip, span } = request;
  const caller = takesBody(endpoint) ? await runner.findCaller(credential, operationRequest.now, ip) : request.caller;
  if (!caller) throw unauthorized();
  const read = () => runner.read(operationRequest, caller);
  return await (span ? traceRead(span, read) : read());
}

/** Checks that need the query, and so come after the request guards. */
function checkWrite({ admission }: RouteContext, request: FastifyRequest, reply: FastifyReply): void {
  if (request.method === "HEAD") {
    reply.header("allow", "GET");
    throw new ApiError("method_unknown", "HEAD shows nothing of what this would record: send GET");
  }
  // The guards admitted it as a read: only the query says that a GET is recorded.
  if (request.method === "GET") admission.admit("write", reply.raw);
}

/** Sends the responses of an endpoint. */
function createSender(status: number, slowClients: SlowClientLimits) {
  return (reply: FastifyReply, response: RenderedResponse): void => {
    const { body } = response;
    setHeaders(reply, responseHeaders(response));
    reply.code(status);
    if (body === null) {
      void reply.send();
      return;
    }
    slowClients.add(reply.raw, body.length);
    void reply.send(body);
  };
}

/** Whether the client has this response already. */
function isKnown(request: FastifyRequest, { etag }: RenderedResponse): boolean {
  return etag !== null && namesTag(headerOf(request, "if-none-match") ?? "", etag);
}

function sendUnchanged(reply: FastifyReply, response: RenderedResponse): void {
  setHeaders(reply, responseHeaders({ ...response, body: null }));
  void reply.code(304).send();
}

/** Compiles the route handler of an endpoint. */
export function createHandler(id: string, endpoint: Endpoint, context: RouteContext) {
  const { clock, instance, streams } = context;
  const readInput = createInputReader(endpoint);
  const chooseForm = createFormChoice(endpoint);
  const findSlot = createCacheSlotFinder(endpoint, context.responseCache);
  const render = createRenderer(id, endpoint, context.publicUrl);
  const send = createSender(endpoint.status ?? 200, context.slowClients);
  const { protects } = endpoint;
  // A program that sends one relies on it.
  const ignoresKey = isMutation(endpoint) && !takesIdempotencyKey(endpoint);
  const isProtective = typeof protects === "object" ? compileMatch(protects) : () => true;

  /** Executes the operation, then its post-commit effect, if it has one. */
  async function execute(
    request: FastifyRequest,
    reply: FastifyReply,
    operationRequest: OperationRequest,
    { isWriting }: RequestInput,
  ): Promise<Outcome> {
    const outcome = await (isWriting
      ? writeOnce(context, request, operationRequest)
      : runRead(context, endpoint, request, operationRequest));
    const result = resultOf(outcome);
    if (!isDeferredWork(result)) return outcome;
    const client = { signal: abortWhenGone(reply), origin: ownOrigin(request, context.publicUrl) };
    const effectResult = await context.runEffect(id, result.effect, client);
    return { ...outcome, result: effectResult, isCacheable: false };
  }

  async function respond(request: FastifyRequest, reply: FastifyReply, slot: CacheSlot | null): Promise<void> {
    const input = readInput(request);
    if (input.isWriting) checkWrite(context, request, reply);
    if (!isProtective(request.body)) context.disk.require();
    const mediaType = chooseForm(request);
    const operationRequest = createOperationRequest({ id, endpoint }, request, input, { now: clock(), instance });
    if (mediaType !== null) {
      const chunk = { mediaType, cursor: null, lastEventId: headerOf(request, "last-event-id") || null };
      await streams.send(request, reply, { ...operationRequest, chunk }, endpoint);
      return;
    }
    const { result, isCacheable, ownerId = null, isReplay } = await execute(request, reply, operationRequest, input);
    const { path, queryText } = input;
    const response = render(result, { path, queryText, userAgent: request.headers["user-agent"] });
    if (isCacheable) slot?.store(response, ownerId);
    if (isReplay) reply.header("idempotency-replayed", "true");
    if (ignoresKey && request.headers["idempotency-key"] !== undefined) reply.header("idempotency-ignored", "true");
    if (endpoint.isConditional && isKnown(request, response)) sendUnchanged(reply, response);
    else send(reply, response);
  }

  return function handle(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const slot = findSlot(request);
    if (!slot?.response) return respond(request, reply, slot);
    send(reply, slot.response);
    return undefined;
  };
}
