// What every request of an endpoint passes before its body is read: is there room for it, who is it, and how often have
// they been here.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../kernel/caller.ts";
import type { Clock } from "../../kernel/scheduling/clock.ts";
import { isMutation, takesBody } from "../../kernel/contract.ts";
import type { Endpoint } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Awaitable } from "../../kernel/tx.ts";
import type { Admission } from "../limits/admission.ts";
import { readCredential } from "./authenticate.ts";
import type { OperationRunner } from "../../operations/operation-runner.ts";
import { setHeaders } from "../responses/header-list.ts";
import { unauthorized } from "../../operations/execute.ts";
import { askForBody } from "./request-head.ts";
import { rateHeaders } from "../limits/rate-limit.ts";
import type { RateLimiter, RateState } from "../limits/rate-limit.ts";

export interface GuardOptions {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly admission: Admission;
  /** Null: nobody is limited. */
  readonly limiter: RateLimiter | null;
}

function refuseTooMany(reply: FastifyReply, state: RateState, now: number): never {
  const retryAfter = Math.max(1, Math.ceil((state.resetAt - now) / 1000));
  reply.header("retry-after", retryAfter);
  const who =
    state.policy === "principal" ? "all credentials of a user or team together" : "bad credentials of an address";
  const message = `Too many requests: ${who} have ${state.limit} a minute (REEVE_RATE_LIMIT); try again in ${retryAfter} s`;
  throw new ApiError("too_many_requests", message, {
    limit: {
      remaining: state.remaining,
      reset: Math.ceil(state.resetAt / 1000),
      resetMs: state.resetAt,
      total: state.limit,
    },
  });
}

/** Counts a guess for its address: guessing is slowed down without hurting what is good. Throws when there were too many. */
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

/** The system forgets the address of a client that has reset its connection. Nobody waits for the answer. */
function refuseGone({ ip }: { readonly ip: string | undefined }): void {
  if (ip === undefined) throw new ApiError("bad_request", "The connection ended before the request was looked at");
}

/** Answers the gate of each endpoint. */
export function createRequestGuards({ runner, clock, admission, limiter }: GuardOptions) {
  /** Whoever is not who they say. */
  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply, now: number): never {
    if (!(error instanceof ApiError)) throw error;
    countGuess(limiter, request, reply, now);
    reply.header("www-authenticate", "Bearer");
    throw error;
  }

  function welcome(caller: Caller | undefined, request: FastifyRequest, reply: FastifyReply, now: number): void {
    if (!caller) refuse(unauthorized(), request, reply, now);
    request.caller = caller;
    runner.noteUse(caller, now);
    if (!limiter) return;
    const state = limiter.countOf(caller, now);
    setHeaders(reply, rateHeaders(state, now));
    if (!state.isAllowed) refuseTooMany(reply, state, now);
  }

  /** Done at once for callers that are known: a promise for each of several steps would cost more than they do. */
  function authenticate(request: FastifyRequest, reply: FastifyReply): Awaitable<void> {
    const now = clock();
    try {
      request.credential = readCredential(request.raw);
    } catch (error) {
      refuse(error, request, reply, now);
    }
    const found = runner.findCaller(request.credential, now, request.ip);
    if (!(found instanceof Promise)) return welcome(found, request, reply, now);
    return found.then((caller) => welcome(caller, request, reply, now));
  }

  return (endpoint: Endpoint) => {
    const kind = isMutation(endpoint) ? "write" : "read";
    const hasBody = takesBody(endpoint);
    // Fastify passes on what it throws.
    return function gate(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      function pass(): void {
        if (hasBody) admission.takeBody(reply.raw);
        askForBody(reply.raw);
        done();
      }
      admission.admit(kind, reply.raw);
      refuseGone(request);
      const known = authenticate(request, reply);
      if (known instanceof Promise) known.then(pass).catch(done);
      else pass();
    };
  };
}
