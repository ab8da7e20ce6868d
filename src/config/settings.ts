// Every setting as data: its variable and flag, its default, and how its value is read.
import { resolve } from "node:path";
import { parseGivenKeys } from "../keyring/keyring.ts";
import type { Setting } from "./setting-source.ts";
import { botSources } from "./bot-sources.ts";
import {
  DEFAULT_STORAGE_LIMITS,
  cidr,
  expected,
  integer,
  nameServer,
  networkOrHost,
  portRanges,
  signUpRule,
  storageLimits,
  url,
} from "./setting-values.ts";

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
    help: `how much to log: ${LOG_LEVELS.join(", ")}; without it, a terminal gets warnings and errors alone`,
    fallback: "info",
    parse: (text) => LOG_LEVELS.find((level) => level === text) ?? expected(`one of ${LOG_LEVELS.join(", ")}`),
  },
  rateLimit: {
    env: "REEVE_RATE_LIMIT",
    flag: "rate-limit",
    help: "requests a minute of an account, with the keys of teams that it answers for, counted by each process; each full 64 KiB of a body is one more; 0 turns the limit off",
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
  storageLimits: {
    env: "REEVE_STORAGE_LIMITS",
    flag: "storage-limits",
    help: "what an account or team may store, as name=number separated by commas; what is not named stays as it is",
    fallback: DEFAULT_STORAGE_LIMITS,
    parse: storageLimits,
  },
  diskReserve: {
    env: "REEVE_DISK_RESERVE",
    flag: "disk-reserve",
    help: "MiB to leave free on the disk of the embedded store: below that, of changes only deletions are accepted; 0 turns that off",
    fallback: "64",
    parse: (text) => integer(text, 0, 1_000_000),
  },
  maxConnections: {
    env: "REEVE_MAX_CONNECTIONS",
    flag: "max-connections",
    help: "connections of clients at a time; a further one replaces one that waits for its client",
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
  signUp: {
    env: "REEVE_SIGN_UP",
    flag: "sign-up",
    help: "who may make an account: invitation (invited people only), domains:acme.com,acme.org (owners of such e-mail addresses, too) or open (anybody)",
    fallback: "invitation",
    parse: signUpRule,
  },
  passwords: {
    env: "REEVE_PASSWORDS",
    flag: "passwords",
    help: "on, or off: people sign in with passkeys, recovery codes, links and the providers of REEVE_OIDC_FILE only",
    fallback: "on",
    parse: (text) => (text === "on" || text === "off" ? text === "on" : expected("on or off")),
  },
  console: {
    env: "REEVE_CONSOLE",
    flag: "console",
    help: "on, or off: leaves the console out, but for the pages that people sign in with",
    fallback: "on",
    parse: (text) => (text === "on" || text === "off" ? text === "on" : expected("on or off")),
  },
  oidcFile: {
    env: "REEVE_OIDC_FILE",
    flag: "oidc-file",
    help: "YAML file of the OpenID Connect providers that people may sign in with",
    fallback: null,
    parse: (text) => resolve(text),
  },
  smtpUrl: {
    env: "REEVE_SMTP_URL",
    fileEnv: "REEVE_SMTP_URL_FILE",
    flag: "smtp-url",
    help: "mail server for invitations, links to sign in, confirmations of addresses and access requests",
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
  botSources: {
    env: "REEVE_BOT_SOURCES",
    flag: "bot-sources",
    help: "bots that gates verify and do not challenge: name=ranges:URL of the networks that it publishes, name=agent:https://host of one that signs (Web Bot Auth), separated by commas; read daily",
    fallback: "none",
    parse: botSources,
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
} satisfies Readonly<Record<string, Setting<unknown>>>;
