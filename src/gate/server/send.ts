// Writes the gate's own responses, and reads the small bodies that it takes.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { GateResponse } from "../message.ts";

export function send(message: IncomingMessage, res: ServerResponse, { status, headers, body }: GateResponse): void {
  const length = body === null ? 0 : Buffer.byteLength(body);
  res.writeHead(status, { ...(headers as OutgoingHttpHeaders), "content-length": length });
  res.end(message.method === "HEAD" || body === null ? undefined : body);
}

/** A sentence to anyone who reads responses by hand. */
export function textResponse(status: number, text: string): GateResponse & { readonly body: string } {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
  return { status, headers, body: `${text}\n` };
}

export function sendText(message: IncomingMessage, res: ServerResponse, status: number, text: string): void {
  send(message, res, textResponse(status, text));
}

/** The body as text; null: it has more bytes than that. Rejects when the client has gone. */
export async function readBody(message: IncomingMessage, most: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += (chunk as Buffer).length;
    if (bytes > most) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
