// Checks REEVE_DATABASE_URL as libpq checks a connection string: unknown and malformed parameters are refused, because one that is
// passed over can mean a connection without TLS or without limits. No message repeats a value: parts of a password that were not
// percent-encoded may stand anywhere in the text.
import { readCertificates, readPrivateKey } from "./certificate-files.ts";
import { expected } from "../../platform/kernel/settings/setting-values.ts";
import { nearestHint } from "../../platform/kernel/text/nearest-name.ts";
import { completeUrl } from "./postgres-variables.ts";
import type { UrlParts } from "./postgres-variables.ts";

type Check = (value: string) => unknown;

const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value) || expected(`one of ${values.join(", ")}`);

const text: Check = (value) => value !== "" || expected("a value");

const milliseconds: Check = (value) =>
  (/^\d{1,10}$/.test(value) && Number(value) < 2 ** 31) || expected("milliseconds, an integer from 0");

const port: Check = (value) => isPort(value) || expected("an integer from 1 to 65535");

/** libpq takes lists here; the driver would look for one host of this name. */
const oneHost: Check = (value) => {
  if (value === "" || value.includes(",")) {
    expected("one host; write several before the path, as in postgres://user:password@db1:5432,db2:5432/database,");
  }
};

/** What of libpq's parameters, and of the driver's, a URL may set. https://www.postgresql.org/docs/current/libpq-connect.html */
const PARAMETERS: Readonly<Record<string, Check>> = {
  host: oneHost,
  port,
  user: text,
  password: text,
  options: text,
  client_encoding: (value) => /^utf-?8$/i.test(value) || expected("UTF8"),
  target_session_attrs: oneOf("any", "read-write", "primary"),
  ssl: oneOf("true", "1", "false", "0", "no-verify"),
  sslmode: oneOf("disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"),
  sslcert: readCertificates,
  sslkey: readPrivateKey,
  sslrootcert(value) {
    if (value === "system") {
      expected(
        "a file; without one the authorities are those of Node.js, with NODE_OPTIONS=--use-system-ca the system's,",
      );
    }
    readCertificates(value);
  },
  sslnegotiation: oneOf("postgres", "direct"),
  uselibpqcompat: oneOf("true", "false"),
  statement_timeout: milliseconds,
  lock_timeout: milliseconds,
  idle_in_transaction_session_timeout: milliseconds,
  query_timeout: milliseconds,
};

const NAMES = Object.keys(PARAMETERS);

/** Parameters of libpq that would have no effect here, and what holds instead. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  application_name: "Reeve has its own, by which others see that the store is in use",
  channel_binding: "sslmode=verify-full excludes a server in between",
  connect_timeout: "Reeve waits 3 s for each host",
  dbname: "name the database in the path",
  fallback_application_name: "Reeve has its own name",
  gssencmode: "Reeve encrypts by TLS alone",
  gssdelegation: "Reeve logs in without Kerberos",
  gsslib: "Reeve logs in without Kerberos",
  hostaddr: "name the address as the host",
  keepalives: "Reeve looks after 5 s",
  keepalives_idle: "Reeve looks after 5 s",
  keepalives_interval: "Reeve looks after 5 s",
  keepalives_count: "Reeve looks after 5 s",
  krbsrvname: "Reeve logs in without Kerberos",
  load_balance_hosts: "Reeve uses the host that accepts writes",
  max_protocol_version: "Reeve speaks 3.0, as every server does",
  min_protocol_version: "Reeve speaks 3.0, as every server does",
  oauth_client_id: "Reeve logs in by a password or a certificate",
  oauth_client_secret: "Reeve logs in by a password or a certificate",
  oauth_issuer: "Reeve logs in by a password or a certificate",
  oauth_scope: "Reeve logs in by a password or a certificate",
  passfile: "use REEVE_DATABASE_URL_FILE",
  replication: "Reeve reads no stream of changes",
  require_auth: "pg_hba.conf of the server says how to log in",
  requirepeer: "the folder of a socket says whose it is",
  requiressl: "use sslmode",
  scram_client_key: "use a password",
  scram_server_key: "use a password",
  service: "name the server itself",
  servicefile: "name the server itself",
  ssl_max_protocol_version: "Node.js chooses the newest: NODE_OPTIONS=--tls-max-v1.2",
  ssl_min_protocol_version: "it is TLSv1.2: NODE_OPTIONS=--tls-min-v1.3",
  sslcertmode: "a certificate is sent when sslcert names one",
  sslcompression: "TLS compresses nothing",
  sslcrl: "Reeve reads no list of revoked certificates",
  sslcrldir: "Reeve reads no list of revoked certificates",
  sslkeylogfile: "NODE_OPTIONS=--tls-keylog=FILE",
  sslpassword: "use a key without a passphrase",
  sslsni: "Reeve sends the host's name",
  tcp_user_timeout: "use query_timeout",
};

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535;
}

/** A part of a password may look like a parameter. */
function nameOf(name: string): string {
  return /^[a-z][a-z_]{1,39}$/i.test(name) ? `the parameter ${name}` : "a parameter";
}

function requireParameter(name: string, value: string): void {
  const check = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
  if (!check) {
    const instead = Object.hasOwn(WITHOUT_EFFECT, name) ? WITHOUT_EFFECT[name] : undefined;
    const why = instead === undefined ? `unknown${nearestHint(name, NAMES)}` : `of no effect (${instead})`;
    expected(`known parameters, and ${nameOf(name)} is ${why}`);
  }
  try {
    check(value);
  } catch (error) {
    throw new Error(`${(error as Error).message} in ${nameOf(name)}`, { cause: error });
  }
}

function readParameters(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query.split("&")) {
    const [, name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(part) ?? [];
    if (value === undefined) expected(`name=value, and ${nameOf(name)} has no value`);
    if (parameters.has(name)) expected(`each parameter once, and ${nameOf(name)} is there twice`);
    // libpq takes a + as it is, and what makes URLs for browsers writes it for a space.
    if (value.includes("+")) expected(`%20 for a space and %2B for a + in ${nameOf(name)}`);
    parameters.set(name, decodeURIComponent(value));
  }
  return parameters;
}

/** What `ssl` and `sslmode` mean, where it is not TLS with a verified certificate. */
const MEANINGS: Readonly<Record<string, string>> = {
  disable: "off",
  false: "off",
  "0": "off",
  "no-verify": "unverified",
};

function requireTlsTogether(parameters: ReadonlyMap<string, string>): void {
  const [ssl, mode] = ["ssl", "sslmode"].map((name) => parameters.get(name));
  const [meant, meaning] = [ssl, mode].map((value) => value && (MEANINGS[value] ?? "verified"));
  if (meant && meaning && meant !== meaning) expected(`sslmode alone, since ssl=${ssl} contradicts sslmode=${mode}`);
  const written = mode === undefined ? `ssl=${ssl}` : `sslmode=${mode}`;
  const tls = meaning ?? meant;
  const file = ["sslrootcert", "sslcert", "sslkey"].find((name) => parameters.has(name));
  if (tls === "off" && file) expected(`no ${file} beside ${written}, which turns TLS off`);
  if (tls === "unverified" && parameters.has("sslrootcert")) {
    expected(`no sslrootcert beside ${written}, which verifies no certificate`);
  }
  if (parameters.get("sslnegotiation") === "direct" && (tls ?? (file ? "" : "off")) === "off") {
    expected("an sslmode with TLS beside sslnegotiation=direct");
  }
  const [certificate, key] = [parameters.get("sslcert"), parameters.get("sslkey")];
  if (certificate !== undefined && key !== undefined) {
    if (!readCertificates(certificate)[0].checkPrivateKey(readPrivateKey(key)))
      expected("sslkey to be the key of sslcert");
  } else if (certificate !== key) expected("sslcert and sslkey together");
  const isAuthorityNeeded = parameters.get("sslmode") === "verify-ca" && parameters.get("uselibpqcompat") === "true";
  if (isAuthorityNeeded && !parameters.has("sslrootcert")) expected("sslrootcert beside sslmode=verify-ca");
}

const HOST = /^([\p{L}\p{N}._-]+|\[[\da-f:.]+\]|%2f[\w.%-]+)?(?::(.*))?$/iu;

function requireHosts(list: string): void {
  for (const host of list.split(",")) {
    const [isHost, name, hostPort] = HOST.exec(host) ?? [];
    if (isHost === undefined || (host === "" && list !== "")) {
      expected(
        "host names or addresses, separated by commas, and in the name and the password %2F for /, %3F for ? and %40 for @",
      );
    }
    if (hostPort === undefined) continue;
    if (!isPort(hostPort)) expected("a port from 1 to 65535 behind the colon of a host");
    if (name === undefined) expected("a host before the colon of a port");
  }
}

/** Null where a % begins no code of a character. */
function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Refuses what is said before the path and in the query too, where libpq takes the latter. */
function requireOnce(login: string, hosts: string, parameters: ReadonlyMap<string, string>): void {
  const said = {
    user: /^[^:]/.test(login),
    password: login.includes(":"),
    host: hosts !== "",
    port: /:\d+(?:,|$)/.test(hosts),
  };
  for (const [name, isSaid] of Object.entries(said)) {
    if (isSaid && parameters.has(name))
      expected(`one ${name}, and the parameter ${name} is another beside that before the path`);
  }
}

const URL_PARTS = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^@/?#]*))?(?:\?([^#]*))?$/;

/** The parts of a URL that can be used. Throws an Error that says what was expected. The URL class supports no lists of hosts. */
function requireUrl(url: string): UrlParts {
  if (!/^postgres(?:ql)?:\/\/\S*$/.test(url)) expected("a URL that starts with postgres://");
  const [isUrl, login = "", hosts = "", database = "", query] = URL_PARTS.exec(url) ?? [];
  if (isUrl === undefined) {
    expected(
      "postgres://user:password@host:port/database, and in the name and the password %2F for /, %3F for ?, %40 for @ and %23 for #",
    );
  }
  for (const part of [login, hosts, database, query ?? ""]) {
    const decoded = decode(part) ?? expected("%25 for each % that begins no code of a character");
    // oxlint-disable-next-line no-control-regex -- the expression searches for them
    if (/[\u0000-\u001f]/.test(decoded)) expected("no code of a control character, such as %00 or %0A");
  }
  requireHosts(hosts);
  // The driver reads a name from the path in this way.
  if (decodeURI(database) !== decodeURIComponent(database))
    expected("a database without any of / ? # ; : @ & = + $ , in its name");
  const parameters = query === undefined ? new Map<string, string>() : readParameters(query);
  for (const [name, value] of parameters) requireParameter(name, value);
  requireOnce(login, hosts, parameters);
  if (hosts.includes(",") && parameters.get("target_session_attrs") === "any") {
    expected("read-write or primary of several hosts, because Reeve writes, in the parameter target_session_attrs");
  }
  requireTlsTogether(parameters);
  const [statement, response] = ["statement_timeout", "query_timeout"].map((name) => parameters.get(name));
  // 0: the server ends no statement.
  if (Number(response ?? 12_000) <= (Number(statement ?? 10_000) || Infinity)) {
    expected("a query_timeout (12000 unless given) that is longer than statement_timeout (10000 unless given)");
  }
  return { login, hosts, database, parameters };
}

/** The URL with what it leaves out and variables of libpq say. Throws an Error that says what was expected. */
export function databaseUrl(written: string, environment: NodeJS.ProcessEnv = {}): string {
  const { url, variables } = completeUrl(written, requireUrl(written), environment);
  try {
    requireUrl(url);
  } catch (error) {
    throw new Error(`${(error as Error).message}, with ${variables.join(", ")} of the environment`, { cause: error });
  }
  return url;
}

/** Variables of libpq that are set and have no effect, with what holds instead. */
export function listWithoutEffect(environment: NodeJS.ProcessEnv): readonly string[] {
  const squash = (name: string) => name.replaceAll("_", "").toLowerCase();
  const byVariable = new Map(
    Object.entries({ ...WITHOUT_EFFECT, appname: WITHOUT_EFFECT["application_name"] as string })
      // The driver reads this file.
      .filter(([name]) => name !== "passfile")
      .map(([name, instead]) => [`pg${squash(name)}`, instead]),
  );
  return Object.entries(environment).flatMap(([name, value]) => {
    const instead = name.startsWith("PG") && value ? byVariable.get(squash(name)) : undefined;
    return instead === undefined ? [] : [`${name} (${instead})`];
  });
}
