// Streamed responses (platform/kernel/stream.ts). A chunk is read when the socket has accepted the previous one. The caller is looked up
// again for each chunk, so revoking a permission ends the response.
import { once } from "node:events";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { accountableOf, principalOf } from "../../kernel/caller.ts";
import type { Clock } from "../../kernel/scheduling/clock.ts";
import { ApiError } from "../../kernel/errors.ts";
import { createFairLimiter } from "../../kernel/scheduling/fair-limiter.ts";
import type { FairLimiter } from "../../kernel/scheduling/fair-limiter.ts";
import type { Endpoint } from "../../kernel/contract.ts";
import type { Chunk } from "../../kernel/stream.ts";
import { onceClosed } from "./response-end.ts";
import type { OperationRunner, ChainWatch } from "../../operations/operation-runner.ts";
import { unauthorized } from "../../operations/execute.ts";
import type { OperationRequest } from "../../operations/execute.ts";
import { requestAttributes } from "../requests/request-log.ts";

/** A comment of server-sent events. */
const HEARTBEAT = ": \n\n";
/** Time that exports get to complete when the server stops; it must end before the server closes its connections. */
const GRACE_MS = 5_000;

/**
 * Concurrent streamed responses: of each principal, over all of its credentials, and of all together. When all are taken, those of an
 * account that has more than a quarter, over all of its teams, end for others.
 */
const LIMITS = { each: 10, all: 1_000 } as const;
/** Of gates, which stay connected: a team has one for each of its gates. */
const GATE_LIMITS = { each: 100, all: 1_000 } as const;
const RETRY_AFTER_S = 5;

export interface StreamContext {
  readonly runner: OperationRunner;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Maximum time between two writes of a live response. */
  readonly heartbeatMs: number;
}

/** A call with a streamed response. */
export interface StreamCall extends OperationRequest {
  readonly chunk: NonNullable<OperationRequest["chunk"]>;
}

export interface Streams {
  /** Sends a streamed response. Throws when the first chunk is refused, before anything is sent. */
  send(request: FastifyRequest, reply: FastifyReply, call: StreamCall, endpoint: Endpoint): Promise<void>;
  /** Number of streamed responses in flight. */
  count(): number;
  /** Ends all live responses and refuses new ones; aborts the other responses after a grace period. */
  stop(): void;
}

/** One streamed response in flight. */
interface Sending {
  readonly request: FastifyRequest;
  readonly res: FastifyReply["raw"];
  readonly call: StreamCall;
  /** Aborts when the response must end: its client has gone, or the server stops. */
  readonly over: AbortSignal;
}

/** Runs one task at a time, each in its own turn of the event loop, so that other work runs in between. */
function createTurnstile() {
  let last: Promise<unknown> = Promise.resolve();
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(() => nextTurn()).then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

/**
 * Resets the connection so that the client detects the incomplete response. A chunked body then has no end; without chunks
 * (HTTP/1.0, which some proxies use), a connection that is closed normally would look like the end of the response.
 */
function resetConnection(res: FastifyReply["raw"]): void {
  if (res.socket instanceof Socket) res.socket.resetAndDestroy();
  else res.destroy();
}

function createStreamLimiter(limits: { readonly each: number; readonly all: number }): FairLimiter {
  return createFairLimiter(limits, (limit) => {
    const expected =
      limit === "each"
        ? `a user, or a team's API keys, may have ${limits.each}`
        : "this server has as many as it accepts";
    return new ApiError("too_many_streams", `Too many streamed responses at a time: ${expected}`, {
      retryAfter: RETRY_AFTER_S,
    });
  });
}

/** Resolves when the socket has sent enough of the text to accept more. */
async function write({ res, over }: Sending, text: string): Promise<void> {
  over.throwIfAborted();
  if (text !== "" && !res.write(text)) await once(res, "drain", { signal: over });
}

/** Reads the chunks of responses and writes them until the last one, or until the response must end. */
function createChunkSender({ runner, clock, heartbeatMs }: StreamContext) {
  const inTurn = createTurnstile();

  async function readChunk({ request, call, over }: Sending, cursor: unknown): Promise<Chunk> {
    over.throwIfAborted();
    const now = clock();
    const caller = await runner.findCaller(request.credential, now, call.origin.ip);
    if (!caller) throw unauthorized();
    runner.recordUse(caller, now);
    return (await runner.read({ ...call, now, chunk: { ...call.chunk, cursor } }, caller)).result as Chunk;
  }

  /** Waits for a later event or the heartbeat, and reads the next chunk, which also checks that the caller is still authorized. */
  async function awaitChunk(sending: Sending, chunk: Chunk, watch: ChainWatch, sentAt: number): Promise<Chunk> {
    const silentUntil = sentAt + heartbeatMs;
    await watch.wait(
      (chunk.awaits as NonNullable<Chunk["awaits"]>).sequence,
      Math.max(0, silentUntil - performance.now()),
      sending.over,
    );
    // Reads of one turn can share a snapshot of the store that is older than the event.
    await nextTurn();
    const next = await readChunk(sending, chunk.next);
    const isSilent = next.text === "" && performance.now() >= silentUntil;
    return isSilent ? { ...next, text: HEARTBEAT } : next;
  }

  async function sendChunks(sending: Sending, first: Chunk): Promise<void> {
    let watch: ChainWatch | undefined;
    let sentAt = 0;
    try {
      for (let chunk = first; ;) {
        await write(sending, chunk.text);
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

  /** Sends a live response. A refusal ends it normally, and the client learns the reason when it reconnects. */
  async function sendLiveChunks(sending: Sending, first: Chunk): Promise<void> {
    try {
      await sendChunks(sending, first);
    } catch (error) {
      if (!sending.over.aborted && !(error instanceof ApiError)) throw error;
      // A client that does not read what was sent would not read the end either.
      if (sending.res.writableNeedDrain) sending.res.destroy();
    }
  }
  return { sendChunks, sendLiveChunks };
}

/** Writes the head of a streamed response. From here on the framework leaves the response alone. */
function writeHead(reply: FastifyReply, mediaType: string): FastifyReply["raw"] {
  reply.code(200);
  reply.header("content-type", `${mediaType}; charset=utf-8`);
  // Proxies must not hold the response back, neither in a buffer nor in a compressor. Caddy heeds no `no-transform`, but compresses
  // nothing that names its encoding.
  reply.header("x-accel-buffering", "no");
  reply.header("cache-control", "no-store, no-transform");
  reply.header("content-encoding", "identity");
  reply.hijack();
  return reply.raw;
}

export function createStreams(context: StreamContext): Streams {
  const { runner, logger } = context;
  const limiters = { gates: createStreamLimiter(GATE_LIMITS), others: createStreamLimiter(LIMITS) };
  const { sendChunks, sendLiveChunks } = createChunkSender(context);
  /** Functions that end the responses in flight. */
  const endings = { live: new Set<() => void>(), others: new Set<() => void>() };
  let isStopped = false;

  /** Sends the body; a response that fails after its head was sent can only be aborted. */
  async function sendBody(sending: Sending, first: Chunk, isLive: boolean): Promise<void> {
    const { request, res, over } = sending;
    try {
      if (request.method !== "HEAD") await (isLive ? sendLiveChunks : sendChunks)(sending, first);
      res.end();
    } catch (error) {
      resetConnection(res);
      if (over.aborted || error instanceof ApiError) return;
      logger.error({ err: error, ...requestAttributes(request) }, "a streamed response could not be completed");
    }
  }

  return {
    async send(request, reply, call, { isLive = false, isForGates = false }) {
      const { caller } = request;
      const over = new AbortController();
      const end = () => over.abort();
      const release = limiters[isForGates ? "gates" : "others"].take({
        key: principalOf(caller),
        tenant: accountableOf(caller),
        displace: end,
      });
      let first: Chunk;
      try {
        first = (await runner.read(call, caller)).result as Chunk;
        if (isLive && isStopped) throw new ApiError("shutting_down", "This process is stopping; try again");
      } catch (error) {
        release();
        throw error;
      }
      const res = writeHead(reply, call.chunk.mediaType);
      const running = isLive ? endings.live : endings.others;
      running.add(end);
      onceClosed(res, end);
      // Write errors of a socket that was just lost need no handling.
      res.on("error", end);
      res.writeHead(reply.statusCode, reply.getHeaders() as Record<string, string>);
      void sendBody({ request, res, call, over: over.signal }, first, isLive).finally(() => {
        running.delete(end);
        release();
      });
    },
    count: () => endings.live.size + endings.others.size,
    stop() {
      isStopped = true;
      for (const end of endings.live) end();
      setTimeout(() => endings.others.forEach((end) => end()), GRACE_MS).unref();
    },
  };
}
