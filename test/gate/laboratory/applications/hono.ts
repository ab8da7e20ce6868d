// Hono on its server for Node.js: the queries, cookies and forms that it reads, and what the platform's own parser of forms makes of a body.
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { Readings } from "./readings.ts";

export function honoApplication(): RequestListener {
  const app = new Hono();
  app.all("/*", async (c) => {
    const readings = new Readings();
    readings.addHeaders(c.req.header());
    readings.add("query", [], c.req.queries());
    readings.add("cookie", [], getCookie(c));
    const copy = c.req.raw.clone();
    readings.addJson(Buffer.from(await copy.arrayBuffer()));
    const body = await c.req.parseBody({ all: true, dot: true }).catch(() => ({}));
    await addForm(readings, [], body);
    return c.json(readings.all);
  });
  const listener = getRequestListener(app.fetch);
  return (message, res) => void listener(message, res);
}

async function addForm(readings: Readings, path: readonly string[], value: unknown): Promise<void> {
  if (value instanceof File) readings.addFile(path.join("."), value.name, await value.bytes());
  else if (Array.isArray(value)) for (const one of value) await addForm(readings, path, one);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) await addForm(readings, [...path, key], inner);
  } else readings.add("body", path, value);
}
