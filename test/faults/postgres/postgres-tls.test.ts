// TLS to PostgreSQL: what each mode of docs/postgresql.md verifies, and what an operator is told when a certificate or a file of
// certificates is refused. The server belongs to this test.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPostgres } from "../../../src/platform/store/postgres/postgres.ts";
import { runReeve } from "../../cli/reeve-process.ts";
import { createAuthority } from "../../postgres/authority.ts";
import type { SignedPair } from "../../postgres/authority.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import {
  FLAGS,
  assertNamed,
  createTeam,
  dataDir,
  endSessions,
  startServer,
  untilCode,
  untilLogged,
  untilReady,
} from "./told.ts";

const known = createAuthority(dataDir, "known");
const foreign = createAuthority(dataDir, "foreign");
const rootFile = `sslrootcert=${known.file}`;
const ADVICE = "see the host, sslmode, sslrootcert, sslcert and sslkey in REEVE_DATABASE_URL";

let node: PostgresNode;
before(async () => {
  node = await createPostgresNode("encrypted", {
    configuration: [
      "ssl = on",
      "ssl_cert_file = 'server.crt'",
      "ssl_key_file = 'server.key'",
      "ssl_ca_file = 'ca.crt'",
    ],
  });
  node.write("ca.crt", readFileSync(known.file, "utf8"));
  node.write("pg_hba.conf", "hostssl all certified all cert\nhost all all all password\n");
  present(known.sign("server", "localhost"));
  await node.start();
  await node.query("create role certified login superuser");
  assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl: urlOf("sslmode=disable") })).code, 0);
});
after(() => node.remove());

/** The certificate of the server says `localhost`. */
const urlOf = (query: string, { host = `localhost:${node.port}`, login = node.login } = {}) =>
  `postgres://${login}@${host}/postgres?${query}`;

/** What the server presents from its next start or reload on. */
function present({ certificate, key }: SignedPair): void {
  node.write("server.crt", readFileSync(certificate, "utf8"));
  node.write("server.key", readFileSync(key, "utf8"));
}

async function presentNow(pair: SignedPair): Promise<void> {
  present(pair);
  await node.query("select pg_reload_conf()");
}

/** Whether a session is encrypted, or the reason of the refusal. */
async function connect(url: string): Promise<unknown> {
  try {
    const database = await openPostgres(url);
    const [row] = await database.admin.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
    await database.close();
    return row?.["ssl"] === true ? "TLS" : "plain";
  } catch (error) {
    return (error as { readonly reason?: string }).reason ?? error;
  }
}

test("each mode verifies what the page says, against a local certificate authority", async () => {
  // The right host and authority; the wrong host; the wrong authority.
  for (const [query, ...expected] of [
    ["", "plain", "plain", "plain"],
    ["sslmode=disable", "plain", "plain", "plain"],
    ["sslrootcert=ROOT", "TLS", "tls_refused", "tls_refused"],
    ...["allow", "prefer", "require", "verify-ca", "verify-full"].map(
      (mode) => [`sslmode=${mode}&sslrootcert=ROOT`, "TLS", "tls_refused", "tls_refused"] as const,
    ),
    ["sslmode=verify-full", "tls_refused", "tls_refused", "tls_refused"],
    ["sslmode=no-verify", "TLS", "TLS", "TLS"],
    ["sslmode=prefer&uselibpqcompat=true", "TLS", "TLS", "TLS"],
    ["sslmode=require&uselibpqcompat=true", "TLS", "TLS", "TLS"],
    ["sslmode=require&uselibpqcompat=true&sslrootcert=ROOT", "TLS", "TLS", "tls_refused"],
    ["sslmode=verify-ca&uselibpqcompat=true&sslrootcert=ROOT", "TLS", "TLS", "tls_refused"],
    ["sslmode=verify-full&sslnegotiation=direct&sslrootcert=ROOT", "TLS", "tls_refused", "tls_refused"],
  ] as const) {
    const of = (file: string, host?: string) => connect(urlOf(query.replace("ROOT", file), host ? { host } : {}));
    const found = [await of(known.file), await of(known.file, node.host), await of(foreign.file)];
    assert.deepEqual(found, expected, query);
  }
});

test("a certificate of the client is its login, and the server refuses one of another authority", async (t) => {
  const login = "certified";
  const queryWith = ({ certificate, key }: SignedPair) => `${rootFile}&sslcert=${certificate}&sslkey=${key}`;
  const server = await startServer(t, { databaseUrl: urlOf(queryWith(known.sign(login)), { login }) });
  assert.equal(await createTeam(server, "certified"), 200);
  await assertNamed(
    urlOf(queryWith(known.sign("other")), { login }),
    /certificate authentication failed .*\(28000\): see/,
  );
  await assertNamed(urlOf(rootFile, { login }), /connection requires a valid client certificate \(28000\): see/);
  await assertNamed(
    urlOf(queryWith(foreign.sign(login)), { login }),
    new RegExp(`at localhost:${node.port}: SSL routines: .*unknown ca: ${ADVICE}`),
  );
});

test("a certificate of the client that is renewed in its files is what new connections present", async (t) => {
  const login = "certified";
  const first = known.sign(login);
  const server = await startServer(t, {
    databaseUrl: urlOf(`${rootFile}&sslcert=${first.certificate}&sslkey=${first.key}`, { login }),
  });
  const listSerials = async () => {
    const rows = await node.query(
      `select distinct client_serial::text as serial from pg_stat_ssl join pg_stat_activity using (pid) where usename = '${login}'`,
    );
    return rows.map(({ serial }) => serial);
  };
  const serialOf = ({ certificate }: SignedPair) =>
    String(BigInt(`0x${new X509Certificate(readFileSync(certificate)).serialNumber}`));
  assert.equal(await createTeam(server, "first-certificate"), 200);
  assert.deepEqual(await listSerials(), [serialOf(first)]);
  const second = known.sign(login);
  copyFileSync(second.certificate, first.certificate);
  copyFileSync(second.key, first.key);
  server.child.kill("SIGHUP");
  await untilLogged(server, /SIGHUP: the database's URL is as it was/);
  await endSessions(node);
  assert.equal(await createTeam(server, "second-certificate"), 200);
  assert.deepEqual(await listSerials(), [serialOf(second)]);
});

test("a refused certificate is named at the start and by doctor, with the host and what to do", async () => {
  const host = node.host.replaceAll(".", "\\.");
  for (const [url, words] of [
    [
      urlOf("sslmode=verify-full"),
      `at localhost:${node.port}: self-signed certificate in certificate chain: ${ADVICE}`,
    ],
    [urlOf(`sslrootcert=${foreign.file}`), `at localhost:${node.port}: .*certificate.*: ${ADVICE}`],
    [urlOf(rootFile, { host: node.host }), `at ${host}: .* does not match certificate's altnames.*: ${ADVICE}`],
  ] as const) {
    await assertNamed(url, new RegExp(words));
  }
  await node.query("alter system set ssl = off");
  await node.query("select pg_reload_conf()");
  await assertNamed(urlOf(rootFile), new RegExp(`: The server does not support SSL connections: ${ADVICE}`));
  await node.query("alter system reset ssl");
  await node.query("select pg_reload_conf()");
});

test("a running server names a certificate and a file that are refused, and goes on once they are mended", async (t) => {
  const file = join(dataDir, "root.crt");
  copyFileSync(known.file, file);
  const server = await startServer(t, { databaseUrl: urlOf(`sslmode=verify-full&sslrootcert=${file}`) });
  const untilRefused = async (words: string) => {
    await endSessions(node);
    await untilCode(server, "store_tls_refused");
    assert.equal(await createTeam(server, "refused"), 503);
    await untilLogged(server, new RegExp(`"store_tls_refused".*localhost:${node.port}: .*${words}.*${ADVICE}`));
  };
  const right = known.sign("server", "localhost");
  for (const [wrong, words] of [
    [foreign.sign("server", "localhost"), "certificate"],
    [known.sign("server", "db.example.com"), "does not match certificate's altnames"],
  ] as const) {
    await presentNow(wrong);
    await untilRefused(words);
    await presentNow(right);
    await untilReady(server);
  }
  // Files are read at each connection.
  for (const [spoil, words] of [
    [() => rmSync(file), "ENOENT: no such file or directory, open "],
    [() => writeFileSync(file, "no certificate\n"), "self-signed certificate in certificate chain"],
  ] as const) {
    spoil();
    await untilRefused(words);
    copyFileSync(known.file, file);
    await untilReady(server);
  }
  assert.equal(await createTeam(server, "trusted-again"), 200);
});
