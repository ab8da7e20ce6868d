// What the evaluator reads of a request: its own parts, what costs something to find out, and the body where rules decide by it.
import { NO_BODY, decodeBody } from "../../evaluator/body/decode-body.ts";
import type { BodyProblem, DecodedBody } from "../../evaluator/body/decode-body.ts";
import type { RequestAttributes } from "../../evaluator/request/attributes.ts";
import type { Reason } from "../decision.ts";
import type { Geo } from "../geo/geo-database.ts";
import { headerOf } from "../message.ts";
import type { GateRequest } from "../message.ts";
import type { PeekedBody } from "./peek-body.ts";

/** Proxies add these on the way, and clients may send them: no rule may depend on them. */
const NOT_OF_THE_CLIENT = new Set([
  "connection",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-method",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-forwarded-uri",
  "x-original-method",
  "x-original-uri",
  "x-real-ip",
  "x-reeve-decision",
]);

/** The headers that the client sent. `ja4Header` is one that its proxy has set. */
export function clientHeaders(
  { headers }: GateRequest,
  ja4Header: string | null = null,
): Record<string, string | readonly string[]> {
  const own: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && name !== ja4Header && !NOT_OF_THE_CLIENT.has(name)) own[name] = value;
  }
  return own;
}

/** Attributes that are not in the request itself, and cost something to find out. */
interface Lookups {
  hasPassed(): boolean;
  findGeo(): Geo;
  /** The name of a verified bot. */
  findBot(): string | undefined;
}

/** What the evaluator reads of a request. */
export function attributesOf(
  request: GateRequest,
  own: Partial<RequestAttributes>,
  ja4Header: string | null,
  { hasPassed, findGeo, findBot }: Lookups,
): RequestAttributes {
  const { method, scheme, host, target, ip, ja4 } = request;
  let geo: Geo | undefined;
  let bot: RequestAttributes["bot"];
  function readBot(): NonNullable<RequestAttributes["bot"]> {
    if (bot) return bot;
    const name = findBot();
    return (bot = name === undefined ? {} : { name, status: "verified" });
  }
  return {
    url: `${scheme}://${host}${target}`,
    method,
    headers: { ...clientHeaders(request, ja4Header), host },
    ...(ip !== undefined && { ip }),
    ...(ja4 !== undefined && { ja4 }),
    ...own,
    // Computed when they are read: a pass is checked for those alone who would be challenged.
    get geo() {
      return (geo ??= findGeo());
    },
    get bot() {
      return readBot();
    },
    get challengePassed() {
      return hasPassed() || readBot().name !== undefined;
    },
  };
}

const BODY_REASONS = { undecodable: "body_undecodable", nul: "body_nul" } as const satisfies Record<
  BodyProblem,
  Reason
>;

/** What rules see of a body, and why they see none of it. */
export function bodyOf(
  request: GateRequest,
  read: PeekedBody,
): { readonly body: DecodedBody; readonly reason: Reason | null } {
  if (read === "too_large") return { body: NO_BODY, reason: "body_too_large" };
  const headers = {
    contentType: headerOf(request, "content-type"),
    contentEncoding: headerOf(request, "content-encoding"),
  };
  const body = decodeBody(headers, read);
  return { body, reason: body.problem && BODY_REASONS[body.problem] };
}
