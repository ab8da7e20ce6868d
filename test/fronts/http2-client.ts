// A client of HTTP/2 that does its duty when a server ends a connection with GOAWAY: it sends the requests that the server has not
// processed, and says so, again on a new connection (RFC 9113, 6.8 and 8.7). It repeats no other request.
import { connect, constants } from "node:http2";
import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2";
import { after } from "node:test";
import { text } from "node:stream/consumers";
import { connectFrom } from "./front-world.ts";

export interface Http2Client {
  readonly counts: { goaways: number; resent: number };
  send(method: string, path: string, headers: object, body?: string): Promise<{ status: number; text: string }>;
}

/** All requests share one connection. */
export function openHttp2(url: string, address: string): Http2Client {
  const counts = { goaways: 0, resent: 0 };
  let session: ClientHttp2Session | undefined;
  after(() => session?.destroy());

  function open(): ClientHttp2Session {
    const opened = connect(url, connectFrom(address));
    const leave = () => {
      if (session === opened) session = undefined;
    };
    opened.on("goaway", () => {
      counts.goaways++;
      leave();
    });
    // Its requests fail too.
    opened.on("error", leave);
    opened.on("close", leave);
    return opened;
  }

  return {
    counts,
    async send(method, path, headers, body) {
      for (;;) {
        session ??= open();
        const stream = session.request({ ":method": method, ":path": path, ...headers });
        stream.end(body);
        try {
          const answered = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
            stream.once("response", resolve).once("error", reject);
            stream.once("close", () => reject(new Error(`the stream was closed with code ${stream.rstCode}`)));
          });
          return { status: Number(answered[":status"]), text: await text(stream) };
        } catch (error) {
          // Node.js closes in the same way the requests that come after the last one of a GOAWAY.
          if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM) throw error;
          counts.resent++;
        }
      }
    },
  };
}
