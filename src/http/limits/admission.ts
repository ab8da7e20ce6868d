// Who is let in when there is more to do than can be done in good time: whoever comes too late is refused at once,
// before their body is read, and told when to come again, so that those who were let in are served.
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { createAfterReady } from "../../kernel/scheduling/after-ready.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { createQueueDelayPolicy } from "../../kernel/scheduling/queue-delay.ts";
import { onceClosed } from "../responses/response-end.ts";
import type { OperationRunner, WorkKind } from "../../operations/operation-runner.ts";
import { MAX_BODY_BYTES } from "../responses/error-response.ts";
import { createReadThrottle } from "./connection-limits.ts";

/** What there was too much of. */
const OVERLOADS = ["thread", "read", "write", "bodies", "connections", "pipeline", "answers"] as const;
export type Overload = (typeof OVERLOADS)[number];

export interface AdmissionOptions {
  readonly runner: Pick<OperationRunner, "hasCapacity">;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
}

export interface Admission {
  /** A request of no endpoint has just arrived: it is never refused, but its connection is throttled like others. */
  enter(answer: ServerResponse): void;
  /** Throws when a request that has just arrived would wait too long; `kind` is what its endpoint does. */
  admit(kind: WorkKind, answer: ServerResponse): void;
  /** Takes memory for a body that is about to be read, or throws; it is given back when the answer is over. */
  takeBody(answer: ServerResponse): void;
  /** A connection was accepted. */
  noteConnection(): void;
  /** Counts what was refused or cut off elsewhere. */
  note(overload: Overload): void;
}

/** Bodies that are read or worked on may take so much in all. */
const MAX_BODY_BYTES_IN_ALL = 134_217_728;
/** Smaller ones are not counted: the number of connections bounds them. */
const SMALL_BODY_BYTES = 65_536;
/** A log that tells of each refusal would add to the load. */
const LOG_EVERY_MS = 10_000;
/** What clients are told at least to wait. */
const REST_MS = 1_000;
/** Clients are told to come again after one second, or up to so many: not all at the same moment. */
const SPREAD_S = 3;

/**
 * A connection is throttled when its request was read after this many others in one turn, or this late in it: after fewer while
 * clients connect, since each turn accepts one connection.
 */
const MANY_IN_TURN = 64;
const MANY_WHILE_ACCEPTING = 1;
const LONG_TURN_MS = 50;

interface Turn {
  /** Requests that were read. */
  readonly count: number;
  readonly ms: number;
}

/** Of a request that came in another way than over a socket, where it would have waited. */
const NOT_READ: Turn = { count: 0, ms: 0 };

/**
 * How far the event loop has come with reading what was ready. What is read late has waited in its socket for as long as the
 * others took.
 */
function createTurnClock(): (now: number) => Turn {
  let startedAt = 0;
  let count = 0;
  let isEnding = false;
  const end = () => {
    count = 0;
    isEnding = false;
  };
  const endAfterReady = createAfterReady(end);
  return (now) => {
    if (count++ === 0) {
      startedAt = now;
      setImmediate(end);
    }
    const ms = now - startedAt;
    if (ms > LONG_TURN_MS && !isEnding) {
      isEnding = true;
      endAfterReady();
    }
    return { count, ms };
  };
}

export function createAdmission({ runner, logger, metrics }: AdmissionOptions): Admission {
  const patience = createQueueDelayPolicy();
  const readTurn = createTurnClock();
  const throttle = createReadThrottle();
  const counts = new Map(OVERLOADS.map((cause) => [cause, metrics.counter("overloads", { cause })]));
  let loggedAt = -Infinity;
  let unlogged = 0;
  let bodyBytes = 0;
  /** Of requests that were refused at the door, which are not judged again. */
  const refusals = new WeakMap<ServerResponse, ApiError>();

  function note(overload: Overload): void {
    counts.get(overload)?.inc();
    unlogged++;
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    logger.warn({ overload, count: unlogged }, "overloaded: refusing what would wait too long");
    loggedAt = now;
    unlogged = 0;
  }

  function refusalOf(overload: Overload): ApiError {
    note(overload);
    const retryAfter = 1 + Math.floor(Math.random() * SPREAD_S);
    const message = `There is more to do than can be done in good time; try again in ${retryAfter} s`;
    return new ApiError("overloaded", message, { retryAfter });
  }

  /** How a request came in that has just been read. */
  function arrive({ req: { socket } }: ServerResponse, now: number) {
    const turn = socket instanceof Socket ? readTurn(now) : NOT_READ;
    const isLate =
      turn.count > (throttle.isAccepting() ? MANY_WHILE_ACCEPTING : MANY_IN_TURN) || turn.ms > LONG_TURN_MS;
    return { isLate, waitedMs: Math.max(turn.ms, throttle.pausedMs(socket, now)) };
  }

  return {
    enter(answer) {
      if (arrive(answer, performance.now()).isLate) throttle.pauseAfter(answer, 0);
    },
    admit(kind, answer) {
      const refusal = refusals.get(answer);
      if (refusal) throw refusal;
      const now = performance.now();
      const { isLate, waitedMs } = arrive(answer, now);
      const overload = !patience.admits(waitedMs, now) ? "thread" : runner.hasCapacity(kind, waitedMs) ? null : kind;
      // Refusing costs nearly as much as the cheapest reads, so those who ask again at once, whatever they are told, are kept
      // from it while there is much to do.
      if (isLate || overload === "thread") throttle.pauseAfter(answer, overload === null ? 0 : REST_MS);
      if (overload === null) return;
      const error = refusalOf(overload);
      refusals.set(answer, error);
      throw error;
    },
    takeBody(answer) {
      const { headers } = answer.req;
      const length = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : Infinity;
      // What is longer than a body may be is refused for that, and never read to its end.
      const bytes = Math.min(length, MAX_BODY_BYTES);
      if (bytes <= SMALL_BODY_BYTES) return;
      if (bodyBytes + bytes > MAX_BODY_BYTES_IN_ALL) throw refusalOf("bodies");
      bodyBytes += bytes;
      onceClosed(answer, () => (bodyBytes -= bytes));
    },
    noteConnection: throttle.noteConnection,
    note,
  };
}
