// The routes that need no credential: the document, the reference, health and metrics.
import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { JSON_TYPE } from "./accept.ts";
import type { Admission } from "./admission.ts";
import type { Trouble } from "./backend.ts";
import { describeApi } from "./openapi.ts";
import type { NamedEndpoint } from "./endpoint-facts.ts";
import { PUBLIC_ENDPOINTS } from "./public-endpoints.ts";
import type { PublicEndpointId } from "./public-endpoints.ts";
import { REFERENCE_HEADERS, renderReference } from "./reference-page.ts";
import { METRICS_TYPE } from "./metrics-page.ts";
import type { MetricsPage } from "./metrics-page.ts";
import { describeReadiness } from "./readiness-answer.ts";

export interface PublicRoutes {
  readonly admission: Pick<Admission, "enter">;
  findTroubles(): Promise<readonly Trouble[]>;
  readonly endpoints: readonly NamedEndpoint[];
  readonly version: string;
  readonly metrics: MetricsPage;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Serves a text that never changes while the process runs; built when it is first asked for. */
function serveText(contentType: string, build: () => string, headers: Readonly<Record<string, string>> = {}): Handler {
  // As bytes, which all answers share: however many clients are slow to take them, they lie in memory once.
  let built: { readonly bytes: Buffer; readonly etag: string } | undefined;
  return (request, reply) => {
    if (!built) {
      const text = build();
      built = { bytes: Buffer.from(text), etag: `"${hash("sha256", text, "base64url").slice(0, 22)}"` };
    }
    reply.headers({ ...headers, etag: built.etag, "cache-control": "no-cache" });
    if (request.headers["if-none-match"] === built.etag) return reply.code(304).send();
    return reply.header("content-type", contentType).send(built.bytes);
  };
}

export function addPublicRoutes(app: FastifyInstance, routes: PublicRoutes): void {
  const { admission, endpoints, version, metrics } = routes;
  const handlers: Readonly<Record<PublicEndpointId, Handler>> = {
    getOpenApi: serveText(JSON_TYPE, () => JSON.stringify(describeApi(endpoints, version))),
    getReference: serveText("text/html; charset=utf-8", () => renderReference(endpoints, version), REFERENCE_HEADERS),
    getLiveness: () => ({ status: "live" }),
    getReadiness: async () => describeReadiness(await routes.findTroubles()),
    async getMetrics(_request, reply) {
      return reply.header("content-type", METRICS_TYPE).send(await metrics.render());
    },
  };
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    admission.enter(reply.raw);
    done();
  };
  for (const { id, path } of PUBLIC_ENDPOINTS)
    app.route({ method: "GET", url: path, onRequest, handler: handlers[id] });
}
