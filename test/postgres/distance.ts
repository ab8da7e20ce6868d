// A proxy to PostgreSQL that stands for a network: it delays what the server sends, and notes each flight of a connection, which is what the
// client sends before it waits for the server. A client that waits for a flight has made a round trip.
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface Flight {
  readonly connection: number;
  /** The names of prepared statements, and the texts of others. */
  readonly statements: readonly string[];
}

export interface Distance {
  readonly port: number;
  /** How much later everything of the server arrives. */
  delayMs: number;
  /** Since the last call, in the order in which they were complete. */
  take(): readonly Flight[];
  close(): Promise<void>;
}

const START_BYTES = 8;

/** Calls `onMessage` with the type and the body of each message of the client. */
function readMessages(onMessage: (type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The message that starts a connection has no type.
      const at = isStarted ? 1 : 0;
      if (rest.length < at + 4) return;
      const end = at + rest.readInt32BE(at);
      if (rest.length < end) return;
      if (isStarted) onMessage(String.fromCharCode(rest[0] as number), rest.subarray(5, end));
      else isStarted = end > START_BYTES;
      rest = rest.subarray(end);
    }
  };
}

const textsOf = (body: Buffer) => body.toString("latin1").split("\0");

/** Notes the flights of one connection. */
function recordFlights(connection: number, flights: Flight[]): (chunk: Buffer) => void {
  let statements: string[] = [];
  let unnamed = "";
  const end = () => {
    flights.push({ connection, statements });
    statements = [];
  };
  return readMessages((type, body) => {
    const [first = "", second = ""] = textsOf(body);
    if (type === "P" && first === "") unnamed = second;
    if (type === "B") statements.push(second === "" ? unnamed : second);
    if (type === "Q") statements.push(first);
    if (type === "Q" || type === "S") end();
  });
}

/** The driver waits for the response to each flight of a connection before it sends the next one, but where it shares the connection. */
export async function startDistance(to: { readonly host: string; readonly port: number }): Promise<Distance> {
  const sockets = new Set<Socket>();
  const flights: Flight[] = [];
  let connections = 0;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...to, noDelay: true });
    const note = recordFlights(++connections, flights);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk: Buffer) => {
      note(chunk);
      far.write(chunk);
    });
    near.on("end", () => far.end());
    let sending = Promise.resolve();
    far.on("data", (chunk: Buffer) => {
      const arrival = delay(distance.delayMs);
      sending = sending.then(() => arrival).then(() => void near.write(chunk));
    });
    far.on("end", () => void sending.then(() => near.end()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const distance: Distance = {
    port: (server.address() as AddressInfo).port,
    delayMs: 0,
    take: () => flights.splice(0),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return distance;
}
