// Answers that are sent while they are read (kernel/stream.ts). Whoever asks for the next part is looked up anew, so a
// right that was taken away ends the answer; the next part is read when the socket has taken the one before.
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../kernel/clock.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Part } from "../kernel/stream.ts";
import type { Backend } from "./backend.ts";
import { unauthorized } from "./perform.ts";
import type { PerformRequest } from "./perform.ts";

/** Streamed answers that one credential may have at a time, and this process for all. */
const MAX_OF_CREDENTIAL = 10;
const MAX_OPEN = 1_000;
const RETRY_AFTER_S = 5;

export interface StreamContext {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
}

export interface Streams {
  /** Answers in parts; throws what refuses the first one, as long as nothing was sent. */
  answer(request: FastifyRequest, reply: FastifyReply, call: PerformRequest, mediaType: string): Promise<FastifyReply>;
}

function refuseTooMany(expected: string): never {
  throw new ApiError("too_many_streams", `Too many streamed answers at a time: ${expected}`, {
    retryAfter: RETRY_AFTER_S,
  });
}

/** Counts the answers that are being sent. */
function createCounts() {
  const open = new Map<string, number>();
  let total = 0;
  return {
    /** Takes a place, or refuses; answers how to give it back. */
    take(credentialId: string): () => void {
      const count = open.get(credentialId) ?? 0;
      if (count >= MAX_OF_CREDENTIAL) refuseTooMany(`a credential may have ${MAX_OF_CREDENTIAL}`);
      if (total >= MAX_OPEN) refuseTooMany("this server has as many as it takes");
      open.set(credentialId, count + 1);
      total++;
      return () => {
        total--;
        const left = (open.get(credentialId) as number) - 1;
        if (left === 0) open.delete(credentialId);
        else open.set(credentialId, left);
      };
    },
  };
}

/** Lets one at a time go on, each in another turn of the event loop: what else there is to do comes in between. */
function createTurnstile() {
  let last: Promise<unknown> = Promise.resolve();
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(() => nextTurn()).then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

export function createStreams({ backend, clock, logger }: StreamContext): Streams {
  const counts = createCounts();
  const inTurn = createTurnstile();

  async function readNext(request: FastifyRequest, call: PerformRequest, cursor: unknown): Promise<Part> {
    const now = clock();
    const caller = await backend.findCaller(request.credential, now, call.origin.ip);
    if (!caller) throw unauthorized();
    const part = { ...(call.part as NonNullable<PerformRequest["part"]>), cursor };
    return (await backend.read({ ...call, now, part }, caller)).result as Part;
  }

  /** Sends the parts until the last one, or until the client is gone. */
  async function sendParts(
    request: FastifyRequest,
    res: FastifyReply["raw"],
    call: PerformRequest,
    first: Part,
    gone: AbortSignal,
  ): Promise<void> {
    for (let part = first; ;) {
      gone.throwIfAborted();
      if (part.text !== "" && !res.write(part.text)) await once(res, "drain", { signal: gone });
      if (part.next === null) return;
      const { next } = part;
      part = await inTurn(async () => {
        gone.throwIfAborted();
        return await readNext(request, call, next);
      });
    }
  }

  return {
    async answer(request, reply, call, mediaType) {
      const giveBack = counts.take(request.caller.credentialId as string);
      let first: Part;
      try {
        first = (await backend.read(call, request.caller)).result as Part;
      } catch (error) {
        giveBack();
        throw error;
      }
      reply.code(200);
      reply.header("content-type", `${mediaType}; charset=utf-8`);
      // Proxies that collect an answer before they pass it on would undo all of this.
      reply.header("x-accel-buffering", "no");
      reply.hijack();
      const res = reply.raw;
      const gone = new AbortController();
      res.once("close", () => gone.abort());
      // What is written to a socket that has just been lost is of no interest any more.
      res.on("error", () => gone.abort());
      res.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
      const sent = request.method === "HEAD" ? Promise.resolve() : sendParts(request, res, call, first, gone.signal);
      sent
        .then(() => res.end())
        .catch((error: unknown) => {
          if (!gone.signal.aborted && !(error instanceof ApiError)) {
            logger.error({ err: error, requestId: request.id }, "a streamed answer could not be completed");
          }
          // Without its end a chunked body is incomplete, and the client can tell.
          res.destroy();
        })
        .finally(giveBack);
      return reply;
    },
  };
}
