// The request guards, which every request of an endpoint passes before its body is read: admission control, authentication and the
// rate limit.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../kernel/caller.ts";
import type { Clock } from "../../kernel/scheduling/clock.ts";
import { isMutation } from "../../kernel/contract.ts";
import type { Endpoint } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Awaitable } from "../../kernel/tx.ts";
import type { Admission } from "../limits/admission.ts";
import type { DiskReserve } from "../limits/disk-reserve.ts";
import { readCredential } from "./authenticate.ts";
import type { OperationRunner } from "../../operations/operation-runner.ts";
import { setHeaders } from "../responses/header-list.ts";
import { unauthorized } from "../../operations/execute.ts";
import { askForBody } from "./request-head.ts";
import { requireOwnSite } from "./same-origin.ts";
import type { BrowserCookies } from "./session-cookie.ts";
import { rateHeaders, requestsFor } from "../limits/rate-limit.ts";
import type { RateLimiter, RateState } from "../limits/rate-limit.ts";

export interface GuardOptions {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly disk: DiskReserve;
  /** Null: there is no rate limit. */
  readonly limiter: RateLimiter | null;
  readonly cookies: BrowserCookies;
  readonly publicUrl: string;
}

const COUNTED: Readonly<Record<RateState["policy"], string>> = {
  principal: "all credentials of an account, with the keys of teams that it answers for,",
  gate: "all gates of an account, with those of teams whose keys it answers for,",
  address: "bad credentials of an address",
  visitor: "forms of an address without a session",
  program: "programs of an address without a credential",
};

function refuseTooMany(reply: FastifyReply, state: RateState, now: number): never {
  const retryAfter = Math.max(1, Math.ceil((state.resetAt - now) / 1000));
  reply.header("retry-after", retryAfter);
  const message = `Too many requests: ${COUNTED[state.policy]} have ${state.limit} a minute (REEVE_RATE_LIMIT); try again in ${retryAfter} s`;
  throw new ApiError("too_many_requests", message, {
    limit: {
      remaining: state.remaining,
      reset: Math.ceil(state.resetAt / 1000),
      resetMs: state.resetAt,
      total: state.limit,
    },
  });
}

/** Counts a wrong credential for its address, and throws when there were too many. Valid credentials from the address are not limited. */
export function countGuess(
  limiter: RateLimiter | null,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): void {
  const state = limiter?.countFailure(request.ip, now);
  if (!state) return;
  setHeaders(reply, rateHeaders(state, now));
  if (!state.isAllowed) refuseTooMany(reply, state, now);
}

/** Counts a form of somebody who is not signed in, whatever it is about: it may store something, such as a challenge. */
export function countForm(
  limiter: RateLimiter | null,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): void {
  const state = limiter?.countForm(request.ip, now);
  if (state && !state.isAllowed) refuseTooMany(reply, state, now);
}

/** Counts a request of a program that has no credential yet. */
export function countProgram(
  limiter: RateLimiter | null,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
): void {
  const state = limiter?.countProgram(request.ip, now);
  if (state && !state.isAllowed) refuseTooMany(reply, state, now);
}

/** Counts a request of a caller; throws `too_many_requests` when it is one too many. */
export function countRequest(
  limiter: RateLimiter | null,
  caller: Caller,
  reply: FastifyReply,
  now: number,
  { isOfGate = false, requests = 1 } = {},
): void {
  if (!limiter) return;
  const state = isOfGate ? limiter.countGate(caller, now, requests) : limiter.countOf(caller, now, requests);
  setHeaders(reply, rateHeaders(state, now));
  if (!state.isAllowed) refuseTooMany(reply, state, now);
}

/** Refuses a request whose client has reset the connection: the operating system no longer knows its address. */
function refuseGone({ ip }: { readonly ip: string | undefined }): void {
  if (ip === undefined) throw new ApiError("bad_request", "The connection ended before the request was processed");
}

/** The size of a body as the head tells it; null: it does not. */
function announcedBytes({ headers }: FastifyRequest): number | null {
  return headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : null;
}

/** Whether gates call an endpoint. Anyone who may call it has the permission that gates have. */
function isForGates({ access }: Endpoint): boolean {
  return access.kind === "owner" && access.permission === "gate:connect";
}

/** Returns a function that creates the guard of an endpoint. */
export function createRequestGuards({ runner, clock, admission, disk, limiter, cookies, publicUrl }: GuardOptions) {
  /** Refuses a request without a valid credential. */
  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, now: number): never {
    if (!(error instanceof ApiError) || error.code === "cross_site_request") throw error;
    countGuess(limiter, request, reply, now);
    reply.header("www-authenticate", "Bearer");
    throw error;
  }

  function accept(
    caller: Caller | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
    now: number,
    isOfGate: boolean,
  ): void {
    if (!caller) refuse(unauthorized(), request, reply, now);
    request.caller = caller;
    runner.recordUse(caller, now);
    const bytes = announcedBytes(request);
    countRequest(limiter, caller, reply, now, { isOfGate, requests: requestsFor(bytes ?? 0) });
    if (bytes !== null || !limiter) return;
    request.weighBody = (arrived) => {
      const further = requestsFor(arrived) - 1;
      if (further > 0) countRequest(limiter, caller, reply, clock(), { isOfGate, requests: further });
    };
  }

  /** Synchronous where the caller is cached: a promise for each step would take longer than the steps themselves. */
  function authenticate(request: FastifyRequest, reply: FastifyReply, isOfGate: boolean): Awaitable<void> {
    const now = clock();
    try {
      request.credential = readCredential(request.headers, cookies.readSession(request.headers));
      if (request.credential.kind === "session") requireOwnSite(request, publicUrl);
    } catch (error) {
      refuse(error, request, reply, now);
    }
    const found = runner.findCaller(request.credential, now, request.ip);
    if (!(found instanceof Promise)) return accept(found, request, reply, now, isOfGate);
    return found.then((caller) => accept(caller, request, reply, now, isOfGate));
  }

  return (endpoint: Endpoint) => {
    const kind = isMutation(endpoint) ? "write" : "read";
    // Where the body tells, the route asks.
    const addsData = kind === "write" && endpoint.method !== "DELETE" && endpoint.protects === undefined;
    const isOfGate = isForGates(endpoint);
    // Fastify passes errors that a hook throws to the error handler.
    return function guard(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      function pass(): void {
        if (addsData) disk.require();
        askForBody(reply.raw);
        done();
      }
      admission.admit(kind, reply.raw);
      refuseGone(request);
      const authenticated = authenticate(request, reply, isOfGate);
      if (authenticated instanceof Promise) authenticated.then(pass).catch(done);
      else pass();
    };
  };
}
