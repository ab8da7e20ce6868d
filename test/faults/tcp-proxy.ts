// A proxy to a server, whose connections a test can break.
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { freePort } from "../harness/free-port.ts";

export interface TcpProxy {
  readonly port: number;
  /** Whether to forward a response of the server, or to break its connection instead. */
  mayPass: (response: Buffer) => boolean;
  /** Whether new connections are accepted and get no response, as where packets are lost. */
  isSilentToNew: boolean;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  restore(): Promise<void>;
}

/** Forwards connections to a server. */
export async function startTcpProxy(to: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (proxy.isSilentToNew) {
      sockets.add(near);
      near.on("error", () => undefined).on("close", () => sockets.delete(near));
      return;
    }
    const far = connect(to);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far);
    far.on("data", (response: Buffer) => {
      if (proxy.mayPass(response)) near.write(response);
      else for (const socket of [near, far]) socket.destroy();
    });
    far.on("end", () => near.end());
  });
  const port = await freePort();
  const listen = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen();
  const proxy: TcpProxy = {
    port,
    mayPass: () => true,
    isSilentToNew: false,
    cut() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    restore: listen,
  };
  return proxy;
}
