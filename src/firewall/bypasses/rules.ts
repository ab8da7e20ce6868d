// The target of a bypass entry: parses it from a request into the canonical form in which entries are compared.
import { MAX_HOST_NAME, isHostPattern } from "../evaluator/request/host-pattern.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import { formatNetwork, networkAddress, parseNetwork } from "../../platform/kernel/network/network.ts";
import { ALL_SOURCES, WHOLE_PROJECT } from "./bypass-schema.ts";

/** The default lifetime of an entry for every client and the whole project, which disables all challenges. */
const DEFAULT_PAUSE_MS = DAY_MS;

export interface BypassTarget {
  /** A host pattern in lower case; `*`: the whole project. */
  readonly domain: string;
  /** The canonical network; null: any client. */
  readonly ip: string | null;
  /** The network as it was written. */
  readonly source: string;
}

interface BypassMembers {
  readonly domain?: string;
  readonly projectScope?: boolean;
  readonly sourceIp?: string;
  readonly allSources?: boolean;
}

/** The shortest allowed prefix, except for `0.0.0.0/0` and `::/0`. */
const MIN_PREFIX_BITS = 16;

function invalid(field: string, expected: string): ApiError {
  return fieldError("bad_request", `body.${field}`, `expected ${expected}`);
}

function readDomain({ domain, projectScope = false }: BypassMembers): string {
  if (domain === undefined) {
    if (!projectScope) throw invalid("domain", "a host name, or projectScope: true");
    return WHOLE_PROJECT;
  }
  if (projectScope && domain !== WHOLE_PROJECT) throw invalid("projectScope", "no true beside domain");
  if (!isHostPattern(domain)) {
    throw invalid(
      "domain",
      `a host name of at most ${MAX_HOST_NAME} characters, as example.com or *.example.com, or *`,
    );
  }
  return domain.toLowerCase();
}

/** The network in canonical form; null when the text is not a network. */
export function canonicalNetwork(text: string): string | null {
  const network = parseNetwork(text);
  return network && formatNetwork(networkAddress(network));
}

function readSource({ sourceIp, allSources = false }: BypassMembers): Pick<BypassTarget, "ip" | "source"> {
  if (sourceIp === undefined) {
    if (!allSources) throw invalid("sourceIp", "an address or a network, or allSources: true");
    return { ip: null, source: ALL_SOURCES };
  }
  if (allSources) throw invalid("allSources", "no true beside sourceIp");
  const network = parseNetwork(sourceIp);
  if (!network) throw invalid("sourceIp", "an IPv4 or IPv6 address, or a network as 192.0.2.0/24");
  const ip = formatNetwork(networkAddress(network));
  if (network.bits < MIN_PREFIX_BITS && ip !== "0.0.0.0/0" && ip !== "::/0") {
    throw invalid("sourceIp", `a prefix of at least /${MIN_PREFIX_BITS}, or 0.0.0.0/0 or ::/0`);
  }
  return { ip, source: sourceIp };
}

/** Parses the target of a body. Throws `bad_request`. */
export function parseTarget(members: BypassMembers): BypassTarget {
  return { domain: readDomain(members), ...readSource(members) };
}

/** Writes a network of a single address as that address. */
function shortNetwork(ip: string): string {
  const [address, bits] = ip.split("/") as [string, string];
  return bits === (address.includes(":") ? "128" : "32") ? address : ip;
}

/** The id of an entry, which is unique by project, domain and network. */
export function bypassId(projectId: string, { domain, ip }: BypassTarget): string {
  const parts = domain === WHOLE_PROJECT ? [projectId] : [projectId, domain];
  return [...parts, ip === null ? "*" : shortNetwork(ip)].join("#");
}

/** The expiry of an entry that is written now; null: never. */
export function expiryOf({ domain, ip }: BypassTarget, ttl: number | undefined, now: number): number | null {
  if (ttl !== undefined) return now + ttl;
  return domain === WHOLE_PROJECT && ip === null ? now + DEFAULT_PAUSE_MS : null;
}
