// A connection to the control plane that can be cut: a relay of TCP, on a port that stays the same.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { after } from "node:test";
import { freePort } from "../harness/free-port.ts";

export interface Relay {
  readonly url: string;
  /** Cuts every connection, and takes no more. */
  cut(): Promise<void>;
  restore(): Promise<void>;
}

export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => undefined);
    }
    client.on("close", () => target.destroy());
    target.on("close", () => client.destroy());
    client.pipe(target).pipe(client);
  });
  const port = await freePort();
  async function listenAgain(): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }
  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  await listenAgain();
  after(cut);
  return { url: `http://127.0.0.1:${port}`, cut, restore: listenAgain };
}
