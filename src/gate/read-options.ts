// Reads the options of `createGate` by the parsers of the settings of `reeve gate`: one that cannot be used is refused by its name, before
// there is a gate.
import {
  baseUrl,
  bodyLimit,
  gateKey,
  ja4Header,
  openOrClosed,
  ownName,
  rateLimitSecret,
  redisUrl,
} from "../platform/kernel/settings/gate-setting-values.ts";
import { cidr, expected } from "../platform/kernel/settings/setting-values.ts";
import type { SettingNames } from "./bundle/problem.ts";
import type { CoreConfiguration } from "./core.ts";
import type { GateOptions } from "./gate-options.ts";
import { BODY_LIMIT } from "./requests/peek-body.ts";
import { LOOPBACK } from "./requests/trusted-proxies.ts";

/** What messages about the control plane call these options. */
export const OPTION_NAMES: SettingNames = {
  server: "createGate: server",
  key: "createGate: key",
  team: "createGate: team",
  project: "createGate: project",
};

type OptionName = keyof GateOptions;
type Reader = (value: unknown) => unknown;

const text =
  (parse: (text: string) => unknown): Reader =>
  (value) =>
    typeof value === "string" ? parse(value) : expected("text");
const folder = text((path) => (path === "" ? expected("the path of a folder") : path));

function networks(value: unknown): readonly string[] {
  if (!Array.isArray(value)) expected("a list of IP addresses or CIDRs");
  return value.map((one) => (typeof one === "string" ? cidr(one) : expected("a list of IP addresses or CIDRs")));
}

function gateLog(value: unknown): unknown {
  const log = value as Readonly<Record<string, unknown>> | null;
  const isLog = typeof log === "object" && ["info", "warn", "error"].every((name) => typeof log?.[name] === "function");
  return isLog ? log : expected("an object with the functions info, warn and error");
}

const READERS: { readonly [K in OptionName]-?: Reader } = {
  server: text(baseUrl),
  key: text(gateKey),
  team: text(ownName),
  project: text(ownName),
  dir: folder,
  trustedProxies: networks,
  whenNoBundle: text(openOrClosed),
  whenError: text(openOrClosed),
  whenBodyUnread: text(openOrClosed),
  bodyLimit: (value) => (typeof value === "number" ? bodyLimit(String(value)) : expected("1024 to 1048576 bytes")),
  redisUrl: text(redisUrl),
  detectOnly: (value) => (typeof value === "boolean" ? value : expected("true or false")),
  rateLimitSecret: text(rateLimitSecret),
  geoDir: folder,
  ja4Header: text(ja4Header),
  log: gateLog,
};
const REQUIRED = new Set<string>(["server", "key", "project"] satisfies OptionName[]);
/** Their values are or may contain credentials, so no message repeats them. */
const SECRET = new Set<string>(["key", "redisUrl", "rateLimitSecret", "log"] satisfies OptionName[]);

function readOption(name: OptionName, value: unknown): unknown {
  if (value === undefined && !REQUIRED.has(name)) return undefined;
  try {
    return value === undefined ? expected("a value, which it needs") : READERS[name](value);
  } catch (error) {
    const given = value === undefined || SECRET.has(name) ? "" : `, got ${JSON.stringify(value)}`;
    throw new TypeError(`createGate: ${name}: ${(error as Error).message}${given}`, { cause: error });
  }
}

/** Throws a TypeError that names the option and what was expected. */
export function readGateOptions(
  options: GateOptions,
): CoreConfiguration & { readonly server: string; readonly key: string } {
  const names = Object.keys(READERS) as OptionName[];
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(READERS, name));
  if (unknown !== undefined) {
    throw new TypeError(`createGate: ${unknown}: there is no such option; the options are ${names.join(", ")}`);
  }
  const read = Object.fromEntries(
    names.map((name) => [name, readOption(name, options[name])]),
  ) as unknown as GateOptions;
  const { server, key, team = null, project } = read;
  return {
    server,
    key,
    hosts: [{ host: "*", team, project }],
    trustedProxies: read.trustedProxies ?? LOOPBACK,
    dir: read.dir ?? null,
    whenNoBundle: read.whenNoBundle ?? "open",
    whenError: read.whenError ?? "closed",
    whenBodyUnread: read.whenBodyUnread ?? "closed",
    bodyLimit: read.bodyLimit ?? BODY_LIMIT,
    detectOnly: read.detectOnly ? ["all"] : [],
    redisUrl: read.redisUrl ?? null,
    rateLimitSecret: read.rateLimitSecret ?? null,
    geoDir: read.geoDir ?? null,
    ja4Header: read.ja4Header ?? null,
  };
}
