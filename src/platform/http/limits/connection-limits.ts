// Limits of connections: their number, the requests in flight on each, and the order in which they are read. At the maximum, a new
// connection replaces another one (connection-table.ts).
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, Socket } from "node:net";
import { subscriberOf } from "../../kernel/network/network.ts";
import { onceClosed } from "../responses/response-end.ts";
import { ConnectionTable } from "./connection-table.ts";

export interface ConnectionLimits {
  readonly max: number;
  /** Whether an address is that of a trusted proxy. */
  isProxy(address: string): boolean;
  /** The response to a connection beyond the maximum, as bytes. */
  refusal(): string;
  note(overload: "connections" | "pipeline"): void;
  recordConnection(): void;
}

/** Requests in flight on one connection. Nearly all clients send one at a time. */
const MAX_PIPELINED = 100;

export interface ConnectionsOfServer {
  /** Counts a request that has arrived. False: its connection has too many requests in flight and was closed. */
  enter(request: IncomingMessage, response: ServerResponse): boolean;
  /** Notes that a part of the body of a request has arrived. */
  recordReceived(request: IncomingMessage): void;
  /** Counts the connection of a request for the client that a trusted proxy names. */
  assign(request: IncomingMessage, ip: string): void;
  /**
   * Accepts no new connections and waits `forMs`, or until all connections have ended, so that requests which are on their way
   * still arrive. Responses that begin later close their connections.
   */
  drain(forMs: number): Promise<void>;
}

export function limitConnections(
  server: Server,
  { max, isProxy, refusal, note, recordConnection }: ConnectionLimits,
): ConnectionsOfServer {
  const connections = new ConnectionTable({ max, refusal });

  server.on("connection", (socket: Socket) => {
    recordConnection();
    const { remoteAddress = "" } = socket;
    if (connections.isFull) note("connections");
    if (!connections.add(socket, isProxy(remoteAddress) ? null : subscriberOf(remoteAddress))) {
      socket.end(refusal(), () => socket.destroy());
    }
  });

  return {
    enter(request, response) {
      if (connections.enter(request, response) <= MAX_PIPELINED) return true;
      note("pipeline");
      request.socket.destroy();
      return false;
    },
    recordReceived: ({ socket }) => connections.recordReceived(socket),
    assign: ({ socket }, ip) => connections.assign(socket, subscriberOf(ip)),
    async drain(forMs) {
      // Node's http server closes idle connections at once when it closes, and would lose requests that are on their way there.
      NetServer.prototype.close.call(server);
      const ended = connections
        .sockets()
        .map((socket) => new Promise<void>((end) => socket.once("close", () => end())));
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, forMs);
      await Promise.race([timer.promise, Promise.all(ended)]);
      clearTimeout(timeout);
      connections.closeAfterResponses();
    },
  };
}

// Read throttling: when more sockets are ready than the event loop can serve in one turn, some are paused after their response and
// resumed a few per turn. By itself the event loop reads every ready socket before it accepts one new connection (libuv accepts
// one each turn), and, from 1024 on, before it runs timers, so under a flood nobody else could connect. Measured with 2 000
// clients that send again at once: a new client waits 1.3 to 1.6 s for its response; without throttling 6 s, until the flood ends
// (test/faults/overload.test.ts).

/** Sockets that are resumed in each turn of the event loop: fewer while clients connect. */
const RESUMED_PER_TURN = 16;
const RESUMED_WHILE_ACCEPTING = 1;
/** Data read this soon after a socket resumes was buffered while it was paused. */
const SOON_MS = 500;

interface Pause {
  readonly since: number;
  /** When the socket was resumed; null as long as it is paused. */
  until: number | null;
}

export interface ReadThrottle {
  /** A connection was accepted; there may be more. */
  recordConnection(): void;
  /** Whether clients are connecting. */
  isAccepting(): boolean;
  /** How long the socket of a request that was just read had been paused. */
  pausedMs(socket: Socket, now: number): number;
  /** Pauses a connection when its response is complete: for `restMs`, and then until its turn comes. */
  pauseAfter(response: ServerResponse, restMs: number): void;
}

/** Notices whether clients are connecting, by the connections that were accepted in the last turn of the event loop. */
function createAcceptWatch(): Pick<ReadThrottle, "recordConnection" | "isAccepting"> {
  let isAccepting = false;
  let hasAccepted = false;

  function lookForConnections(): void {
    isAccepting = hasAccepted;
    hasAccepted = false;
    if (isAccepting) setImmediate(lookForConnections);
  }

  return {
    recordConnection() {
      hasAccepted = true;
      if (isAccepting) return;
      isAccepting = true;
      setImmediate(lookForConnections);
    },
    isAccepting: () => isAccepting,
  };
}

/** Paused sockets in the order in which they are resumed, a few per turn of the event loop. */
function createPausedSockets(isAccepting: () => boolean) {
  const queue = new Set<Socket>();
  const pauses = new WeakMap<Socket, Pause>();
  let isResuming = false;
  let resumedAt = -Infinity;

  function resumeNext(): void {
    const now = performance.now();
    resumedAt = now;
    let left = isAccepting() ? RESUMED_WHILE_ACCEPTING : RESUMED_PER_TURN;
    for (const socket of queue) {
      if (left-- === 0) break;
      queue.delete(socket);
      (pauses.get(socket) as Pause).until = now;
      socket.resume();
    }
    isResuming = queue.size > 0;
    if (isResuming) setImmediate(resumeNext);
  }

  return {
    add(socket: Socket): void {
      if (socket.destroyed) return;
      pauses.set(socket, { since: performance.now(), until: null });
      queue.add(socket);
      if (isResuming) return;
      isResuming = true;
      setImmediate(resumeNext);
    },
    pausedMs(socket: Socket, now: number): number {
      // Nearly always no socket has been paused lately.
      if (!isResuming && now - resumedAt > SOON_MS) return 0;
      const pause = pauses.get(socket);
      if (!pause || pause.until === null || now - pause.until > SOON_MS) return 0;
      return pause.until - pause.since;
    },
  };
}

export function createReadThrottle(): ReadThrottle {
  const { recordConnection, isAccepting } = createAcceptWatch();
  const paused = createPausedSockets(isAccepting);
  return {
    recordConnection,
    isAccepting,
    pausedMs: paused.pausedMs,
    pauseAfter(response, restMs) {
      // `response.socket` is null while other responses on its connection come first.
      const { socket } = response.req;
      // Before the response is complete, Node's http server would resume the socket by itself.
      onceClosed(response, () => {
        if (!(socket instanceof Socket) || socket.destroyed) return;
        socket.pause();
        if (restMs === 0) paused.add(socket);
        else setTimeout(paused.add, restMs, socket).unref();
      });
    },
  };
}
