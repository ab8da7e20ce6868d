// Headers as node:http takes them fastest: names and values in turn.
import type { FastifyReply } from "fastify";

export type HeaderList = readonly string[];

/** Sets them on an answer of the framework. */
export function setHeaders(reply: FastifyReply, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] as string, headers[at + 1]);
}
