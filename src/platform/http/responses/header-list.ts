// Headers in the form that node:http processes fastest: names and values in turn.
import type { FastifyReply } from "fastify";

export type HeaderList = readonly string[];

/** Sets the headers on a reply of the framework. */
export function setHeaders(reply: FastifyReply, headers: HeaderList): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] as string, headers[at + 1]);
}
