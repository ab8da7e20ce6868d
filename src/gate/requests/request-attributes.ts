// What the evaluator reads of a request: its own parts, what costs something to find out, and the body where rules decide by it.
import { NO_BODY, decodeBody } from "../../firewall/evaluator/body/decode-body.ts";
import type { BodyProblem, DecodedBody } from "../../firewall/evaluator/body/decode-body.ts";
import type { RequestAttributes } from "../../firewall/evaluator/request/attributes.ts";
import { readingsOf, textReadings } from "../../firewall/evaluator/request/text-readings.ts";
import { NO_VALUES, Values } from "../../firewall/evaluator/request/values.ts";
import type { NamedValues } from "../../firewall/evaluator/request/values.ts";
import type { GateDecision, Reason } from "../decision.ts";
import type { Geo } from "../geo/geo-database.ts";
import type { GateRequest } from "../message.ts";
import type { PeekedBody } from "./peek-body.ts";

/** No rule may depend on what a request gathers on its way. */
const HIDDEN = new Set([
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
class ClientHeaders implements NamedValues {
  readonly #request: GateRequest;
  readonly #ja4Header: string | null;
  readonly #values = new Map<string, Values>();

  constructor(request: GateRequest, ja4Header: string | null) {
    this.#request = request;
    this.#ja4Header = ja4Header;
  }

  #isHidden(name: string): boolean {
    return name === this.#ja4Header || HIDDEN.has(name);
  }

  sent(name: string): readonly string[] {
    const { headers, host } = this.#request;
    // A rule may ask for a header that is called as something that all objects have.
    const value = name === "host" ? host : Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined || this.#isHidden(name)) return [];
    return typeof value === "string" ? [value] : value;
  }

  of(name: string): Values {
    const known = this.#values.get(name);
    if (known) return known;
    const sent = this.sent(name);
    if (sent.length === 0) return NO_VALUES;
    const values = new Values(readingsOf(sent));
    this.#values.set(name, values);
    return values;
  }

  eachName(): readonly string[] {
    const names = Object.keys(this.#request.headers).filter((name) => !this.#isHidden(name));
    // A proxy may say the host elsewhere.
    if (!names.includes("host")) names.push("host");
    return names;
  }
}

/** The headers that the client sent, each with the readings of its values. */
export function clientHeaders(
  request: GateRequest,
): readonly (readonly [name: string, values: readonly (readonly string[])[]])[] {
  const headers = new ClientHeaders(request, null);
  return headers.eachName().map((name) => [name, headers.sent(name).map(textReadings)] as const);
}

/** Attributes that are not in the request itself, and cost something to find out. */
interface Lookups {
  hasPassed(): boolean;
  findGeo(): Geo;
  /** The name of a verified bot. */
  findBot(): string | undefined;
}

/** What only some ways to evaluate read. */
export type OwnAttributes = Pick<RequestAttributes, "rateLimitApiId"> & { readonly body?: DecodedBody };

/** What costs something is computed when a rule first reads it: a pass is checked for those alone who would be challenged. */
class GateAttributes implements RequestAttributes {
  readonly url: string;
  readonly method: string;
  readonly ip?: string;
  readonly ja4?: string;
  readonly rateLimitApiId?: string;
  readonly body?: DecodedBody;
  readonly #request: GateRequest;
  readonly #ja4Header: string | null;
  readonly #lookups: Lookups;
  #headerValues: ClientHeaders | undefined;
  #geo: Geo | undefined;
  #bot: NonNullable<RequestAttributes["bot"]> | undefined;

  constructor(request: GateRequest, own: OwnAttributes, ja4Header: string | null, lookups: Lookups) {
    const { scheme, host, target, method, ip, ja4 } = request;
    this.url = `${scheme}://${host}${target}`;
    this.method = method;
    if (ip !== undefined) this.ip = ip;
    if (ja4 !== undefined) this.ja4 = ja4;
    if (own.rateLimitApiId !== undefined) this.rateLimitApiId = own.rateLimitApiId;
    if (own.body !== undefined) this.body = own.body;
    this.#request = request;
    this.#ja4Header = ja4Header;
    this.#lookups = lookups;
  }

  get headerValues(): NamedValues {
    return (this.#headerValues ??= new ClientHeaders(this.#request, this.#ja4Header));
  }

  get geo(): Geo {
    return (this.#geo ??= this.#lookups.findGeo());
  }

  get bot(): NonNullable<RequestAttributes["bot"]> {
    if (this.#bot) return this.#bot;
    const name = this.#lookups.findBot();
    return (this.#bot = name === undefined ? {} : { name, status: "verified" });
  }

  get challengePassed(): boolean {
    return this.#lookups.hasPassed() || this.bot.name !== undefined;
  }
}

/** What the evaluator reads of a request. */
export function attributesOf(
  request: GateRequest,
  own: OwnAttributes,
  ja4Header: string | null,
  lookups: Lookups,
): RequestAttributes {
  return new GateAttributes(request, own, ja4Header, lookups);
}

const BODY_REASONS = { undecodable: "body_undecodable", nul: "body_nul" } as const satisfies Record<
  BodyProblem["kind"],
  Reason
>;

/** Why rules see no value of a body. */
export type UnreadBody = { readonly reason: Reason } & Pick<GateDecision, "detail">;

/** What rules see of a body. */
export function bodyOf(
  request: GateRequest,
  read: PeekedBody,
): { readonly body: DecodedBody; readonly unread: UnreadBody | null } {
  if (read === "too_large") return { body: NO_BODY, unread: { reason: "body_too_large" } };
  if (read === "already_read") {
    return { body: NO_BODY, unread: { reason: "body_undecodable", detail: "it was read before the gate" } };
  }
  const headers = {
    contentType: request.headers["content-type"],
    contentEncoding: request.headers["content-encoding"],
  };
  const body = decodeBody(headers, read);
  const { problem } = body;
  return { body, unread: problem && { reason: BODY_REASONS[problem.kind], detail: problem.found } };
}
