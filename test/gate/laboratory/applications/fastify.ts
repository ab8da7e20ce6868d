// Fastify with its own parsers of queries and JSON, and with its plugin for forms.
import { parseCookie } from "cookie";
import formBody from "@fastify/formbody";
import Fastify from "fastify";
import type { FastifyInstance } from "fastify";
import { Readings } from "./readings.ts";

export async function fastifyApplication(): Promise<FastifyInstance> {
  const app = Fastify();
  await app.register(formBody);
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.all("/*", ({ headers, query, body }) => {
    const readings = new Readings();
    readings.addHeaders(headers);
    readings.add("query", [], query);
    readings.add("cookie", [], parseCookie(headers.cookie ?? ""));
    if (Buffer.isBuffer(body)) readings.addJson(body);
    else if (typeof body === "object" && body !== null) {
      readings.add("body", [], body, headers["content-type"]?.includes("form") ?? false);
    }
    return readings.all;
  });
  app.setErrorHandler(() => []);
  await app.ready();
  return app;
}
