// A relay of TCP in front of Reeve that can hold back the rest of an export, so that a test sees what a client has by then.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { after } from "node:test";

export interface HoldingRelay {
  readonly port: number;
  /** From now on holds everything that follows what Reeve writes first of an export. */
  hold(): Hold;
  /** Ends every connection, and takes no more. */
  close(): Promise<void>;
}

interface Hold {
  /** Ends it, and returns whether something was held. */
  release(): boolean;
}

/** The end of what Reeve wrote first of an export, as a whole chunk of HTTP; -1: it has not been sent yet, or this is no export. */
function firstWriteEnd(sent: string): number {
  const start = sent.lastIndexOf("HTTP/1.1 200");
  const bodyAt = sent.indexOf("\r\n\r\n", start) + 4;
  const head = sent.slice(start, bodyAt);
  if (bodyAt < 4 || !/^content-type: application\/x-ndjson/im.test(head)) return -1;
  if (!/^transfer-encoding: chunked/im.test(head)) return sent.indexOf("}\n", bodyAt) + 2;
  const [line = "", size = ""] = /^([0-9a-f]+)\r\n/.exec(sent.slice(bodyAt)) ?? [];
  return size === "" ? -1 : bodyAt + line.length + Number.parseInt(size, 16) + "\r\n".length;
}

export async function startHoldingRelay(targetPort: number): Promise<HoldingRelay> {
  const clients = new Set<Socket>();
  let holding: { hasHeld: boolean; readonly over: PromiseWithResolvers<void> } | null = null;

  async function pass(target: Socket, client: Socket): Promise<void> {
    let sent = "";
    for await (const chunk of target as AsyncIterable<Buffer>) {
      const before = sent.length;
      if (holding) sent += chunk.toString("latin1");
      const cut = holding ? firstWriteEnd(sent) - before : -1;
      if (holding && cut >= 0 && cut <= chunk.length) {
        holding.hasHeld = true;
        client.write(chunk.subarray(0, cut));
        await holding.over.promise;
        sent = "";
        client.write(chunk.subarray(cut));
      } else if (!client.write(chunk)) await once(client, "drain");
    }
    client.end();
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    clients.add(client);
    client
      .on("error", () => target.destroy())
      .on("close", () => {
        clients.delete(client);
        target.destroy();
      });
    target.on("error", () => client.destroy()).on("close", () => target.readableEnded || client.destroy());
    client.pipe(target);
    pass(target, client).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const client of clients) client.destroy();
    await closed;
  }
  after(close);
  return {
    port: (server.address() as AddressInfo).port,
    close,
    hold() {
      const own = { hasHeld: false, over: Promise.withResolvers<void>() };
      holding = own;
      return {
        release() {
          holding = null;
          own.over.resolve();
          return own.hasHeld;
        },
      };
    },
  };
}
