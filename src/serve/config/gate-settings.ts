// The settings of `reeve gate`, and of the gate within `reeve serve --gate`.
import { isIP } from "node:net";
import { join } from "node:path";
import { findSetting } from "../../platform/kernel/settings/setting-source.ts";
import { ConfigError } from "../../platform/kernel/settings/setting-source.ts";
import type { Setting, SettingValues } from "../../platform/kernel/settings/setting-source.ts";
import { SETTINGS } from "./settings.ts";
import { cidr, path } from "../../platform/kernel/settings/setting-values.ts";
import {
  baseUrl,
  bodyLimit,
  gateHosts,
  gateKey,
  isGateKey,
  ja4Header,
  listenAddress,
  openOrClosed,
  rateLimitSecret,
  redisUrl,
  refuseUnknownNames,
} from "../../platform/kernel/settings/gate-setting-values.ts";

export const GATE_SETTINGS = {
  server: {
    env: "REEVE_GATE_SERVER",
    flag: "server",
    help: "URL of the control plane",
    fallback: null,
    parse: baseUrl,
  },
  key: {
    env: "REEVE_GATE_KEY",
    fileEnv: "REEVE_GATE_KEY_FILE",
    flag: null,
    help: "API key with the permission gate:connect, of the team whose projects the gate protects",
    fallback: null,
    isSecret: true,
    parse: gateKey,
  },
  hosts: {
    env: "REEVE_GATE_HOSTS",
    flag: "hosts",
    help: "which project protects which host, such as shop.test=acme/shop,*.acme.com=acme/site; the most exact host wins, and a host without a project is refused",
    fallback: "*=default",
    parse: gateHosts,
  },
  listen: {
    env: "REEVE_GATE_LISTEN",
    flag: "listen",
    help: "address and port to listen on; port 0 chooses a free one",
    fallback: "127.0.0.1:4080",
    parse: listenAddress,
  },
  upstream: {
    env: "REEVE_GATE_UPSTREAM",
    flag: "upstream",
    help: "URL of the application, such as http://127.0.0.1:3000: the gate is its proxy; without it, it only answers proxies that ask",
    fallback: null,
    parse: baseUrl,
  },
  trustedProxies: {
    env: "REEVE_GATE_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    help: "addresses or CIDRs of proxies, separated by commas; only they may ask for decisions, and X-Forwarded headers are believed from them alone",
    fallback: "127.0.0.0/8,::1/128",
    parse: (text) => text.split(",").map((part) => cidr(part.trim())),
  },
  dir: {
    env: "REEVE_GATE_DIR",
    flag: "dir",
    help: "folder of the last bundles, with which a gate starts while the control plane is away",
    fallback: "./reeve-gate",
    parse: path,
  },
  whenNoBundle: {
    env: "REEVE_GATE_NO_BUNDLE",
    flag: "when-no-bundle",
    help: "open lets the requests of a project through of which the gate has no bundle because the control plane is away; closed refuses them",
    fallback: "open",
    parse: openOrClosed,
  },
  whenError: {
    env: "REEVE_GATE_ON_ERROR",
    flag: "when-error",
    help: "closed refuses a request that the evaluator fails on, or takes more than 5 ms for; open lets it through",
    fallback: "closed",
    parse: openOrClosed,
  },
  whenBodyUnread: {
    env: "REEVE_GATE_ON_BODY",
    flag: "when-body-unread",
    help: "closed refuses a request whose body a rule reads and the gate cannot: too large, not what its headers say, or with NUL; open lets rules see no body",
    fallback: "closed",
    parse: openOrClosed,
  },
  bodyLimit: {
    env: "REEVE_GATE_BODY_LIMIT",
    flag: "body-limit",
    help: "bytes of a body that rules may decide by, at most 1048576; only bodies are read that a rule needs",
    fallback: "65536",
    parse: bodyLimit,
  },
  detectOnly: {
    env: "REEVE_GATE_DETECT_ONLY",
    flag: "detect-only",
    help: "hosts, team/project names and ids of rules, separated by commas, or all: what they would refuse is recorded and let through",
    fallback: "none",
    parse: (text) => (text === "none" ? [] : text.split(",").map((part) => part.trim().toLowerCase())),
  },
  redisUrl: {
    env: "REEVE_GATE_REDIS_URL",
    fileEnv: "REEVE_GATE_REDIS_URL_FILE",
    flag: null,
    help: "Redis or Valkey, in which gates share counters of rate limits, holds and spent challenges, such as redis://127.0.0.1:6379; without it, each gate counts by itself",
    fallback: null,
    isSecret: true,
    parse: redisUrl,
  },
  rateLimitSecret: {
    env: "REEVE_GATE_RATE_LIMIT_SECRET",
    fileEnv: "REEVE_GATE_RATE_LIMIT_SECRET_FILE",
    flag: null,
    help: "RATE_LIMIT_SECRET of applications that ask for rate limits by id (checkRateLimit of @vercel/firewall); without it none may ask",
    fallback: null,
    isSecret: true,
    parse: rateLimitSecret,
  },
  geoDir: {
    env: "REEVE_GATE_GEO_DIR",
    flag: "geo-dir",
    help: "folder of databases of countries and networks (*.mmdb), which `reeve gate geo update` fills; geo below REEVE_GATE_DIR by default",
    fallback: null,
    parse: path,
  },
  ja4Header: {
    env: "REEVE_GATE_JA4_HEADER",
    flag: "ja4-header",
    help: "header in which trusted proxies say the JA4 digest of the client's TLS handshake, such as x-ja4; the proxy has to set it for every request",
    fallback: null,
    parse: ja4Header,
  },
} satisfies Readonly<Record<string, Setting<unknown>>>;

/** What `reeve gate` reads: those, and two that servers have too. */
export const GATE_PROCESS_SETTINGS = { ...GATE_SETTINGS, logLevel: SETTINGS.logLevel, drain: SETTINGS.drain };

type Found = SettingValues<typeof GATE_PROCESS_SETTINGS>;

export interface GateSettings extends Omit<Found, "geoDir"> {
  /** Folder of databases of countries and networks. */
  readonly geoDir: string;
}

const OWN_NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Whether the gate would be its own application: each request would lead to another. */
function isOwnUpstream({ upstream, listen }: Pick<GateSettings, "upstream" | "listen">): boolean {
  if (upstream === null) return false;
  const { protocol, hostname, port } = new URL(upstream);
  const host = isIP(listen.host) === 6 ? `[${listen.host}]` : listen.host;
  const isHere = hostname === host || (OWN_NAMES.has(hostname) && [...OWN_NAMES, "0.0.0.0", "[::]"].includes(host));
  return protocol === "http:" && Number(port || 80) === listen.port && isHere;
}

/** Values given on the command line, by setting. */
export type GateFlags = Readonly<Partial<Record<keyof GateSettings, string>>> & { readonly keyFile?: string };

/** What may be a key by mistake is not repeated. */
const shownFile = (keyFile: string): string => (isGateKey(keyFile) ? "" : ` ${JSON.stringify(keyFile)}`);

function findKey(setting: Setting<unknown>, { key, keyFile }: GateFlags, environment: NodeJS.ProcessEnv): unknown {
  if (keyFile === undefined) return findSetting(setting, key, environment).value;
  try {
    return findSetting(setting, key, { ...environment, REEVE_GATE_KEY_FILE: keyFile }).value;
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(message.replace("REEVE_GATE_KEY_FILE", () => `--key-file${shownFile(keyFile)}`));
  }
}

/** The settings from flags, then the environment, then the defaults. Throws a ConfigError for the first that is wrong. */
export function readGateSettings(flags: GateFlags, environment: NodeJS.ProcessEnv): GateSettings {
  const found = Object.fromEntries(
    (Object.entries(GATE_PROCESS_SETTINGS) as [keyof GateSettings, Setting<unknown>][]).map(([name, setting]) => [
      name,
      name === "key" ? findKey(setting, flags, environment) : findSetting(setting, flags[name], environment).value,
    ]),
  ) as unknown as Found;
  try {
    refuseUnknownNames(found.detectOnly, found.hosts);
  } catch (error) {
    throw new ConfigError(`REEVE_GATE_DETECT_ONLY (--detect-only): ${(error as Error).message}`);
  }
  if (isOwnUpstream(found)) {
    throw new ConfigError(
      `REEVE_GATE_UPSTREAM (--upstream): expected the URL of the application, and ${found.upstream} is where the gate itself listens ` +
        "(REEVE_GATE_LISTEN, --listen)",
    );
  }
  return { ...found, geoDir: found.geoDir ?? join(found.dir, "geo") };
}

/** Where a gate with these settings listens, as a process beside it reaches it. */
export function gateUrl({ listen: { host, port } }: GateSettings): string {
  const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIP(reached) === 6 ? `[${reached}]` : reached}:${port}`;
}

/** The same for a process of its own, which needs the control plane and a key. */
export function requireControlPlane({ server, key }: GateSettings): { readonly server: string; readonly key: string } {
  if (server === null) throw new ConfigError("REEVE_GATE_SERVER (--server): expected the URL of the control plane");
  if (key === null) {
    throw new ConfigError(
      "REEVE_GATE_KEY_FILE (--key-file): expected a file with an API key that has the permission gate:connect",
    );
  }
  return { server, key };
}

/** Throws where a gate within a server has a project without its team: there is no API key that would name it. */
export function requireTeams({ hosts }: GateSettings): void {
  if (hosts.some(({ team }) => team === null)) {
    throw new ConfigError(
      "REEVE_GATE_HOSTS: expected host=team/project for each host of the gate within this server, such as *=acme/shop",
    );
  }
}
