// The routes that need no credential: the document, the reference, health and metrics.
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";
import type { Backend } from "./backend.ts";
import { describeApi } from "./openapi.ts";
import type { NamedEndpoint } from "./endpoint-facts.ts";
import { PUBLIC_ENDPOINTS } from "./public-endpoints.ts";
import type { PublicEndpointId } from "./public-endpoints.ts";
import { REFERENCE_HEADERS, renderReference } from "./reference-page.ts";
import type { RequestMetrics } from "./request-metrics.ts";

export interface PublicRoutes {
  readonly backend: Backend;
  readonly endpoints: readonly NamedEndpoint[];
  readonly version: string;
  readonly metrics: RequestMetrics;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Serves a text that never changes while the process runs; built when it is first asked for. */
function serveText(contentType: string, build: () => string, headers: Readonly<Record<string, string>> = {}): Handler {
  let built: { readonly text: string; readonly etag: string } | undefined;
  return (request, reply) => {
    if (!built) {
      const text = build();
      built = { text, etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"` };
    }
    reply.headers({ ...headers, etag: built.etag, "cache-control": "no-cache" });
    if (request.headers["if-none-match"] === built.etag) return reply.code(304).send();
    return reply.header("content-type", contentType).send(built.text);
  };
}

export function addPublicRoutes(app: FastifyInstance, { backend, endpoints, version, metrics }: PublicRoutes): void {
  const handlers: Readonly<Record<PublicEndpointId, Handler>> = {
    getOpenApi: serveText("application/json; charset=utf-8", () => JSON.stringify(describeApi(endpoints, version))),
    getReference: serveText("text/html; charset=utf-8", () => renderReference(endpoints, version), REFERENCE_HEADERS),
    getLiveness: () => ({ status: "live" }),
    async getReadiness(request) {
      const trouble = await backend.findTrouble();
      if (trouble === null) return { status: "ready" };
      // What the store said may name hosts and files: it is for the log.
      request.log.warn({ trouble, requestId: request.id }, "not ready");
      throw new ApiError("store_unavailable", "The store does not answer");
    },
    async getMetrics(_request, reply) {
      return reply.header("content-type", "text/plain; version=0.0.4; charset=utf-8").send(await metrics.render());
    },
  };
  for (const { id, path } of PUBLIC_ENDPOINTS) app.route({ method: "GET", url: path, handler: handlers[id] });
}
