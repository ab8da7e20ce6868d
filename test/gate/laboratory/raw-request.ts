// A request of the laboratory as bytes, which are written as Latin-1 text: one character is one byte.
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";

export interface RawRequest {
  readonly method: string;
  /** Without its question mark. */
  readonly query: string;
  /** Lines of headers, with line ends between them, but for those that carry the message. */
  readonly head: string;
  readonly body: string;
}

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** What goes over the wire for a path. */
export function bytesOf({ method, query, head, body }: RawRequest, path: string): string {
  const length = method === "GET" && body === "" ? [] : [`Content-Length: ${body.length}`];
  const lines = ["Host: shop.test", "Connection: close", ...length, ...(head === "" ? [] : [head])];
  const target = query === "" ? path : `${path}?${query}`;
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** The content of a message in chunks. */
function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 4 + length;
  }
}

/** Longer than the gate waits for anything. */
const SILENCE_MS = 60_000;

/** Nothing changes the bytes on their way. Of a connection that ends without a response the status is 0. */
export async function sendRaw(port: number, bytes: string): Promise<RawResponse> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write(bytes, "latin1");
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error("no response")));
  const got = await buffer(socket).catch((error: Error) => {
    if (error.message === "no response") throw new Error(`nothing came for ${JSON.stringify(bytes)}`);
    return Buffer.alloc(0);
  });
  const headEnd = got.indexOf("\r\n\r\n");
  const head = got.toString("latin1", 0, Math.max(0, headEnd));
  const body = got.subarray(headEnd + 4);
  const isChunked = /^transfer-encoding: *chunked/im.test(head);
  return { status: Number(head.slice(9, 12)), head, body: isChunked ? joinChunks(body) : body };
}
