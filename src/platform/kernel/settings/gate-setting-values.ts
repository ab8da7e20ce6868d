// Readers of the values that settings of `reeve gate` and options of `createGate` have in common. Each throws an Error whose message says
// what was expected.
import { isIP } from "node:net";
import { REDIS_URL_FORM, isRedisUrl } from "../network/redis-url.ts";
import { expected, url } from "./setting-values.ts";

export type OpenOrClosed = "open" | "closed";

/** A project as the operator names it; without a team it is that of the API key. */
export interface GateHost {
  readonly host: string;
  readonly team: string | null;
  readonly project: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const HOST = /^(?:\*|(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)$/;

/** The slug or id of a team or project. */
export function ownName(text: string): string {
  return NAME.test(text) ? text : expected("1 to 100 letters, digits and ._-");
}

function gateHost(text: string): GateHost {
  const [host = "", name = "", ...rest] = text.split("=");
  const [project = "", team = null, ...more] = name.split("/").toReversed();
  const isName = NAME.test(project) && (team === null || NAME.test(team));
  if (rest.length > 0 || more.length > 0 || !HOST.test(host) || !isName) {
    expected("host=team/project, separated by commas; a host is a name, *.name or * for all others");
  }
  return { host: host.toLowerCase(), team, project };
}

export function gateHosts(text: string): readonly GateHost[] {
  const entries = text.split(",").map((part) => gateHost(part.trim()));
  const twice = entries.find(({ host }, at) => entries.findIndex((other) => other.host === host) < at);
  return twice ? expected(`each host once, and ${twice.host} is there twice`) : entries;
}

export function listenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ""] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  if (!(bracketed ? isIP(bracketed) === 6 : /^[\w.-]+$/.test(host)) || Number(port) > 65_535) {
    expected("an address and a port, such as 127.0.0.1:4080");
  }
  return { host, port: Number(port) };
}

export function bodyLimit(text: string): number {
  const bytes = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return bytes >= 1_024 && bytes <= 1_048_576 ? bytes : expected("1024 to 1048576 bytes");
}

export function openOrClosed(text: string): OpenOrClosed {
  return text === "open" || text === "closed" ? text : expected("open or closed");
}

export function baseUrl(text: string): string {
  const { origin, pathname, username, password, search, hash } = new URL(url(text, ["http:", "https:"]));
  if (username || password || search || hash) expected("a URL without a user, a query or a fragment");
  return (origin + pathname).replace(/\/+$/, "");
}

export const isGateKey = (text: string): boolean => /^\w{16,256}$/.test(text);

export function gateKey(text: string): string {
  return isGateKey(text) ? text : expected("16 to 256 letters, digits or underscores");
}

export function redisUrl(text: string): string {
  return isRedisUrl(text) ? text : expected(REDIS_URL_FORM);
}

export function rateLimitSecret(text: string): string {
  return /^[\x20-\x7e]{16,256}$/.test(text) ? text : expected("16 to 256 printable characters of ASCII");
}

/** Clients send these, or proxies say something else in them: no digest of a TLS handshake. */
const TAKEN = new RegExp(
  "^(?:accept.*|authorization|cache-control|connection|content-.*|cookie|date|dnt|expect|forwarded|from|host|if-.*|keep-alive|" +
    "origin|pragma|priority|proxy-.*|range|referer|sec-.*|te|trailer|transfer-encoding|upgrade.*|user-agent|via|" +
    "x-forwarded-.*|x-original-.*|x-real-ip|x-reeve-.*|x-requested-with)$",
);

export function ja4Header(text: string): string {
  const name = text.toLowerCase();
  if (!/^[a-z0-9-]{1,64}$/.test(name)) expected("the name of a header, such as x-ja4");
  return TAKEN.test(name) ? expected("a header that has no other use, such as x-ja4") : name;
}

/** What some programs take for all or nothing: it would be looked for among the ids of rules. */
const SWITCHES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["yes", "true", "on", "1", "*"].map((word) => [word, "all"])),
  ...Object.fromEntries(["no", "false", "off", "0"].map((word) => [word, "none"])),
};

const CANNOT_BE = "expected names of this gate (REEVE_GATE_HOSTS)";

/** Throws where a name is that of a host or project and the gate has none: it would enforce what its operator wants to watch. */
export function refuseUnknownNames(detectOnly: readonly string[], hosts: readonly GateHost[]): void {
  const projects = new Set(hosts.map(({ team, project }) => `${team ?? ""}/${project}`.toLowerCase()));
  const isOwnHost = (name: string) =>
    hosts.some(({ host }) => host === "*" || host === name || (host.startsWith("*.") && name.endsWith(host.slice(1))));
  for (const name of detectOnly) {
    if (Object.hasOwn(SWITCHES, name)) {
      throw new Error(
        `expected all, none, or hosts, team/project names and ids of rules, got ${name}; did you mean ${SWITCHES[name]}?`,
      );
    }
    const isKnown = name.includes("/") ? projects.has(name) : !name.includes(".") || isOwnHost(name);
    if (!isKnown) throw new Error(`${CANNOT_BE}, and ${name} is no ${name.includes("/") ? "project" : "host"} of it`);
  }
}
