// Reads the request of a client from the request that reached the gate: it is that request itself, or a proxy describes it in headers.
// Each way reads its own headers alone: with several, a client could choose by which of them its request is judged.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { TLSSocket } from "node:tls";
import type { GateRequest } from "../message.ts";
import { elementAt, readScheme } from "./forwarded-values.ts";
import { findForeignName, isForeign } from "./header-names.ts";
import { WHOLE_SERVER } from "./request-target.ts";
import type { Client, TrustedProxies } from "./trusted-proxies.ts";

/** The request cannot be judged; the message says what was expected, for the operator. */
export interface Unreadable {
  readonly unreadable: string;
}

export type ReadRequest = GateRequest | Unreadable;

export function isUnreadable(request: ReadRequest): request is Unreadable {
  return "unreadable" in request;
}

/** Names, and addresses in brackets, without the further characters that RFC 3986 allows and no host uses. URL parsers decode `%`. */
const HOST = /^(?:[\w.-]+|\[(?=[^\]]*:)[\da-f:.]+(?:%[\w.~%-]+)?\])(?::\d{0,5})?$/i;
const PORT = /:\d*$/;
/** URL parsers read `127.1` and `0x7f.1` as 127.0.0.1: what ends in a number has to be an address as it is usually written. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[\da-f]*)\.?(?::\d*)?$/i;
const METHOD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}$/;
const MAX_TARGET_LENGTH = 16_384;
/** Of a name that a client has chosen. */
const MAX_SHOWN = 100;

function isHost(host: string): boolean {
  return HOST.test(host) && (!ENDS_IN_NUMBER.test(host) || isIPv4(host.replace(PORT, "")));
}

function one(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What a proxy says of a request, and where it has to say it. */
interface Described {
  readonly names: { readonly method: string; readonly host: string; readonly target: string };
  readonly method: string | undefined;
  readonly host: string | undefined;
  readonly target: string | undefined;
  readonly client: Client;
  /** Undefined: nobody who is believed says it. */
  readonly forwardedProto: string | undefined;
}

function clientOf({ headers, socket }: IncomingMessage, trust: TrustedProxies): Client {
  return trust.clientOf(socket.remoteAddress ?? "", one(headers, "x-forwarded-for"));
}

/** Whether a header was sent several times. Few requests do that, and Node.js makes lists of all headers when they are first read. */
function repeatsHeader({ headers, rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length !== 2 * Object.keys(headers).length;
}

function requestOf(
  { method, host, target: said, client, forwardedProto, names }: Described,
  { scheme: ownScheme, headers, ja4 }: Pick<GateRequest, "scheme" | "headers" | "ja4">,
): ReadRequest {
  const target = said === WHOLE_SERVER && method === "OPTIONS" ? `/${WHOLE_SERVER}` : said;
  if (method === undefined || !METHOD.test(method)) return { unreadable: `a method in ${names.method}` };
  if (host === undefined || !isHost(host)) return { unreadable: `a host name or an address in ${names.host}` };
  if (target === undefined || !target.startsWith("/")) {
    return { unreadable: `a path that begins with a slash in ${names.target}` };
  }
  // Rules would not see what follows, and some applications would.
  if (target.includes("#")) return { unreadable: `no fragment (#) in ${names.target}` };
  if (target.length > MAX_TARGET_LENGTH) {
    return { unreadable: `at most ${MAX_TARGET_LENGTH} characters in ${names.target}` };
  }
  const scheme = forwardedProto === undefined ? ownScheme : readScheme(elementAt(forwardedProto, client.hop));
  if (scheme === undefined) return { unreadable: "http or https in X-Forwarded-Proto" };
  return { method: method.toUpperCase(), scheme, host, target, headers, ip: client.ip, ja4 };
}

/** `headers` are as Node.js joins them, and lists where a rule has to see each value. */
function readMessage(message: IncomingMessage, described: Described, trust: TrustedProxies): ReadRequest {
  const { socket, headers } = message;
  const repeats = repeatsHeader(message);
  // Node.js keeps the first, and another server may read the last (RFC 9112, 3.2).
  if (repeats && (message.headersDistinct.host?.length ?? 0) > 1) return { unreadable: "one Host header" };
  return requestOf(described, {
    scheme: socket instanceof TLSSocket ? "https" : "http",
    headers: repeats ? message.headersDistinct : headers,
    ja4: trust.ja4Of(socket.remoteAddress ?? "", headers),
  });
}

const ORIGINAL = { method: "X-Original-Method", host: "Host", target: "X-Original-URI" } as const;
const FORWARDED = { method: "X-Forwarded-Method", host: "X-Forwarded-Host", target: "X-Forwarded-Uri" } as const;
const LITERAL = { method: "the request line", host: "Host", target: "the request line" } as const;

/** nginx, by `auth_request`: its configuration sets `X-Original-URI` and `X-Original-Method`, and passes `Host` on. */
function readOriginal(message: IncomingMessage, trust: TrustedProxies): ReadRequest {
  const { headers } = message;
  return readMessage(
    message,
    {
      names: ORIGINAL,
      method: one(headers, "x-original-method"),
      host: headers.host,
      target: one(headers, "x-original-uri"),
      client: clientOf(message, trust),
      forwardedProto: one(headers, "x-forwarded-proto"),
    },
    trust,
  );
}

/** Traefik and Caddy, and HAProxy with our script. */
function readForwarded(message: IncomingMessage, trust: TrustedProxies): ReadRequest {
  const { headers } = message;
  const client = clientOf(message, trust);
  const hosts = one(headers, "x-forwarded-host");
  return readMessage(
    message,
    {
      names: FORWARDED,
      method: one(headers, "x-forwarded-method"),
      host: hosts === undefined ? undefined : elementAt(hosts, client.hop),
      target: one(headers, "x-forwarded-uri"),
      client,
      forwardedProto: one(headers, "x-forwarded-proto"),
    },
    trust,
  );
}

/** The request is the client's own: Envoy sends it under a prefix, and the gate's proxy and middleware get it as it is. */
export function readLiteral(message: IncomingMessage, target: string, trust: TrustedProxies): ReadRequest {
  const { headers, method, socket } = message;
  const isTrusted = trust.isTrusted(socket.remoteAddress ?? "");
  return readMessage(
    message,
    {
      names: LITERAL,
      method,
      host: headers.host,
      target,
      client: clientOf(message, trust),
      forwardedProto: isTrusted ? one(headers, "x-forwarded-proto") : undefined,
    },
    trust,
  );
}

/** A web-standard request; its server says who has sent it. */
export function readFetch(
  { url, method, headers: sent }: Request,
  { peer = "", ja4 }: { readonly peer: string | undefined; readonly ja4: string | undefined },
  trust: TrustedProxies,
): ReadRequest {
  const { protocol, username, password, host, pathname, search } = new URL(url);
  if (username !== "" || password !== "") return { unreadable: "a URL without a user" };
  const headers: Record<string, string> = {};
  for (const [name, value] of sent) if (!isForeign(name)) headers[name] = value;
  // The application gets a URL with this host, and in other words than the client's a rule would not know it.
  const given = headers["host"] ?? host;
  const handedOn = given === host ? undefined : URL.parse(`${protocol}//${given}`);
  if (handedOn === null || (handedOn && handedOn.hostname !== given.replace(PORT, "").toLowerCase())) {
    return { unreadable: "a host name or an address in Host" };
  }
  return requestOf(
    {
      names: LITERAL,
      method,
      host: handedOn?.host ?? host,
      target: pathname + search,
      client: trust.clientOf(peer, headers["x-forwarded-for"]),
      forwardedProto: trust.isTrusted(peer) ? headers["x-forwarded-proto"] || undefined : undefined,
    },
    { scheme: protocol === "https:" ? "https" : "http", headers, ja4 },
  );
}

export const CHECK_PATH = "/.well-known/reeve/check";
export const NGINX_CHECK = `${CHECK_PATH}?compat=nginx`;

/** Whether the headers of both kinds are there and tell different requests. */
function contradicts({ headers }: IncomingMessage): boolean {
  const [original, forwarded] = [one(headers, "x-original-uri"), one(headers, "x-forwarded-uri")];
  return original !== undefined && forwarded !== undefined && original !== forwarded;
}

function describesTarget({ headers }: IncomingMessage): boolean {
  return one(headers, "x-original-uri") !== undefined || one(headers, "x-forwarded-uri") !== undefined;
}

/** The request that a proxy asks about. */
export function readCheck(message: IncomingMessage, trust: TrustedProxies): ReadRequest {
  const url = message.url ?? "";
  // What a proxy passes on, it passes on to the application as well.
  const foreign = findForeignName(message.headers);
  if (foreign !== undefined) {
    return {
      unreadable: `names of headers with letters, digits and hyphens alone, unlike ${foreign.slice(0, MAX_SHOWN)}`,
    };
  }
  if (url === NGINX_CHECK) return readOriginal(message, trust);
  if (url === `${CHECK_PATH}/` && describesTarget(message)) {
    return { unreadable: `${CHECK_PATH} without a slash behind it, or no X-Original-URI and X-Forwarded-Uri` };
  }
  if (url.startsWith(`${CHECK_PATH}/`)) return readLiteral(message, url.slice(CHECK_PATH.length), trust);
  if (contradicts(message)) {
    return {
      unreadable:
        "X-Original-URI or X-Forwarded-Uri, and not both with different values: the proxy has to remove the other",
    };
  }
  return one(message.headers, "x-forwarded-uri") === undefined
    ? readOriginal(message, trust)
    : readForwarded(message, trust);
}
