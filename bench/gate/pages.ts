// Requests that are challenged, sent at a steady pace beside others.
import { connect } from "node:net";
import type { Socket } from "node:net";
import { once } from "node:events";

const CONNECTIONS = 32;
const TICK_MS = 2;

export interface Pace {
  /** Responses a second since it began. */
  stop(): Promise<number>;
}

/** Sends so many requests a second, whatever comes back; none when the server is a second behind. */
export async function sendAtPace(port: number, request: Buffer, perSecond: number): Promise<Pace> {
  const sockets: Socket[] = [];
  for (let at = 0; at < CONNECTIONS; at++) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    sockets.push(socket);
  }
  let sent = 0;
  let received = 0;
  const START = Buffer.from("HTTP/1.1 ");
  for (const socket of sockets) {
    socket.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf(START); at >= 0; at = chunk.indexOf(START, at + START.length)) received++;
    });
    socket.on("error", () => undefined);
  }
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
    if (sent - received > perSecond) sent = due;
    for (; sent < due; sent++) sockets[sent % CONNECTIONS]?.write(request);
  }, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      const rate = (received * 1_000) / (performance.now() - startedAt);
      for (const socket of sockets) socket.destroy();
      return rate;
    },
  };
}
