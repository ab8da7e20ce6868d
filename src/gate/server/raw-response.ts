// Responses as bytes, for connections that Node.js has no response for.
import { STATUS_CODES } from "node:http";
import type { GateResponse } from "../message.ts";

/** The head of a response that ends its connection. */
export function rawHead({ status, headers, body }: GateResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((text) => `${name}: ${text}`));
  const length = body === null ? 0 : Buffer.byteLength(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...lines,
    `content-length: ${length}`,
    "connection: close",
    "",
    "",
  ].join("\r\n");
}
