// Bytes as they are, to a listening app: what no HTTP client would send.
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import type { App } from "../../src/serve/app.ts";

/** Starts listening on a free port of the loopback; the app closes it. */
export async function listen(app: App): Promise<number> {
  await app.server.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.server.address() as AddressInfo).port;
}

/** Sends bytes and returns everything that comes back until the server closes the connection. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return await new Promise((resolve, reject) => {
    let received = "";
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(bytes));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      received += text;
    });
    socket.on("close", () => resolve(received));
    socket.on("error", reject);
  });
}

/** The error of a raw response. */
export function errorOf(response: string): { readonly code: string; readonly message: string } {
  return JSON.parse(response.slice(response.indexOf("\r\n\r\n") + 4)).error;
}
