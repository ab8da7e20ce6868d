// Connections stand in line when more of them have something to say than can be listened to at once: each is read again when
// it is its turn. The event loop by itself would read all that are ready before it accepts one new connection (libuv accepts
// one each time round), and, from 1024 on, before it comes to timers: under a flood of requests nobody else could connect.
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { onceOver } from "./answer-end.ts";

/** So many leave the line each time that the event loop comes round: fewer while there are new connections. */
const AT_A_TIME = 16;
const BESIDE_NEW = 1;
/** What is read so soon after its connection has left the line was there before. */
const SOON_MS = 500;

interface Stay {
  since: number;
  /** When it left the line; null as long as it is there. */
  until: number | null;
}

export interface Line {
  /** A connection was accepted; there may be more. */
  noteConnection(): void;
  isCrowded(): boolean;
  /** How long a request that was just read has been in line. */
  waitedMs(socket: Socket, now: number): number;
  /** Lets a connection join the line when its answer is complete, and not before it has rested for so long. */
  joinAfter(answer: ServerResponse, restMs: number): void;
}

export function createLine(): Line {
  // Whoever came first comes first.
  const line = new Set<Socket>();
  const stays = new WeakMap<Socket, Stay>();
  let isMoving = false;
  let lastMovedAt = -Infinity;

  let isCrowded = false;
  let isAccepting = false;

  function lookForNew(): void {
    isCrowded = isAccepting;
    isAccepting = false;
    if (isCrowded) setImmediate(lookForNew);
  }

  function move(): void {
    const now = performance.now();
    lastMovedAt = now;
    let left = isCrowded ? BESIDE_NEW : AT_A_TIME;
    for (const socket of line) {
      if (left-- === 0) break;
      line.delete(socket);
      (stays.get(socket) as Stay).until = now;
      socket.resume();
    }
    isMoving = line.size > 0;
    if (isMoving) setImmediate(move);
  }

  function join(socket: Socket): void {
    if (socket.destroyed) return;
    stays.set(socket, { since: performance.now(), until: null });
    line.add(socket);
    if (isMoving) return;
    isMoving = true;
    setImmediate(move);
  }

  return {
    noteConnection() {
      isAccepting = true;
      if (isCrowded) return;
      isCrowded = true;
      setImmediate(lookForNew);
    },
    isCrowded: () => isCrowded,
    waitedMs(socket, now) {
      // As good as always nobody has been in line for long.
      if (!isMoving && now - lastMovedAt > SOON_MS) return 0;
      const stay = stays.get(socket);
      if (!stay || stay.until === null || now - stay.until > SOON_MS) return 0;
      return stay.until - stay.since;
    },
    joinAfter(answer, restMs) {
      // Of the answer itself it is null while others on its connection come first.
      const { socket } = answer.req;
      // Until then the request that is answered would set its socket going again.
      onceOver(answer, () => {
        if (!(socket instanceof Socket) || socket.destroyed) return;
        socket.pause();
        if (restMs === 0) join(socket);
        else setTimeout(join, restMs, socket).unref();
      });
    },
  };
}
