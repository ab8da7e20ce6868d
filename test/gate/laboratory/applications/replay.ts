// A request whose body was read, for further parsers that read it themselves.
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

export const readWhole = (message: IncomingMessage): Promise<Buffer> => buffer(message);

export function replay({ headers, method, url }: IncomingMessage, body: Buffer): IncomingMessage {
  return Object.assign(Readable.from(body.length > 0 ? [body] : [], { objectMode: false }), {
    headers,
    method,
    url,
  }) as unknown as IncomingMessage;
}
