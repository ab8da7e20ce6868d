// The routes of the authorization server, by which programs get access tokens that a person approves. Its protocol has errors of its
// own form: {"error": "...", "error_description": "..."}. RFC 6749, section 5.2
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { OAuth } from "../oauth-server/oauth.ts";
import type { Admission } from "../../platform/http/limits/admission.ts";
import type { RateLimiter } from "../../platform/http/limits/rate-limit.ts";
import { PAGE_HEADERS, renderPage } from "./page-frame.ts";
import { html } from "../../platform/kernel/text/html.ts";
import { JSON_TYPE, chooseMediaType } from "../../platform/http/requests/accept.ts";
import { originOf } from "../../platform/http/requests/operation-request.ts";
import { countProgram } from "../../platform/http/requests/request-guards.ts";
import { askForBody } from "../../platform/http/requests/request-head.ts";
import { ownHost, ownOrigin } from "../../platform/http/requests/same-origin.ts";
import type { RenderError } from "../../platform/http/responses/error-response.ts";
import type { SendError } from "../../platform/http/responses/send-error.ts";

export interface OAuthRoutes {
  readonly oauth: OAuth;
  readonly admission: Pick<Admission, "enter" | "admit">;
  readonly limiter: RateLimiter | null;
  readonly clock: Clock;
  /** Base of absolute URLs, without a slash at the end; empty: none is set. */
  readonly publicUrl: string;
  readonly sendError: SendError;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/;

/**
 * The URL under which clients know this server. Without a public URL it is what the client itself called, and only on this machine:
 * elsewhere a proxy or a name server of somebody else could decide it.
 */
function issuerOf(request: FastifyRequest, publicUrl: string): string {
  if (publicUrl !== "" || LOOPBACK.test(request.headers.host ?? "")) return publicUrl || ownOrigin(request, publicUrl);
  throw new ApiError("bad_request", "Signing programs in from other machines needs a public URL: set REEVE_PUBLIC_URL");
}

/** The protocol's word for a refusal that the protocol does not know. */
function nameError({ status }: Pick<ApiError, "status">): string {
  if (status === 503 || status === 507 || status === 429) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
}

const renderOAuthError: RenderError = ({ status, code, message }, { requestId, docsUrl }) => ({
  status,
  contentType: JSON_TYPE,
  body: JSON.stringify({
    error: nameError({ status }),
    error_description: message,
    code,
    requestId,
    error_uri: `${docsUrl}#${code}`,
  }),
});

/** Of a public URL with a path, clients insert the well-known part between host and path. RFC 8414, section 3.1 */
function metadataPaths(publicUrl: string): readonly string[] {
  const wellKnown = "/.well-known/oauth-authorization-server";
  const path = publicUrl === "" ? "" : new URL(publicUrl).pathname.replace(/\/$/, "");
  return path === "" ? [wellKnown] : [wellKnown, wellKnown + path];
}

/** A browser that a program has opened shows its person what went wrong. */
function isForPeople({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && chooseMediaType(headers.accept, ["application/json", "text/html"]) === "text/html";
}

function sendPage(reply: FastifyReply, host: string, status: number, body: unknown): FastifyReply {
  const { error_description: problem } = (body ?? {}) as { readonly error_description?: string };
  const content = html`<p>The program that opened this page has asked for something that can't be given.</p>`;
  const shown = problem === undefined ? null : { text: problem };
  const page = renderPage({ title: "That did not work", content, problem: shown }, { root: "../console/", host });
  return reply
    .code(status)
    .headers({ ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" })
    .send(page);
}

export function addOAuthRoutes(
  app: FastifyInstance,
  { oauth, admission, limiter, clock, publicUrl, sendError }: OAuthRoutes,
): void {
  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const about = { issuer: issuerOf(request, publicUrl), origin: originOf(request) };
    const { status, body } = await oauth.handle(request.raw, reply.raw, about);
    if (status >= 400 && isForPeople(request)) return sendPage(reply, ownHost(request, publicUrl), status, body);
    if (typeof body !== "object") return reply.code(status).send(body);
    return reply.code(status).header("content-type", JSON_TYPE).send(JSON.stringify(body));
  }

  const admitTo =
    (kind: "read" | "write"): onRequestHookHandler =>
    (request, reply, done) => {
      admission.admit(kind, reply.raw);
      countProgram(limiter, request, reply, clock());
      askForBody(reply.raw);
      done();
    };

  app.register((scope, _options, done) => {
    // The library reads bodies itself, up to 56 KiB.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, renderOAuthError));
    for (const url of metadataPaths(publicUrl)) {
      scope.route({
        method: "GET",
        url,
        config: { operation: "oauth/metadata" },
        onRequest(_request, reply, next) {
          admission.enter(reply.raw);
          next();
        },
        handler: async (request) => oauth.describe(issuerOf(request, publicUrl)),
      });
    }
    for (const { method, path } of oauth.endpoints) {
      const kind = method === "GET" ? "read" : "write";
      scope.route({
        method,
        url: path,
        config: { operation: path.slice(1) },
        onRequest: admitTo(kind),
        handler: handle,
      });
    }
    done();
  });
}
