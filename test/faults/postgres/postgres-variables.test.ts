// The variables of libpq say what a database URL leaves out, as docs/postgresql.md says, or an operator is told that they have no effect.
// The server belongs to this test.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TestContext } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import { createAuthority } from "../../postgres/authority.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import { FLAGS, dataDir } from "./told.ts";
import type { DoctorLine } from "./told.ts";

type Variables = Readonly<Record<string, string>>;

const known = createAuthority(dataDir, "known");
const foreign = createAuthority(dataDir, "foreign");
const OPTIONS = "-c search_path=elsewhere -c work_mem=5MB";

let node: PostgresNode;
let variables: Variables;
before(async () => {
  node = await createPostgresNode("variables", {
    configuration: [
      "ssl = on",
      "ssl_cert_file = 'server.crt'",
      "ssl_key_file = 'server.key'",
      "ssl_ca_file = 'ca.crt'",
    ],
  });
  const { certificate, key } = known.sign("server", "localhost");
  node.write("ca.crt", readFileSync(known.file, "utf8"));
  node.write("server.crt", readFileSync(certificate, "utf8"));
  node.write("server.key", readFileSync(key, "utf8"));
  node.write("pg_hba.conf", "hostssl all certified all cert\nhost all all all password\n");
  await node.start();
  for (const sql of [
    "create role named login superuser password 'of it'",
    "create role certified login superuser",
    "create database chosen",
  ])
    await node.query(sql);
  variables = {
    PGHOST: "localhost",
    PGPORT: String(node.port),
    PGUSER: "named",
    PGPASSWORD: "of it",
    PGDATABASE: "chosen",
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: known.file,
  };
});
after(() => node.remove());

/** The sessions that a server has with a URL and variables. */
async function sessionsOf(
  t: TestContext,
  databaseUrl: string,
  more: Variables,
): Promise<Readonly<Record<string, unknown>> & { readonly log: string }> {
  const server = await serveReeve({ ...FLAGS, databaseUrl }, more);
  t.after(() => stopReeve(server));
  const sessions = await node.query(`select distinct usename, datname, ssl, application_name, client_dn
    from pg_stat_activity join pg_stat_ssl using (pid) where application_name like 'reeve%'`);
  await stopReeve(server);
  assert.equal(sessions.length, 1);
  return { ...sessions[0], log: server.logged() };
}

async function examine(databaseUrl: string, more: Variables): Promise<readonly DoctorLine[]> {
  const { stdout, stderr } = await runReeve(["doctor", "--json"], { ...FLAGS, databaseUrl }, more);
  return (JSON.parse(stdout || stderr) as { readonly findings: readonly DoctorLine[] }).findings;
}

const refuse = async (databaseUrl: string, more: Variables) =>
  await runReeve(["serve", "--port", "0"], { ...FLAGS, databaseUrl }, more);

test("an empty URL is completed by the variables", async (t) => {
  await node.query("create database plain");
  const { log, ...session } = await sessionsOf(t, "postgres://", variables);
  assert.deepEqual(session, {
    usename: "named",
    datname: "chosen",
    ssl: true,
    application_name: "reeve-2",
    client_dn: null,
  });
  assert.doesNotMatch(log, /of it|no effect/);
  // The certificate of the client, and options of the session.
  const { certificate, key } = known.sign("certified");
  const more = { PGUSER: "certified", PGPASSWORD: "", PGSSLCERT: certificate, PGSSLKEY: key, PGDATABASE: "plain" };
  const own = await sessionsOf(t, "postgresql:///", { ...variables, ...more });
  assert.deepEqual([own["usename"], own["datname"], own["client_dn"]], ["certified", "plain", "/CN=certified"]);
});

test("PGOPTIONS reach the session", async (t) => {
  await node.query("create database optional");
  const url = `postgres://${node.login}@localhost:${node.port}/optional`;
  const migrated = await runReeve(["migrate"], { ...FLAGS, databaseUrl: url }, { PGOPTIONS: OPTIONS });
  assert.equal(migrated.code, 69);
  assert.match(migrated.stderr, /no schema of the search_path elsewhere exists/);
  await sessionsOf(t, url, { PGOPTIONS: "-c search_path=public" });
});

test("a URL that says it itself is not changed by the variables", async (t) => {
  await node.query("create database explicit");
  const wrong: Variables = {
    PGHOST: "192.0.2.1",
    PGPORT: "1",
    PGUSER: "nobody",
    PGPASSWORD: "wrong",
    PGDATABASE: "none",
    PGSSLMODE: "disable",
    PGSSLROOTCERT: foreign.file,
    PGOPTIONS: OPTIONS,
    PGTARGETSESSIONATTRS: "standby",
  };
  const tls = `sslmode=verify-full&sslrootcert=${known.file}`;
  const query = `${tls}&options=-c%20search_path%3Dpublic&target_session_attrs=primary`;
  const url = `postgres://${node.login}@localhost:${node.port}/explicit?${query}`;
  const { usename, datname, ssl } = await sessionsOf(t, url, wrong);
  assert.deepEqual([usename, datname, ssl], ["postgres", "explicit", true]);
});

test("TLS that the variables ask for is refused where the server or its certificate does not give it", async () => {
  const { code, stderr } = await refuse("postgres://", { ...variables, PGSSLROOTCERT: foreign.file });
  assert.equal(code, 69);
  assert.match(stderr, /^reeve: .*localhost:\d+: .*certificate.*: see the host, sslmode, sslrootcert/);
  const other = await refuse(`postgres://${node.login}@127.0.0.1:${node.port}/chosen`, {
    PGSSLMODE: "verify-full",
    PGSSLROOTCERT: known.file,
  });
  assert.match(other.stderr, /does not match certificate's altnames/);
});

test("a variable that cannot be used is refused at the start with its name", async () => {
  for (const [more, words] of [
    [{ PGSSLMODE: "verify_full" }, /expected one of disable, .* in the parameter sslmode, with PGSSLMODE of the envi/],
    [{ PGPORT: "0" }, /expected a port from 1 to 65535 .*, with PGPORT of the environment/],
    [{ PGSSLROOTCERT: "/nowhere.crt" }, /sslrootcert, with PGSSLROOTCERT of the environment/],
    [{ PGTARGETSESSIONATTRS: "standby" }, /expected one of any, read-write, primary .*, with PGTARGETSESSIONATTRS/],
  ] as const) {
    const { code, stderr } = await refuse("postgres://reeve@db/reeve", more);
    assert.equal(code, 78, stderr);
    assert.match(stderr, words);
    assert.equal(stderr.trim().split("\n").length, 1);
  }
});

test("the password is in the file of PGPASSFILE where nothing else says it", async (t) => {
  const file = join(dataDir, "passwords");
  writeFileSync(file, `localhost:${node.port}:chosen:named:of it\n`);
  chmodSync(file, 0o600);
  const { PGPASSWORD: _, ...without } = variables;
  const { usename, log } = await sessionsOf(t, "postgres://", { ...without, PGPASSFILE: file });
  assert.equal(usename, "named");
  assert.doesNotMatch(log, /no effect/);
});

test("variables of libpq without effect are named by the log of a start and by doctor", async (t) => {
  const ignored: Variables = {
    PGAPPNAME: "mine",
    PGCONNECT_TIMEOUT: "1",
    PGSERVICE: "none",
    PGSSLCRL: "/nowhere.crl",
    PGCHANNELBINDING: "require",
    PGREQUIREAUTH: "none",
    PGHOSTADDR: "192.0.2.1",
  };
  const { application_name: name, log } = await sessionsOf(t, "postgres://", { ...variables, ...ignored });
  assert.equal(name, "reeve-2");
  const [told, ...others] = (await examine("postgres://", { ...variables, ...ignored })).filter(
    ({ check }) => check === "variables",
  );
  assert.equal(told?.status, "warning");
  assert.deepEqual(others, []);
  for (const variable of Object.keys(ignored)) {
    assert.ok(log.includes(`${variable} (`), `${variable} in ${log}`);
    assert.ok(told?.detail.includes(`${variable} (`), `${variable} in ${told?.detail}`);
  }
  // Those that have one are not, nor are any on the embedded store.
  for (const variable of Object.keys(variables)) assert.ok(!told?.detail.includes(`${variable} (`), variable);
  assert.ok(!(await examine("postgres://", variables)).some(({ check }) => check === "variables"));
  const { stdout, stderr } = await runReeve(["doctor", "--json"], FLAGS, ignored);
  assert.doesNotMatch(stdout + stderr, /PGSSLCRL/);
});
