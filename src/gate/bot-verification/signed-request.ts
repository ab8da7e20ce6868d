// Web Bot Auth: a bot signs its request (RFC 9421) and names the origin where its public keys are.
// https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol
import { verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { Token, isInnerList, parseDictionary, parseItem, serializeInnerList, serializeItem } from "structured-headers";
import type { Dictionary, InnerList, Item, Parameters } from "structured-headers";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";

const TAG = "web-bot-auth";
const AGENT = "signature-agent";
/** Longer headers are no signature of this kind. */
const MAX_HEADER_LENGTH = 4_096;
const MAX_SIGNATURES = 4;
/** Clocks of bots may be ahead. */
const CLOCK_SKEW_MS = MINUTE_MS;
const MAX_VALIDITY_MS = DAY_MS;

/** A key of an agent; undefined: the agent has none with this thumbprint. */
export type FindKey = (agent: string, keyId: string) => KeyObject | undefined;

function headerText({ headers }: GateRequest, name: string): string | undefined {
  const value = headers[name];
  const text = typeof value === "string" || value === undefined ? value : value.join(", ");
  return text === undefined || text.length > MAX_HEADER_LENGTH ? undefined : text.trim();
}

/** As the client wrote it in its URL: in lower case, without the port of the scheme. */
function authorityOf({ host, scheme }: GateRequest): string {
  return host.toLowerCase().replace(scheme === "https" ? /:443$/ : /:80$/, "");
}

const DERIVED: Readonly<Record<string, (request: GateRequest) => string>> = {
  "@authority": authorityOf,
  "@method": ({ method }) => method,
  "@scheme": ({ scheme }) => scheme,
  "@target-uri": (request) => `${request.scheme}://${authorityOf(request)}${request.target}`,
  "@request-target": ({ target }) => target,
  "@path": ({ target }) => target.split("?", 1)[0] as string,
  "@query": ({ target }) => (target.includes("?") ? target.slice(target.indexOf("?")) : "?"),
};

/** A member of a header that is a dictionary, as the signature covers it. */
function memberText(header: string, key: string): string | undefined {
  const member = parseDictionary(header).get(key);
  if (member === undefined) return undefined;
  return isInnerList(member) ? serializeInnerList(member) : serializeItem(member);
}

/** The value of a component; undefined: the request has none, or a parameter is not known here. */
function componentText(request: GateRequest, [name, parameters]: Item): string | undefined {
  if (typeof name !== "string") return undefined;
  const key = parameters.get("key");
  const known = parameters.size - (typeof key === "string" ? 1 : 0) === 0;
  if (!known) return undefined;
  if (name.startsWith("@")) return key === undefined ? DERIVED[name]?.(request) : undefined;
  const header = headerText(request, name);
  return header === undefined || key === undefined ? header : memberText(header, String(key));
}

function baseOf(request: GateRequest, covered: InnerList): string | undefined {
  const lines: string[] = [];
  for (const component of covered[0]) {
    const text = componentText(request, component);
    if (text === undefined) return undefined;
    lines.push(`${serializeItem(component)}: ${text}`);
  }
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join("\n");
}

function isCurrent(parameters: Parameters, now: number): boolean {
  const [created, expires] = [parameters.get("created"), parameters.get("expires")];
  if (typeof created !== "number" || typeof expires !== "number") return false;
  const [from, until] = [created * SECOND_MS, expires * SECOND_MS];
  return from <= now + CLOCK_SKEW_MS && until > now && until - from <= MAX_VALIDITY_MS;
}

/** The origin that a covered `Signature-Agent` names: a member of a dictionary, or, in older drafts, the whole header. */
function agentOf(request: GateRequest, [components]: InnerList): string | undefined {
  const component = components.find(([name]) => name === AGENT);
  const header = headerText(request, AGENT);
  if (!component || header === undefined) return undefined;
  const key = component[1].get("key");
  const named = typeof key === "string" ? parseDictionary(header).get(key) : parseItem(header);
  const value = named?.[0];
  // Some bots leave the quotes out, which makes it a token.
  const url = typeof value === "string" || value instanceof Token ? URL.parse(String(value)) : null;
  // Of other forms than a directory at the origin the keys are elsewhere.
  const type = named?.[1].get("type");
  return url && (type === undefined || String(type) === "directory") ? url.origin : undefined;
}

/** The agent whose signature this is. */
function verifyOne(
  request: GateRequest,
  covered: InnerList,
  signature: Uint8Array,
  findKey: FindKey,
  now: number,
): string | undefined {
  const [components, parameters] = covered;
  // A signature that does not name the host was made for any host.
  if (!components.some(([name]) => name === "@authority" || name === "@target-uri")) return undefined;
  const [alg, keyId] = [parameters.get("alg"), parameters.get("keyid")];
  if (typeof keyId !== "string" || (alg !== undefined && alg !== "ed25519") || !isCurrent(parameters, now))
    return undefined;
  const agent = agentOf(request, covered);
  const key = agent === undefined ? undefined : findKey(agent, keyId);
  const base = key && baseOf(request, covered);
  return base !== undefined && verify(null, Buffer.from(base), key as KeyObject, signature) ? agent : undefined;
}

function signatureIn(signatures: Dictionary, label: string): Uint8Array | undefined {
  const value = signatures.get(label)?.[0];
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** The origin of the bot that has signed a request; undefined: none that is known has. */
export function findSigner(request: GateRequest, findKey: FindKey, now: number): string | undefined {
  const [input, signature] = [headerText(request, "signature-input"), headerText(request, "signature")];
  if (input === undefined || signature === undefined) return undefined;
  try {
    const signatures = parseDictionary(signature);
    let tried = 0;
    for (const [label, covered] of parseDictionary(input)) {
      if (!isInnerList(covered) || covered[1].get("tag") !== TAG) continue;
      if (++tried > MAX_SIGNATURES) return undefined;
      const bytes = signatureIn(signatures, label);
      const agent = bytes && verifyOne(request, covered, bytes, findKey, now);
      if (agent !== undefined) return agent;
    }
  } catch {
    // What cannot be parsed is no signature.
  }
  return undefined;
}
