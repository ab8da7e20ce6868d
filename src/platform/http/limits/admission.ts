// Admission control: a request that would wait too long is refused at once, before its body is read, and the client is told when to
// retry. So the requests that are admitted are served in good time.
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyBaseLogger } from "fastify";
import { createAfterReady } from "../../kernel/scheduling/after-ready.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { createQueueDelayPolicy } from "../../kernel/scheduling/queue-delay.ts";
import type { OperationRunner, WorkKind } from "../../operations/operation-runner.ts";
import { createBodyMemory } from "./body-memory.ts";
import type { BodyMemory } from "./body-memory.ts";
import { createReadThrottle } from "./connection-limits.ts";

/** The causes of overload. */
const OVERLOADS = ["thread", "read", "write", "bodies", "connections", "pipeline", "responses"] as const;
export type Overload = (typeof OVERLOADS)[number];

export interface AdmissionOptions {
  readonly runner: Pick<OperationRunner, "hasCapacity">;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
}

export interface Admission {
  /** Counts a request without an endpoint. It is never refused, but its connection is throttled like others. */
  enter(response: ServerResponse): void;
  /** Throws when a request that has just arrived would wait too long; `kind` is what its endpoint does. */
  admit(kind: WorkKind, response: ServerResponse): void;
  /** The memory of bodies. */
  readonly bodies: BodyMemory;
  /** A connection was accepted. */
  recordConnection(): void;
  /** Counts a request or connection that was refused or closed elsewhere. */
  note(overload: Overload): void;
}

/** Logging each refusal would add to the load. */
const LOG_EVERY_MS = 10_000;
/** How long the connection of a refused client is paused: the minimum that clients are told to wait. */
const PAUSE_MS = 1_000;
/** Clients are told to retry after 1 to this many seconds, so that they do not all retry at once. */
const SPREAD_S = 3;

/**
 * A connection is throttled when its request was read after this many others in one turn of the event loop, or this late in the turn.
 * While clients connect, the number is lower, because each turn accepts only one connection.
 */
const MANY_IN_TURN = 64;
const MANY_WHILE_ACCEPTING = 1;
const LONG_TURN_MS = 50;

interface Turn {
  /** Requests read in this turn so far. */
  readonly count: number;
  readonly ms: number;
}

/** For a request that did not arrive over a socket, and so did not wait there. */
const NOT_READ: Turn = { count: 0, ms: 0 };

/**
 * Measures the turn of the event loop that reads the ready sockets. A request that is read late in the turn has waited in its
 * socket for as long as the others took.
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

/** Counts overloads, and logs them at most once per period. */
function createOverloadLog({ logger, metrics }: Pick<AdmissionOptions, "logger" | "metrics">): Admission["note"] {
  const counts = new Map(OVERLOADS.map((cause) => [cause, metrics.counter("overloads", { cause })]));
  let loggedAt = -Infinity;
  let unlogged = 0;
  return (overload) => {
    counts.get(overload)?.inc();
    unlogged++;
    const now = performance.now();
    if (now - loggedAt < LOG_EVERY_MS) return;
    logger.warn({ overload, count: unlogged }, "overloaded: refusing requests that would wait too long");
    loggedAt = now;
    unlogged = 0;
  };
}

function overloadedError(): ApiError {
  const retryAfter = 1 + Math.floor(Math.random() * SPREAD_S);
  const message = `The server is overloaded and would respond too late; try again in ${retryAfter} s`;
  return new ApiError("overloaded", message, { retryAfter });
}

export function createAdmission({ runner, logger, metrics }: AdmissionOptions): Admission {
  const queueDelay = createQueueDelayPolicy();
  const readTurn = createTurnClock();
  const throttle = createReadThrottle();
  const note = createOverloadLog({ logger, metrics });

  /** Whether a request was read late in its turn, and how long it waited before that. */
  function arrive({ req: { socket } }: ServerResponse, now: number) {
    const turn = socket instanceof Socket ? readTurn(now) : NOT_READ;
    const isLate =
      turn.count > (throttle.isAccepting() ? MANY_WHILE_ACCEPTING : MANY_IN_TURN) || turn.ms > LONG_TURN_MS;
    return { isLate, waitedMs: Math.max(turn.ms, throttle.pausedMs(socket, now)) };
  }

  return {
    enter(response) {
      if (arrive(response, performance.now()).isLate) throttle.pauseAfter(response, 0);
    },
    admit(kind, response) {
      const now = performance.now();
      const { isLate, waitedMs } = arrive(response, now);
      const overload = !queueDelay.admits(waitedMs, now) ? "thread" : runner.hasCapacity(kind, waitedMs) ? null : kind;
      // Refusing a request costs nearly as much as the cheapest reads. Pausing the connections keeps clients that ignore Retry-After
      // from adding to the load.
      if (isLate || overload === "thread") throttle.pauseAfter(response, overload === null ? 0 : PAUSE_MS);
      if (overload === null) return;
      note(overload);
      throw overloadedError();
    },
    bodies: createBodyMemory(() => note("bodies")),
    recordConnection: throttle.recordConnection,
    note,
  };
}
