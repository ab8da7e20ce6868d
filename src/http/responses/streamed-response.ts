// Answers that are sent while they are read (kernel/stream.ts). Whoever asks for the next part is looked up anew, so a
// right that was taken away ends the answer; and it is read when the socket has taken the part before.
import { once } from "node:events";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { principalOf } from "../../kernel/caller.ts";
import type { Clock } from "../../kernel/scheduling/clock.ts";
import { ApiError } from "../../kernel/errors.ts";
import { createKeyedLimiter } from "../../kernel/scheduling/keyed-limiter.ts";
import type { KeyedLimiter } from "../../kernel/scheduling/keyed-limiter.ts";
import type { Chunk } from "../../kernel/stream.ts";
import { onceClosed } from "./response-end.ts";
import type { OperationRunner, ChainWatch } from "../../operations/operation-runner.ts";
import { unauthorized } from "../../operations/execute.ts";
import type { OperationRequest } from "../../operations/execute.ts";
import { requestAttributes } from "../requests/request-log.ts";

/** A comment of server-sent events. */
const HEARTBEAT = ": \n\n";
/** Of exports when the server stops; below the time after which it cuts its connections. */
const GRACE_MS = 5_000;

/** Of streamed answers that are sent at a time: for each principal, over all of its credentials, and for all together. */
const LIMITS = { each: 10, all: 1_000 } as const;
const RETRY_AFTER_S = 5;

export interface StreamContext {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** How long a live answer is silent at most. */
  readonly heartbeatMs: number;
}

/** A call whose answer is sent in parts. */
export interface StreamCall extends OperationRequest {
  readonly chunk: NonNullable<OperationRequest["chunk"]>;
}

export interface Streams {
  /** Answers in parts; throws what refuses the first one, as long as nothing was sent. */
  answer(request: FastifyRequest, reply: FastifyReply, call: StreamCall, isLive: boolean): Promise<void>;
  /** How many answers are on their way. */
  count(): number;
  /** Ends the live answers, which would go on forever, begins no more of them, and soon breaks off the others. */
  stop(): void;
}

/** One answer on its way. */
interface Sending {
  readonly request: FastifyRequest;
  readonly res: FastifyReply["raw"];
  readonly call: StreamCall;
  /** Nothing more is wanted. */
  readonly over: AbortSignal;
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

/**
 * Ends the connection so that the client can tell that the answer is not complete: a chunked body has no end, and without
 * chunks (HTTP/1.0, which some proxies speak) a connection that is merely closed would look like one.
 */
function breakOff(res: FastifyReply["raw"]): void {
  if (res.socket instanceof Socket) res.socket.resetAndDestroy();
  else res.destroy();
}

function createStreamCounts(): KeyedLimiter {
  return createKeyedLimiter(LIMITS, (limit) => {
    const expected =
      limit === "each"
        ? `a user, or a team's API keys, may have ${LIMITS.each}`
        : "this server has as many as it takes";
    return new ApiError("too_many_streams", `Too many streamed answers at a time: ${expected}`, {
      retryAfter: RETRY_AFTER_S,
    });
  });
}

/** Resolves when the socket has taken enough of it to want more. */
async function send({ res, over }: Sending, text: string): Promise<void> {
  over.throwIfAborted();
  if (text !== "" && !res.write(text)) await once(res, "drain", { signal: over });
}

export function createStreams({ runner, clock, logger, heartbeatMs }: StreamContext): Streams {
  const counts = createStreamCounts();
  const inTurn = createTurnstile();
  const endings = { live: new Set<() => void>(), others: new Set<() => void>() };
  let isStopped = false;

  async function readChunk({ request, call, over }: Sending, cursor: unknown): Promise<Chunk> {
    over.throwIfAborted();
    const now = clock();
    const caller = await runner.findCaller(request.credential, now, call.origin.ip);
    if (!caller) throw unauthorized();
    runner.noteUse(caller, now);
    return (await runner.read({ ...call, now, chunk: { ...call.chunk, cursor } }, caller)).result as Chunk;
  }

  /** The part after one that had come to the present: when there is news, and to see whether it may go on. */
  async function awaitChunk(sending: Sending, chunk: Chunk, watch: ChainWatch, sentAt: number): Promise<Chunk> {
    const silentUntil = sentAt + heartbeatMs;
    await watch.wait(
      (chunk.awaits as NonNullable<Chunk["awaits"]>).sequence,
      silentUntil - performance.now(),
      sending.over,
    );
    // Reads of one turn may share a state of the store that is older than the news.
    await nextTurn();
    const next = await readChunk(sending, chunk.next);
    const isSilent = next.text === "" && performance.now() >= silentUntil;
    return isSilent ? { ...next, text: HEARTBEAT } : next;
  }

  /** Sends the parts until the last one, or until nothing more is wanted. */
  async function sendParts(sending: Sending, first: Chunk): Promise<void> {
    let watch: ChainWatch | undefined;
    let sentAt = 0;
    try {
      for (let chunk = first; ;) {
        await send(sending, chunk.text);
        if (chunk.text !== "") sentAt = performance.now();
        const { next, awaits } = chunk;
        if (next === null) return;
        if (awaits) {
          watch ??= runner.watchChain(awaits.ownerId);
          chunk = await awaitChunk(sending, chunk, watch, sentAt);
        } else {
          chunk = await inTurn(() => readChunk(sending, next));
        }
      }
    } finally {
      watch?.end();
    }
  }

  /** Sends a live answer until nobody wants it, or it may not go on: then it ends, and the client asks again. */
  async function sendLive(sending: Sending, first: Chunk): Promise<void> {
    try {
      await sendParts(sending, first);
    } catch (error) {
      if (!sending.over.aborted && !(error instanceof ApiError)) throw error;
      // Whoever does not take what was sent would not take the end either.
      if (sending.res.writableNeedDrain) sending.res.destroy();
    }
  }

  return {
    async answer(request, reply, call, isLive) {
      const giveBack = counts.take(principalOf(request.caller));
      let first: Chunk;
      try {
        first = (await runner.read(call, request.caller)).result as Chunk;
        if (isLive && isStopped) throw new ApiError("shutting_down", "This process is stopping; try again");
      } catch (error) {
        giveBack();
        throw error;
      }
      reply.code(200);
      reply.header("content-type", `${call.chunk.mediaType}; charset=utf-8`);
      // Proxies that collect an answer before they pass it on would undo all of this.
      reply.header("x-accel-buffering", "no");
      reply.hijack();
      const res = reply.raw;
      const over = new AbortController();
      const end = () => over.abort();
      const running = isLive ? endings.live : endings.others;
      running.add(end);
      onceClosed(res, end);
      // What is written to a socket that has just been lost is of no interest any more.
      res.on("error", end);
      res.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
      const sending: Sending = { request, res, call, over: over.signal };
      void (async () => {
        try {
          if (request.method !== "HEAD") await (isLive ? sendLive : sendParts)(sending, first);
          res.end();
        } catch (error) {
          breakOff(res);
          if (over.signal.aborted || error instanceof ApiError) return;
          logger.error({ err: error, ...requestAttributes(request) }, "a streamed answer could not be completed");
        } finally {
          running.delete(end);
          giveBack();
        }
      })();
    },
    count: () => endings.live.size + endings.others.size,
    stop() {
      isStopped = true;
      for (const end of endings.live) end();
      setTimeout(() => endings.others.forEach((end) => end()), GRACE_MS).unref();
    },
  };
}
