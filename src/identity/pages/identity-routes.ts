// The route that exchanges a signed token of another issuer for an API key. Anyone who calls it has no credential yet. Its protocol has
// errors of its own form, {"error": "...", "error_description": "..."} (RFC 8693, section 2.2.2); `code` is that of the API, whose
// own form `Accept: application/problem+json` asks for.
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { isJsonType, parseJsonBody } from "../../platform/kernel/text/json-body.ts";
import { readForm } from "../../platform/http/requests/form-values.ts";
import type { WorkloadIdentity } from "../workload/exchange/workload-identity.ts";
import type { Admission } from "../../platform/http/limits/admission.ts";
import type { RateLimiter } from "../../platform/http/limits/rate-limit.ts";
import { JSON_TYPE } from "../../platform/http/requests/accept.ts";
import { originOf } from "../../platform/http/requests/operation-request.ts";
import { countGuess, countProgram } from "../../platform/http/requests/request-guards.ts";
import type { CreateBodyParser } from "../../platform/http/requests/read-body.ts";
import { askForBody } from "../../platform/http/requests/request-head.ts";
import { renderError } from "../../platform/http/responses/error-response.ts";
import type { RenderError } from "../../platform/http/responses/error-response.ts";
import type { SendError } from "../../platform/http/responses/send-error.ts";

export interface IdentityRoutes {
  readonly identity: WorkloadIdentity;
  readonly admission: Pick<Admission, "admit">;
  readonly limiter: RateLimiter | null;
  readonly clock: Clock;
  readonly sendError: SendError;
  readonly createParser: CreateBodyParser;
}

const MAX_BYTES = 65_536;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;|$)/i;

/** The protocol's words for what is wrong with a parameter. */
const FIELD_ERRORS: Readonly<Record<string, string>> = {
  grant_type: "unsupported_grant_type",
  scope: "invalid_scope",
  resource: "invalid_target",
};

function nameError({ status, details }: ApiError): string {
  if (status === 503 || status === 507 || status === 429) return "temporarily_unavailable";
  if (status >= 500) return "server_error";
  return FIELD_ERRORS[String(details["field"])] ?? "invalid_request";
}

const renderExchangeError: RenderError = (error, context) => {
  if (context.accept?.includes("application/problem+json")) return renderError(error, context);
  const { code, message, status } = error;
  const about = { code, requestId: context.requestId, error_uri: `${context.docsUrl}#${code}` };
  const body = { error: nameError(error), error_description: message, ...about };
  return { status, contentType: JSON_TYPE, body: JSON.stringify(body) };
};

type Parameters = Readonly<Record<string, unknown>>;

/** A parameter that occurs twice becomes a list, which no parameter may be. */
function parseForm(bytes: Buffer): Parameters {
  return Object.fromEntries(
    [...readForm(bytes)].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

function parseBody(type: string, bytes: Buffer): Parameters {
  if (FORM_TYPE.test(type)) return parseForm(bytes);
  if (!isJsonType(type)) {
    throw new ApiError(
      "unsupported_media_type",
      "Content-Type: expected application/x-www-form-urlencoded or application/json",
    );
  }
  const body: unknown = parseJsonBody(bytes);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Parameters;
  throw new ApiError("bad_request", "body: expected an object");
}

export function addIdentityRoutes(
  app: FastifyInstance,
  { identity, admission, limiter, clock, sendError, createParser }: IdentityRoutes,
): void {
  const admit: onRequestHookHandler = (request, reply, done) => {
    admission.admit("write", reply.raw);
    countProgram(limiter, request, reply, clock());
    askForBody(reply.raw);
    done();
  };
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      createParser((bytes, request) => parseBody(request.headers["content-type"] ?? "", bytes)),
    );
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply, renderExchangeError));
    scope.route({
      method: "POST",
      url: "/v1/identity/exchange",
      config: { operation: "exchangeIdentity" },
      bodyLimit: MAX_BYTES,
      onRequest: admit,
      async handler(request: FastifyRequest, reply) {
        const parameters = (request.body ?? {}) as Parameters;
        try {
          const exchanged = await identity.exchange(
            (name) => (Object.hasOwn(parameters, name) ? parameters[name] : undefined),
            originOf(request),
          );
          limiter?.uncountProgram(request.ip, clock());
          return await reply.header("content-type", JSON_TYPE).send(JSON.stringify(exchanged));
        } catch (error) {
          // A wrong token is a guess like any other.
          if (error instanceof ApiError && error.code === "identity_refused")
            countGuess(limiter, request, reply, clock());
          throw error;
        }
      },
    });
    done();
  });
}
