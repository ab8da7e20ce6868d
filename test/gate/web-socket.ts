// A WebSocket by hand: an application that takes it, and a client that asks for it.
import { hash } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { after } from "node:test";

/** Takes whatever protocol a client wants, and says what it gets, behind the decision that it was told. Returns the connections so far. */
export function takeWebSockets(server: Server): readonly Socket[] {
  const upgraded: Socket[] = [];
  server.on("upgrade", (message: IncomingMessage, socket: Socket) => {
    upgraded.push(socket);
    socket.on("end", () => socket.end());
    const key = `${message.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    // Some proxies pass on no other answer.
    const accept = `Sec-WebSocket-Accept: ${hash("sha1", key, "base64")}`;
    const protocol = `Upgrade: ${message.headers.upgrade}`;
    const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", protocol, accept, "", ""];
    socket.write(lines.join("\r\n"));
    socket.on("data", (data: Buffer) =>
      socket.write(`${String(message.headers["x-reeve-decision"]).split(";")[0]}:${data.toString()}`),
    );
    socket.on("error", () => undefined);
  });
  return upgraded;
}

/** Asks for one, and returns what came first. */
export async function upgrade(
  url: string,
  target: string,
  userAgent = "Mozilla/5.0",
  protocols: readonly string[] = ["websocket"],
): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  after(() => socket.destroy());
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: shop.test\r\nUser-Agent: ${userAgent}\r\nConnection: Upgrade\r\n` +
      protocols.map((protocol) => `Upgrade: ${protocol}\r\n`).join("") +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [head] = (await once(socket, "data")) as [Buffer];
  return { socket, head: head.toString() };
}

/** What comes back for a text. */
export async function say(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [data] = (await once(socket, "data")) as [Buffer];
  return data.toString();
}
