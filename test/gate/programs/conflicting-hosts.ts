// Requests that name a host in several places or in unusual ways: what a proxy routes by may be another one than what it tells the gate.
import fc from "fast-check";

const SEED = 20_261_127;
const [ADMIN, OPEN] = ["admin.test", "open.test"] as const;

/** Ways to write a name, most of which no client uses. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name}.`,
  (name) => `${name}..`,
  (name) => `.${name}`,
  (name) => `${name}:80`,
  (name) => `${name}.:80`,
  (name) => `${name}:`,
  (name) => `${name}:00080`,
  (name) => `${name}:99999`,
  (name) => `${name}:-1`,
  (name) => `${name}:a`,
  (name) => `:${name}`,
  (name) => ` \t${name}\t `,
  (name) => name.replace(".", " ."),
  (name) => `user@${name}`,
  (name) => `user:secret@${name}`,
  (name) => `[${name}]`,
  (name) => `[${name}]:80`,
  (name) => `[${name}`,
  (name) => `${name}]`,
  (name) => `"${name}"`,
  (name) => `${name}/`,
  (name) => `${name}/x`,
  (name) => `${name}?x`,
  (name) => `${name}#x`,
  (name) => `${name}\\x`,
  (name) => `${name};x`,
  (name) => `${name}%00`,
  (name) => `${name}%20`,
  (name) => `${name}%2e`,
  (name) => `${name}\0`,
  (name) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  (name) => name.replace(".", "%2e"),
  // Full-width forms in UTF-8, which IDNA makes ASCII.
  (name) => name.replace("t", "\xef\xbd\x94"),
  (name) => name.replace(".", "\xe3\x80\x82"),
  (name) => `http://${name}`,
  (name) => `//${name}`,
];

const TOGETHER: readonly ((one: string, other: string) => string)[] = [
  ...[
    ",",
    ", ",
    " ,",
    ";",
    " ",
    "\t",
    "@",
    ":",
    "#",
    "/",
    "?",
    "&",
    "%2c",
    "\\",
    "|",
    "\0",
    ":80,",
    ":80@",
    ".",
    "%00",
  ].map((between) => (one: string, other: string) => `${one}${between}${other}`),
  (one, other) => `[${one}]${other}`,
  (one, other) => `${one}[${other}]`,
];

const NOBODY = [
  "",
  " ",
  "*",
  "_",
  "-",
  ".",
  ":80",
  "@",
  "127.0.0.1",
  "[::1]",
  "[::1]:80",
  "[::ffff:127.0.0.1%25lo]",
  "0",
  "localhost",
  "other.test",
];

const both = (make: (one: string, other: string) => string) => [make(ADMIN, OPEN), make(OPEN, ADMIN)];

/** Values of a Host header. */
const VALUES: readonly string[] = [
  ...[ADMIN, OPEN].flatMap((name) => SPELLINGS.map((spell) => spell(name))),
  ...TOGETHER.flatMap(both),
  ...NOBODY,
];

/** What a request line names, before the path. */
const PREFIXES: readonly ((host: string) => string)[] = [
  () => "",
  (host) => `http://${host}`,
  (host) => `HTTP://${host}`,
  (host) => `https://${host}`,
  (host) => `ws://${host}`,
  (host) => `ftp://${host}`,
  (host) => `x+y://${host}`,
  (host) => `//${host}`,
  (host) => `http:${host}`,
  (host) => `http:/${host}`,
  (host) => `http:///${host}`,
  (host) => `http:\\\\${host}`,
  (host) => host,
];

/** Headers that some servers take for the host, or for a reason to drop it. */
const CLAIMS: readonly ((host: string) => string)[] = [
  ...[
    "X-Forwarded-Host",
    "X-Host",
    "X-Original-Host",
    "X-HTTP-Host-Override",
    "X-Forwarded-Server",
    "X_Forwarded_Host",
    "X.Forwarded.Host",
  ].map((name) => (host: string) => `${name}: ${host}`),
  (host) => `Forwarded: host=${host}`,
  (host) => `Forwarded: for=127.0.0.1;host="${host}"`,
  (host) => `:authority: ${host}`,
  (host) => `Referer: http://${host}/`,
  (host) => `Origin: http://${host}`,
  ...[
    "Host",
    "X-Forwarded-Host",
    "X-Reeve-Decision, X-Forwarded-For",
    "X-Forwarded-Uri, X-Forwarded-Method, X-Forwarded-Proto",
  ].map((names) => () => `Connection: close, ${names}`),
];

/** Lines that say the host, given two values. */
const HOST_LINES: readonly ((one: string, other: string) => readonly string[])[] = [
  (one) => [`Host: ${one}`],
  (one) => [`Host:${one}`],
  (one) => [`hOST: ${one}`],
  (one, other) => [`Host: ${one}`, `Host: ${other}`],
  (one, other) => [`Host: ${one}`, "X-Between: x", `host: ${other}`],
  (one, other) => [`Host: ${one}`, ` ,${other}`],
  (one, other) => [`Host: ${one}`, `\t${other}`],
  (one) => ["Host:", ` ${one}`],
  (one, other) => [`Host : ${other}`, `Host: ${one}`],
  (one, other) => [`Host\t: ${other}`, `Host: ${one}`],
  (one, other) => [` Host: ${other}`, `Host: ${one}`],
  (one, other) => [`Host\0: ${other}`, `Host: ${one}`],
  (one, other) => [`X: y\nHost: ${other}`, `Host: ${one}`],
  (one, other) => [`X: y\rHost: ${other}`, `Host: ${one}`],
  (one) => [`Host: ${one}\n`],
  () => [],
];

export interface RawRequest {
  readonly text: string;
  /** The name of the TLS connection; null: there is none. */
  readonly sni: string | null;
}

interface Parts {
  readonly method?: string;
  readonly prefix?: string;
  readonly lines: readonly string[];
  readonly version?: string;
  readonly sni?: string | null;
}

function write(
  at: number,
  { method = "GET", prefix = "", lines, version = " HTTP/1.1", sni = null }: Parts,
): RawRequest {
  const all = [
    `${method} ${prefix}/${at}${version}`,
    ...lines,
    ...(lines.some((line) => line.startsWith("Connection")) ? [] : ["Connection: close"]),
  ];
  return { text: version === "" ? `${all[0]}\r\n` : `${all.join("\r\n")}\r\n\r\n`, sni };
}

const value = fc.constantFrom(...VALUES);
const name = fc.constantFrom<string>(ADMIN, OPEN);
const anything = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "HEAD", "OPTIONS", "CONNECT", "PROPFIND"),
  prefix: fc.tuple(fc.constantFrom(...PREFIXES), fc.oneof(name, value)).map(([make, host]) => make(host)),
  lines: fc
    .tuple(
      fc.constantFrom(...HOST_LINES),
      fc.oneof(name, value),
      fc.oneof(name, value),
      fc.option(fc.tuple(fc.constantFrom(...CLAIMS), name)),
    )
    .map(([make, one, other, claim]) => [...make(one, other), ...(claim ? [claim[0](claim[1])] : [])]),
  version: fc.constantFrom(
    " HTTP/1.1",
    " HTTP/1.1",
    " HTTP/1.1",
    " HTTP/1.0",
    "",
    " HTTP/1.2",
    " HTTP/2.0",
    " http/1.1",
  ),
  sni: fc.constantFrom(null, null, ADMIN, OPEN, "other.test"),
});

/** HTTP/1: each unusual way by itself, then mixtures. Their paths are their places in the list. */
export function rawRequests(mixtures: number): readonly RawRequest[] {
  const parts: readonly Parts[] = [
    ...VALUES.map((one) => ({ lines: [`Host: ${one}`] })),
    ...VALUES.flatMap((one) => [OPEN, ADMIN].map((host) => ({ prefix: `http://${one}`, lines: [`Host: ${host}`] }))),
    ...PREFIXES.flatMap((make) =>
      both((one, other) => `${one} ${other}`).map((pair) => {
        const [one = "", other = ""] = pair.split(" ");
        return { prefix: make(one), lines: [`Host: ${other}`] };
      }),
    ),
    ...HOST_LINES.flatMap((make) => [{ lines: make(ADMIN, OPEN) }, { lines: make(OPEN, ADMIN) }]),
    ...CLAIMS.flatMap((make) => [{ lines: [`Host: ${ADMIN}`, make(OPEN)] }, { lines: [`Host: ${OPEN}`, make(ADMIN)] }]),
    ...["", " HTTP/1.0"].flatMap((version) => [
      { lines: [], version },
      { lines: [], version, prefix: `http://${ADMIN}` },
      { lines: [`Host: ${OPEN}`], version, prefix: `http://${ADMIN}` },
    ]),
    ...[ADMIN, OPEN, "other.test"].flatMap((sni) => VALUES.map((one) => ({ lines: [`Host: ${one}`], sni }))),
    ...fc.sample(anything, { seed: SEED, numRuns: mixtures }),
  ];
  return parts.map((part, at) => write(at, part));
}

export interface Http2Request {
  readonly sni: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** HTTP/2 and HTTP/3, where a pseudo-header names the host. */
export function http2Requests(): readonly Http2Request[] {
  const pairs: Readonly<Record<string, string>>[] = [
    ...VALUES.map((one) => ({ ":authority": one.trim() })),
    ...VALUES.map((one) => ({ host: one.trim() })),
    ...VALUES.flatMap((one) => [ADMIN, OPEN].map((host) => ({ ":authority": host, host: one.trim() }))),
    ...VALUES.flatMap((one) => [ADMIN, OPEN].map((host) => ({ ":authority": one.trim(), host }))),
    ...[ADMIN, OPEN].flatMap((host) =>
      PREFIXES.map((make) => ({ ":authority": host, ":path": `${make(host === ADMIN ? OPEN : ADMIN)}/` })),
    ),
    ...[ADMIN, OPEN].flatMap((host) =>
      CLAIMS.map((make) => {
        const [claim = "", said = ""] = make(host === ADMIN ? OPEN : ADMIN).split(": ");
        return claim.startsWith(":") || claim === "Connection"
          ? { ":authority": host }
          : { ":authority": host, [claim.toLowerCase()]: said };
      }),
    ),
  ];
  const tunnels: Readonly<Record<string, string>>[] = [ADMIN, OPEN].flatMap((host) => [
    { ":method": "CONNECT", ":authority": host },
    { ":method": "CONNECT", ":authority": `${host}:80` },
    { ":method": "CONNECT", ":protocol": "websocket", ":scheme": "https", ":path": "/", ":authority": host },
    { ":method": "CONNECT", ":protocol": "connect-udp", ":scheme": "https", ":path": "/", ":authority": host },
  ]);
  return [OPEN, ADMIN].flatMap((sni) => [
    ...pairs.map((headers, at) => ({ sni, headers: { ":scheme": "https", ":path": `/${sni}/${at}`, ...headers } })),
    ...tunnels.map((headers) => ({ sni, headers })),
  ]);
}
