// Clients for attacks: connections that send given bytes and what they leave unfinished.
import { connect } from "node:net";
import type { Socket } from "node:net";

export interface Opened {
  readonly sockets: ReadonlySet<Socket>;
  close(this: void): Promise<void>;
}

/** Opens connections that each send `bytes`, and opens another for each that the server closes. Resolves when `count` were opened. */
export async function keepOpen(port: number, count: number, bytes: string, localAddress?: string): Promise<Opened> {
  const sockets = new Set<Socket>();
  const first = Promise.withResolvers<void>();
  let opened = 0;
  let isOver = false;

  function open(): void {
    if (isOver) return;
    const socket = connect({ port, host: "127.0.0.1", ...(localAddress === undefined ? {} : { localAddress }) });
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("connect", () => {
      socket.write(bytes);
      if (++opened === count) first.resolve();
    });
    socket.resume();
    socket.on("close", () => {
      sockets.delete(socket);
      // A little later, as programs that try again do: at once, the attack would be one of this machine's processors.
      setTimeout(open, 1_000);
    });
  }

  for (let at = 0; at < count; at++) open();
  await first.promise;
  return {
    sockets,
    async close() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
