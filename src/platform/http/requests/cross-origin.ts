// What pages of other origins may do: with a credential in a header they may call the API, where the operator names their origin. A cookie
// never counts there, so responses do not allow any. https://fetch.spec.whatwg.org/#http-cors-protocol
import type { FastifyReply, FastifyRequest } from "fastify";
import { setHeaders } from "../responses/header-list.ts";
import type { HeaderList } from "../responses/header-list.ts";

/** Browsers show scripts no others than these, and a few of their own list. */
const EXPOSED =
  "ETag, Link, Retry-After, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy";
const SHARED: HeaderList = ["access-control-expose-headers", EXPOSED];
/** Two hours, which is as long as any browser remembers it. */
const MAX_AGE = "7200";
const HEADER_NAMES = /^[\w\-, \t]{1,2000}$/;

/** Sets what lets a page of a named origin read a response. */
export function shareWith(origins: readonly string[], { headers }: FastifyRequest, reply: FastifyReply): boolean {
  if (origins.length === 0) return false;
  reply.header("vary", "origin");
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return false;
  setHeaders(reply, ["access-control-allow-origin", origin, ...SHARED]);
  return true;
}

/** Answers the question that a browser asks before a request, if it is one and its page's origin is named. */
export function answerPreflight(
  origins: readonly string[],
  methods: string,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!shareWith(origins, request, reply)) return;
  const { "access-control-request-method": method, "access-control-request-headers": names } = request.headers;
  if (method === undefined) return;
  reply.header("vary", "origin, access-control-request-method, access-control-request-headers");
  setHeaders(reply, ["access-control-allow-methods", methods, "access-control-max-age", MAX_AGE]);
  if (names !== undefined && HEADER_NAMES.test(names)) reply.header("access-control-allow-headers", names);
}
