// How many connections there are at a time, and what each may have under way. When there are as many as may be, a new one
// takes the place of the one that nobody has used for longest, so idle clients keep nobody out.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly max: number;
  /** What a connection is told for which there is no place, as bytes. */
  refusal(): string;
  note(overload: "connections" | "pipeline"): void;
  noteConnection(): void;
}

/** Requests that were sent on one connection before the first of them was answered; clients send one, as good as all. */
const MAX_PIPELINED = 100;

export interface ConnectionsOfServer {
  /** Counts a request that has arrived; false when its connection was closed for it. */
  enter(request: IncomingMessage, answer: ServerResponse): boolean;
  /**
   * Takes no new connections, and leaves those that there are open for as long, or until all have ended: what is on its way
   * on them arrives. What is answered after that ends its connection.
   */
  drain(forMs: number): Promise<void>;
}

class Connection {
  /** Requests that are not answered yet. */
  pending = 0;
  /** Of the one that came last, as long as there is one. */
  latest: ServerResponse | null = null;
  /** One of them is over. */
  readonly leave = (): void => {
    if (--this.pending === 0) this.latest = null;
  };
}

export function limitConnections(
  server: Server,
  { max, refusal, note, noteConnection }: ConnectionLimits,
): ConnectionsOfServer {
  // Those that have not been used for longest come first.
  const connections = new Map<Socket, Connection>();

  function moveToEnd(socket: Socket, connection: Connection): void {
    connections.delete(socket);
    connections.set(socket, connection);
  }

  /** Closes the idle connection that has not been used for longest; answers whether there was one. */
  function makeRoom(): boolean {
    let left = connections.size;
    for (const [socket, connection] of connections) {
      if (connection.pending === 0) {
        connections.delete(socket);
        socket.destroy();
        return true;
      }
      if (--left === 0) return false;
      // It is in use now, so it need not be looked at each time.
      moveToEnd(socket, connection);
    }
    return false;
  }

  server.on("connection", (socket: Socket) => {
    noteConnection();
    if (connections.size >= max) {
      note("connections");
      if (!makeRoom()) {
        socket.end(refusal(), () => socket.destroy());
        return;
      }
    }
    connections.set(socket, new Connection());
    socket.once("close", () => connections.delete(socket));
  });

  /** Whoever sent the last request on a connection is to send no other one there. */
  function endWithAnswers(): void {
    for (const { latest } of connections.values()) {
      if (latest && !latest.headersSent) latest.setHeader("connection", "close");
    }
  }

  return {
    enter({ socket }, answer) {
      const connection = connections.get(socket);
      if (!connection) return true;
      connection.pending++;
      connection.latest = answer;
      answer.on("close", connection.leave);
      moveToEnd(socket, connection);
      if (connection.pending <= MAX_PIPELINED) return true;
      note("pipeline");
      socket.destroy();
      return false;
    },
    async drain(forMs) {
      // The server's own close would end idle connections at once, and with them what is on its way there.
      NetServer.prototype.close.call(server);
      const ended = [...connections.keys()].map(
        (socket) => new Promise<void>((end) => socket.once("close", () => end())),
      );
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, forMs);
      await Promise.race([timer.promise, Promise.all(ended)]);
      clearTimeout(timeout);
      endWithAnswers();
    },
  };
}
