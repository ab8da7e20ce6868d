// Settings: the only reader of the environment. Each is an environment variable and a flag of every command; an
// unknown `REEVE_` name or a bad value stops the start with one line that says which and why.
import { resolve } from "node:path";
import { nearestName } from "../kernel/text/nearest-name.ts";
import { parseGivenKeys } from "../keyring/keyring.ts";
import { REMOTE_SETTINGS, readRemoteSettings } from "./remote-settings.ts";
import type { RemoteSettings } from "./remote-settings.ts";
import { ConfigError, readSetting } from "./setting-source.ts";
import type { Setting } from "./setting-source.ts";
import { cidr, expected, integer, nameServer, networkOrHost, portRanges, url } from "./setting-values.ts";
import { readTracingSettings } from "./tracing-settings.ts";
import type { TracingSettings } from "./tracing-settings.ts";

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The port of a worker, which serves only health and metrics; null: none. */
  readonly workerPort: number | null;
  readonly dataDir: string;
  /** Null: the embedded store in the data directory. */
  readonly databaseUrl: string | null;
  readonly bootstrapToken: string | null;
  /** Master keys, separated by commas, the one to prefer first. */
  readonly masterKey: string | null;
  /** A file of master keys, one to a line. */
  readonly masterKeyFile: string | null;
  /** Base of absolute URLs, without a slash at the end. */
  readonly publicUrl: string | null;
  readonly logLevel: LogLevel;
  /** Requests a minute of a user, or of a team's API keys; 0 = off. */
  readonly rateLimit: number;
  /** Access tokens that a user may have at a time. */
  readonly maxTokens: number;
  /** The most connections of clients at a time. */
  readonly maxConnections: number;
  /** CIDRs of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[] | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  /** Mails a day; 0 = off. */
  readonly mailUserLimit: number;
  readonly mailTeamLimit: number;
  /** The highest cost of a firewall configuration for each request. */
  readonly firewallCostLimit: number;
  /** Days after which events are removed; null: never. */
  readonly eventsRetentionDays: number | null;
  /** Private CIDRs and host names that webhooks may reach, on every port. */
  readonly egressAllow: readonly string[];
  /** Ports that webhooks may reach: ranges, both ends included. */
  readonly egressPorts: readonly (readonly [first: number, last: number])[];
  /** DNS servers for the names of webhooks, `address` or `address:port`; null: the system's resolver. */
  readonly dnsServers: readonly string[] | null;
  /** Days after which deliveries are removed from the log of a webhook. */
  readonly deliveriesRetentionDays: number;
  /** From the standard variables of OpenTelemetry; null: tracing is off. */
  readonly tracing: TracingSettings | null;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const USUAL_PORTS = "80,443,8000-9000";

export const SETTINGS = {
  host: {
    env: "REEVE_HOST",
    flag: "host",
    help: "address to listen on",
    fallback: "127.0.0.1",
    parse: (text) => (/^[\w.:-]+$/.test(text) ? text : expected("an IP address or a host name")),
  },
  port: {
    env: "REEVE_PORT",
    flag: "port",
    help: "port to listen on; 0 chooses a free one",
    fallback: "4000",
    parse: (text) => integer(text, 0, 65_535),
  },
  workerPort: {
    env: "REEVE_WORKER_PORT",
    flag: "worker-port",
    help: "port at which `reeve worker` serves /health/live, /health/ready and /metrics; without it, they are not served",
    fallback: null,
    parse: (text) => integer(text, 0, 65_535),
  },
  dataDir: {
    env: "REEVE_DATA_DIR",
    flag: "data-dir",
    help: "folder of the embedded store",
    fallback: "./reeve-data",
    parse: (text) => resolve(text),
  },
  databaseUrl: {
    env: "REEVE_DATABASE_URL",
    fileEnv: "REEVE_DATABASE_URL_FILE",
    flag: "database-url",
    help: "PostgreSQL to use instead of the embedded store; several hosts as host1,host2:5433",
    fallback: null,
    isSecret: true,
    // Not the URL class: it does not support lists of hosts.
    parse: (text) => (/^postgres(?:ql)?:\/\/\S+$/.test(text) ? text : expected("a URL that starts with postgres://")),
  },
  bootstrapToken: {
    env: "REEVE_BOOTSTRAP_TOKEN",
    fileEnv: "REEVE_BOOTSTRAP_TOKEN_FILE",
    flag: "bootstrap-token",
    help: "the administrator's access token on the first start, instead of a random one",
    fallback: null,
    isSecret: true,
    parse: (text) => (/^\w{32,256}$/.test(text) ? text : expected("32 to 256 letters, digits or underscores")),
  },
  masterKey: {
    env: "REEVE_MASTER_KEY",
    flag: null,
    help: "master keys that seal secrets, 32 bytes each as base64 or hex, separated by commas, the preferred one first; without any, one is made in the data directory",
    fallback: null,
    isSecret: true,
    parse: (text) => {
      parseGivenKeys(text, "a key");
      return text;
    },
  },
  masterKeyFile: {
    env: "REEVE_MASTER_KEY_FILE",
    flag: "master-key-file",
    help: "file of master keys, one to a line",
    fallback: null,
    parse: (text) => resolve(text),
  },
  publicUrl: {
    env: "REEVE_PUBLIC_URL",
    flag: "public-url",
    help: "URL under which clients reach this server",
    fallback: null,
    parse: (text) => url(text, ["http:", "https:"]).replace(/\/+$/, ""),
  },
  logLevel: {
    env: "REEVE_LOG_LEVEL",
    flag: "log-level",
    help: `how much to log: ${LOG_LEVELS.join(", ")}`,
    fallback: "info",
    parse: (text) => LOG_LEVELS.find((level) => level === text) ?? expected(`one of ${LOG_LEVELS.join(", ")}`),
  },
  rateLimit: {
    env: "REEVE_RATE_LIMIT",
    flag: "rate-limit",
    help: "requests a minute of a user, or of a team's API keys, counted by each process; 0 turns the limit off",
    fallback: "600",
    parse: (text) => integer(text, 0, 1_000_000),
  },
  maxTokens: {
    env: "REEVE_MAX_TOKENS",
    flag: "max-tokens",
    help: "access tokens that a user may have at a time, beside expired ones",
    fallback: "100",
    parse: (text) => integer(text, 1, 1_000_000),
  },
  maxConnections: {
    env: "REEVE_MAX_CONNECTIONS",
    flag: "max-connections",
    help: "connections of clients at a time; a further one replaces an idle one",
    fallback: "10000",
    parse: (text) => integer(text, 10, 1_000_000),
  },
  trustedProxies: {
    env: "REEVE_TRUSTED_PROXIES",
    flag: "trusted-proxies",
    help: "addresses or CIDRs of reverse proxies, separated by commas; X-Forwarded-For is trusted from them alone",
    fallback: null,
    parse: (text) => text.split(",").map((part) => cidr(part.trim())),
  },
  smtpUrl: {
    env: "REEVE_SMTP_URL",
    fileEnv: "REEVE_SMTP_URL_FILE",
    flag: "smtp-url",
    help: "mail server for invitations and access requests",
    fallback: null,
    isSecret: true,
    parse: (text) => url(text, ["smtp:", "smtps:"]),
  },
  mailFrom: {
    env: "REEVE_MAIL_FROM",
    flag: "mail-from",
    help: "sender of mail",
    fallback: "reeve@localhost",
    parse: (text) => (/^[^\r\n]{3,200}$/.test(text) && text.includes("@") ? text : expected("an e-mail address")),
  },
  mailUserLimit: {
    env: "REEVE_MAIL_USER_LIMIT",
    flag: "mail-user-limit",
    help: "mails that one user may have sent in a day (UTC), such as invitations; 0 turns the limit off",
    fallback: "100",
    parse: (text) => integer(text, 0, 1_000_000),
  },
  mailTeamLimit: {
    env: "REEVE_MAIL_TEAM_LIMIT",
    flag: "mail-team-limit",
    help: "invitations that one team may have sent by mail in a day (UTC); 0 turns the limit off",
    fallback: "300",
    parse: (text) => integer(text, 0, 1_000_000),
  },
  firewallCostLimit: {
    env: "REEVE_FIREWALL_COST_LIMIT",
    flag: "firewall-cost-limit",
    help: "the most that a firewall configuration may cost each request, in comparisons of texts",
    fallback: "100000",
    parse: (text) => integer(text, 1, 100_000_000),
  },
  eventsRetentionDays: {
    env: "REEVE_EVENTS_RETENTION_DAYS",
    flag: "events-retention-days",
    help: "days after which events are removed, leaving a signed checkpoint; without it they are never removed",
    fallback: null,
    parse: (text) => integer(text, 1, 36_500),
  },
  egressAllow: {
    env: "REEVE_EGRESS_ALLOW",
    flag: "egress-allow",
    help: "addresses, CIDRs and host names that webhooks may reach although they are not public, on every port, separated by commas",
    fallback: "none",
    parse: (text) => (text === "none" ? [] : text.split(",").map((part) => networkOrHost(part.trim()))),
  },
  egressPorts: {
    env: "REEVE_EGRESS_PORTS",
    flag: "egress-ports",
    help: "ports that webhooks may reach, separated by commas; +3000 adds that to the default",
    fallback: USUAL_PORTS,
    parse: (text) => portRanges(text, portRanges(USUAL_PORTS, [])),
  },
  dnsServers: {
    env: "REEVE_DNS_SERVERS",
    flag: "dns-servers",
    help: "addresses of the DNS servers that resolve the names of webhooks, with or without :port, separated by commas; without any, the system's resolver",
    fallback: null,
    parse: (text) => text.split(",").map((part) => nameServer(part.trim())),
  },
  deliveriesRetentionDays: {
    env: "REEVE_DELIVERIES_RETENTION_DAYS",
    flag: "deliveries-retention-days",
    help: "days after which delivered and skipped deliveries of webhooks are removed",
    fallback: "30",
    parse: (text) => integer(text, 1, 36_500),
  },
} satisfies { readonly [K in SettingName]: Setting<Settings[K]> };

export type SettingName = Exclude<keyof Settings, "tracing">;

/** Values given on the command line, by setting. */
export type Flags = Readonly<Partial<Record<SettingName, string>>>;

// Variables of the test suite, which are no settings.
const TEST_PREFIX = "REEVE_TEST_";

/** A machine may have the settings of a server and those of commands that reach servers elsewhere. */
const LIST: readonly Setting<unknown>[] = [...Object.values(SETTINGS), ...Object.values(REMOTE_SETTINGS)];

/** Every variable that is read. */
export const VARIABLES: readonly string[] = LIST.flatMap(({ env, fileEnv = [] }) => [env].concat(fileEnv));

/** Throws a ConfigError for a variable that no setting has. */
function refuseUnknown(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("REEVE_") || name.startsWith(TEST_PREFIX) || VARIABLES.includes(name)) continue;
    const nearest = nearestName(name, VARIABLES);
    const advice = nearest === undefined ? `the settings are ${VARIABLES.join(", ")}` : `did you mean ${nearest}?`;
    throw new ConfigError(`${name}: there is no such setting; ${advice}`);
  }
}

/** Settings of commands that reach a server elsewhere; throws a ConfigError for the first that is wrong. */
export function readRemote(
  flags: { readonly server?: string | undefined },
  environment: NodeJS.ProcessEnv = process.env,
): RemoteSettings {
  refuseUnknown(environment);
  return readRemoteSettings(flags, environment);
}

/** Settings from flags, then the environment, then the defaults; throws a ConfigError for the first that is wrong. */
export function readSettings(flags: Flags = {}, environment: NodeJS.ProcessEnv = process.env): Settings {
  refuseUnknown(environment);
  const entries = Object.entries(SETTINGS).map(([name, setting]) => [
    name,
    readSetting(setting, flags[name as SettingName], environment),
  ]);
  return { ...(Object.fromEntries(entries) as Settings), tracing: readTracingSettings(environment) };
}
