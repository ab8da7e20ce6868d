// The routes that need no credential: the API document, the documentation, health, metrics and the pages of mail links.
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { JSON_TYPE, acceptsEncoding, chooseMediaType } from "../../platform/http/requests/accept.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Admission } from "../../platform/http/limits/admission.ts";
import type { FailedCheck } from "../../platform/operations/operation-runner.ts";
import { describeApi } from "../reference/openapi.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";
import { PUBLIC_ENDPOINTS } from "../../platform/http/public-endpoints.ts";
import type { PublicEndpointId } from "../../platform/http/public-endpoints.ts";
import { headerOf } from "../../platform/http/requests/operation-request.ts";
import { countGuess } from "../../platform/http/requests/request-guards.ts";
import type { RateLimiter } from "../../platform/http/limits/rate-limit.ts";
import { leadToOwnName } from "../../platform/http/requests/own-name.ts";
import type { CreateBodyParser } from "../../platform/http/requests/read-body.ts";
import { askForBody } from "../../platform/http/requests/request-head.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { entityTag, namesTag } from "../../platform/kernel/revision.ts";
import { ownHost } from "../../platform/http/requests/same-origin.ts";
import { MAIL_PAGE_HEADERS, renderMailPage } from "./mail-page.ts";
import type { MailLinks, MailStop } from "./mail-page.ts";
import { serveDocumentation } from "./documentation.ts";
import type { Documentation } from "./documentation.ts";
import { METRICS_TYPE } from "../../platform/http/metrics-page.ts";
import type { MetricsPage } from "../../platform/http/metrics-page.ts";
import { describeReadiness } from "../../platform/http/readiness.ts";

export interface PublicRoutes {
  readonly admission: Pick<Admission, "enter" | "admit">;
  readonly createParser: CreateBodyParser;
  /** Counts invalid mail links like wrong credentials; null: there is no rate limit. */
  readonly limiter: RateLimiter | null;
  readonly clock: Clock;
  readonly mailLinks: MailLinks;
  findFailedChecks(): Promise<readonly FailedCheck[]>;
  readonly endpoints: readonly NamedEndpoint[];
  readonly version: string;
  /** Base of absolute URLs, without a slash at the end; empty: none is set. */
  readonly publicUrl: string;
  readonly metrics: MetricsPage;
  /** Null: it was not built. */
  readonly documentation: Documentation | null;
}

const MAX_FORM_BYTES = 16_384;

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => unknown;

interface Representation {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>> & { readonly etag: string };
}

const compress = promisify(gzip);

/** A text, plain and compressed. All responses share the bytes, so slow clients do not multiply them in memory. */
async function represent(
  text: string,
): Promise<{ readonly plain: Representation; readonly compressed: Representation }> {
  const headers = { "cache-control": "no-cache", vary: "accept-encoding" };
  const represented = (bytes: Buffer, more = {}): Representation => {
    // A cache must not take one of the two for the other.
    const etag = entityTag(hash("sha256", bytes, "base64url").slice(0, 22));
    return { bytes, headers: { ...headers, etag, ...more } };
  };
  return {
    plain: represented(Buffer.from(text)),
    compressed: represented(await compress(text), { "content-encoding": "gzip" }),
  };
}

/** Serves a text that is constant while the process runs. It is built for the first request. */
function serveText(contentType: string, build: () => string): RouteHandler {
  let built: ReturnType<typeof represent> | undefined;
  const make = async () => await represent(build());
  return async (request, reply) => {
    const { plain, compressed } = await (built ??= make());
    const chosen = acceptsEncoding(request.headers["accept-encoding"], "gzip") ? compressed : plain;
    reply.headers(chosen.headers);
    if (namesTag(headerOf(request, "if-none-match") ?? "", chosen.headers.etag)) return reply.code(304).send();
    return reply.header("content-type", contentType).send(chosen.bytes);
  };
}

/**
 * Browsers are led to the console; other clients get the 404 that names the API document. The locations are relative, because a
 * proxy may serve Reeve below a path.
 */
const REDIRECTS: Readonly<Record<string, RouteHandler>> = {
  "/"(request, reply) {
    const wanted = chooseMediaType(request.headers.accept, ["application/json", "text/html"]);
    return wanted === "text/html" ? reply.redirect("console/") : reply.callNotFound();
  },
  "/docs": (_request, reply) => reply.redirect("docs/"),
};

function serveMailPage(
  { limiter, clock, publicUrl }: Pick<PublicRoutes, "limiter" | "clock" | "publicUrl">,
  find: (token: string) => Promise<MailStop | undefined>,
): RouteHandler {
  return async (request, reply) => {
    const { token } = request.params as { readonly token: string };
    const found = await find(token);
    if (!found) {
      countGuess(limiter, request, reply, clock());
      throw new ApiError("not_found", "This link leads to no team, or to one that is no more");
    }
    return reply
      .headers({ ...MAIL_PAGE_HEADERS, "content-type": "text/html; charset=utf-8" })
      .send(renderMailPage(token, found, ownHost(request, publicUrl)));
  };
}

/** The API's document; with `aliases=true` all paths of each operation are in it. */
function serveDocument({ endpoints, version }: PublicRoutes): RouteHandler {
  const serve = (aliases: boolean) =>
    serveText(JSON_TYPE, () => JSON.stringify(describeApi(endpoints, version, { aliases })));
  const [short, whole] = [serve(false), serve(true)];
  return (request, reply) => (/[?&]aliases=true(?:&|$)/.test(request.url) ? whole : short)(request, reply);
}

function servePages({ documentation, publicUrl }: PublicRoutes): RouteHandler {
  return async (request, reply) =>
    leadToOwnName(request, reply, publicUrl) ? reply : await serveDocumentation(documentation, request, reply);
}

export function addPublicRoutes(app: FastifyInstance, options: PublicRoutes): void {
  const { admission, metrics, mailLinks } = options;
  const pages = servePages(options);
  const handlers: Readonly<Record<Exclude<PublicEndpointId, "exchangeIdentity">, RouteHandler>> = {
    getOpenApi: serveDocument(options),
    getDocumentation: pages,
    getLiveness: () => ({ status: "live" }),
    getReadiness: async () => describeReadiness(await options.findFailedChecks()),
    async getMetrics(_request, reply) {
      return reply.header("content-type", METRICS_TYPE).send(await metrics.render());
    },
    getMailStop: serveMailPage(options, (token) => mailLinks.find(token)),
    stopMail: serveMailPage(options, (token) => mailLinks.change(token, true)),
    resumeMail: serveMailPage(options, (token) => mailLinks.change(token, false)),
  };
  const enter: onRequestHookHandler = (_request, reply, done) => {
    admission.enter(reply.raw);
    done();
  };
  const admitTo =
    (kind: "read" | "write"): onRequestHookHandler =>
    (_request, reply, done) => {
      admission.admit(kind, reply.raw);
      askForBody(reply.raw);
      done();
    };
  // The exchange of tokens has routes of its own (identity-routes.ts).
  const served = PUBLIC_ENDPOINTS.filter((endpoint) => endpoint.id !== "exchangeIdentity");
  const routes = served.map(({ id, method, path }) => ({
    method,
    url: path.replace(/\{(\w+)\}/g, ":$1"),
    config: { operation: id },
    handler: handlers[id],
    onRequest: path.startsWith("/mail/") ? admitTo(method === "GET" ? "read" : "write") : enter,
  }));
  for (const route of routes) if (route.method === "GET") app.route(route);
  for (const [url, handler] of Object.entries({ ...REDIRECTS, "/docs/": pages })) {
    app.route({ method: "GET", url, config: { operation: "getDocumentation" }, onRequest: enter, handler });
  }
  // Mail programs send a form as the body. It is ignored, because the path says everything.
  app.register((scope, _scopeOptions, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      options.createParser(() => null),
    );
    for (const route of routes) if (route.method === "POST") scope.route({ ...route, bodyLimit: MAX_FORM_BYTES });
    done();
  });
}
