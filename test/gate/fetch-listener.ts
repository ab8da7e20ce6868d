// Serves a handler of web-standard requests over HTTP.
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";

export function listenerOf(handler: Parameters<typeof getRequestListener>[0]): RequestListener {
  const listener = getRequestListener(handler);
  return (message, res) => void listener(message, res);
}
