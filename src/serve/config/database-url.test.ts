import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { makeCertificate } from "../../../test/egress/certificate.ts";
import { parsePostgresUrl } from "../../platform/store/postgres/hosts.ts";
import { databaseUrl } from "./database-url.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-database-url-"));
after(() => rmSync(folder, { recursive: true, force: true }));
function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}
const { cert, key } = makeCertificate("reeve.example");
const [certFile, keyFile] = [write("cert.pem", cert), write("key.pem", key)];
const otherKeyFile = write("other.pem", makeCertificate("reeve.example").key);
/** The second certificate of a list. */
const damagedFile = write("damaged.pem", cert + cert.replace(/\n.{9}/, "\n"));

const accept = (query: string) => databaseUrl(`postgres://reeve:hunter2@db/reeve?${query}`);

/** The error's message. */
function refuse(url: string): string {
  try {
    databaseUrl(url);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`accepted: ${url}`);
}

const refuseQuery = (query: string) => refuse(`postgres://reeve:hunter2@db/reeve?${query}`);

test("what libpq and the driver understand is accepted as it is", () => {
  for (const url of [
    "postgres://db",
    "postgresql://db/",
    "postgres://reeve@db:5432/reeve",
    "postgres://reeve:p%40ss%2Fword%3F@db.example.com/reeve",
    "postgres://reeve:p@ss@db.example.com/reeve",
    "postgres://db1:5432,db2:5433,[::1]:5434/reeve?target_session_attrs=read-write",
    "postgres:///reeve?host=/var/run/postgresql",
    "postgres://%2Fvar%2Frun%2Fpostgresql/reeve",
    "postgres://b%C3%BCro@bücher.example/reeve",
    `postgres://db/reeve?sslmode=verify-full&sslrootcert=${certFile}&sslcert=${certFile}&sslkey=${keyFile}`,
    "postgres://db/reeve?sslmode=require&uselibpqcompat=true&sslnegotiation=direct",
    "postgres://db/reeve?options=-c%20search_path%3Dreeve",
    "postgres://db/reeve?statement_timeout=30000&query_timeout=32000&lock_timeout=0",
    "postgres://reeve@/reeve?host=fe80::1%25eth0&port=5433",
    "postgres://db/re%20e%25ve",
    "postgres://db1,db2/reeve?target_session_attrs=prim%61ry&port=5433",
  ]) {
    assert.equal(databaseUrl(url), url);
  }
});

test("an unknown parameter is refused, with the one that was probably meant", () => {
  assert.match(
    refuseQuery("sslmod=verify-full&statement_timout=5"),
    /parameter sslmod is unknown; did you mean sslmode\?$/,
  );
  assert.match(refuseQuery("statement_timout=5"), /did you mean statement_timeout\?$/);
  assert.match(refuseQuery("SSLMODE=verify-full"), /parameter SSLMODE is unknown/);
  assert.match(refuseQuery("pgbouncer=true"), /parameter pgbouncer is unknown$/);
  assert.match(refuseQuery("constructor=x"), /parameter constructor is unknown/);
});

test("a parameter of libpq that would have no effect is refused, with what holds instead", () => {
  assert.match(refuseQuery("connect_timeout=10"), /connect_timeout is of no effect \(Reeve waits 3 s for each host\)$/);
  assert.match(refuseQuery("channel_binding=require"), /of no effect \(sslmode=verify-full/);
  assert.match(refuseQuery("application_name=x"), /of no effect \(Reeve has its own/);
});

// https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-PARAMKEYWORDS, in its order
const LIBPQ =
  `host hostaddr port dbname user password passfile require_auth channel_binding connect_timeout client_encoding options
  application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
  replication gssencmode sslmode requiressl sslnegotiation sslcompression sslcert sslkey sslkeylogfile sslpassword sslcertmode
  sslrootcert sslcrl sslcrldir sslsni requirepeer ssl_min_protocol_version ssl_max_protocol_version min_protocol_version
  max_protocol_version krbsrvname gsslib gssdelegation scram_client_key scram_server_key service servicefile target_session_attrs
  load_balance_hosts oauth_issuer oauth_client_id oauth_scope oauth_client_secret`.split(/\s+/);

test("no parameter of libpq is called unknown", () => {
  // What is taken is followed by what is not.
  for (const name of LIBPQ)
    assert.doesNotMatch(refuse(`postgres:///reeve?${name}=,&lock_timeout=x`), /is unknown/, name);
});

test("a malformed parameter is refused", () => {
  for (const [query, message] of [
    ["sslmode=verify_full", /^expected one of disable, .* in the parameter sslmode$/],
    ["sslmode=", /^expected one of disable/],
    ["sslmode", /the parameter sslmode has no value/],
    ["", /name=value/],
    ["sslmode=disable&", /name=value/],
    ["sslmode=verify-full&sslmode=disable", /each parameter once, and the parameter sslmode is there twice/],
    ["statement_timeout=5s", /^expected milliseconds, an integer from 0 in the parameter statement_timeout$/],
    ["statement_timeout=-1", /^expected milliseconds/],
    ["lock_timeout=1e3", /^expected milliseconds/],
    ["target_session_attrs=standby", /^expected one of any, read-write, primary in/],
    [
      "sslrootcert=/no/such/file",
      /^expected a file that can be read: there is no such file or folder in the parameter sslrootcert$/,
    ],
    [`sslcert=${certFile}`, /^expected sslcert and sslkey together$/],
    [`sslcert=${certFile}&sslkey=${otherKeyFile}`, /^expected sslkey to be the key of sslcert$/],
    [`sslrootcert=${keyFile}`, /^expected a file with certificates in PEM in the parameter sslrootcert$/],
    [`sslrootcert=${damagedFile}`, /^expected a file with certificates in PEM in the parameter sslrootcert$/],
    [`sslkey=${certFile}`, /^expected a file with a private key in PEM, without a passphrase in the parameter sslkey$/],
    ["sslmode=verify-ca&uselibpqcompat=true", /^expected sslrootcert beside sslmode=verify-ca$/],
    [
      `sslmode=disable&sslrootcert=${certFile}`,
      /^expected no sslrootcert beside sslmode=disable, which turns TLS off$/,
    ],
    [`ssl=0&sslcert=${certFile}&sslkey=${keyFile}`, /^expected no sslcert beside ssl=0, which turns TLS off$/],
    ["ssl=true&sslmode=disable", /^expected sslmode alone, since ssl=true contradicts sslmode=disable$/],
    ["sslmode=require&ssl=0", /^expected sslmode alone, since ssl=0 contradicts sslmode=require$/],
    [
      `sslmode=no-verify&sslrootcert=${certFile}`,
      /^expected no sslrootcert beside sslmode=no-verify, which verifies no/,
    ],
    ["sslnegotiation=direct", /^expected an sslmode with TLS beside sslnegotiation=direct$/],
    ["sslmode=disable&sslnegotiation=direct", /^expected an sslmode with TLS beside sslnegotiation=direct$/],
    ["host=db1,db2", /^expected one host; write several before the path, .* in the parameter host$/],
    ["uselibpqcompat=yes", /^expected one of true, false/],
    ["client_encoding=latin1", /^expected UTF8/],
    ["options=%zz", /%25 for each %/],
    ["options=%ff", /%25 for each %/],
    ["statement_timeout=60000", /^expected a query_timeout/],
    ["query_timeout=5000", /^expected a query_timeout/],
    // It has no end.
    ["statement_timeout=0", /^expected a query_timeout/],
    ["statement_timeout=0&query_timeout=1", /^expected a query_timeout/],
    ["user=other", /^expected one user, and the parameter user is another beside that before the path$/],
    ["password=other", /^expected one password, /],
    ["host=db2", /^expected one host, /],
    ["sslrootcert=system", /^expected a file; .*--use-system-ca/],
    ["options=-c+lock_timeout%3D5", /^expected %20 for a space and %2B for a \+ in the parameter options$/],
    ["options=a%00b", /^expected no code of a control character/],
  ] as const) {
    assert.match(refuseQuery(query), message, query);
  }
});

test("a malformed address is refused, and says how to write such characters of a password", () => {
  for (const url of [
    "postgres://reeve:pa/hunter2@db/reeve",
    "postgres://reeve:pa?hunter2@db/reeve",
    "postgres://reeve:pa#hunter2@db/reeve",
    "postgres://db/reeve#hunter2",
    "postgres://db1,,db2/reeve",
    "postgres://db 1/reeve",
    "postgres://db:0/reeve",
    "postgres://db:70000/reeve",
    "postgres://db:5432x/reeve",
    "postgres://db1:5432,db2:/reeve",
    "postgres://db1,db2:5433/reeve?port=5432",
    "postgres://db1,db2/reeve?target_session_attrs=any",
    // The driver reads none of these.
    "postgres://:5433/reeve",
    "postgres://[fe80::1%25eth0]/reeve",
    "postgres://db/reeve%2Ftwo",
    "postgres://db/reeve%3Ftwo",
    "postgres://db/reeve%00",
    "postgres://reeve:100%@db/reeve",
    "mysql://reeve:hunter2@db/reeve",
  ]) {
    assert.doesNotMatch(refuse(url), /hunter2/);
    assert.match(refuse(url), /^expected /);
  }
  assert.match(refuse("postgres://reeve:pa/hunter2@db/reeve"), /%2F for \//);
});

test("no message repeats what may be part of a password", () => {
  for (const query of ["hunter2=1", "=hunter2", "hunter2", "sslmode=hunter2", "a&hunter2@db/x=1", "port=hunter2"]) {
    assert.doesNotMatch(refuseQuery(query), /hunter2/);
  }
});

test("the driver reads of an accepted URL what it says", () => {
  const url = accept("sslmode=verify-full&statement_timeout=5000&lock_timeout=77").replace(
    "hunter2@db",
    "p@ss,w@db1:5433,db2",
  );
  const [first = "", second = ""] = parsePostgresUrl(databaseUrl(url)).urls;
  const of = (connectionString: string) =>
    new pg.Client({ connectionString }) as pg.Client & { readonly connectionParameters: Record<string, unknown> };
  const { host, port, password } = of(first);
  assert.deepEqual({ host, port, password }, { host: "db1", port: 5433, password: "p@ss,w" });
  assert.equal(of(second).host, "db2");
  assert.deepEqual(of(first).connectionParameters["ssl"], {});
  assert.equal(of(first).connectionParameters["statement_timeout"], "5000");
  assert.equal(of(first).connectionParameters["lock_timeout"], "77");
});

// https://www.postgresql.org/docs/18/libpq-envars.html
test("variables of libpq say what a URL leaves out", () => {
  const [PGHOST, PGPORT] = ["db1,/run/postgresql,::1", "5433"];
  for (const [url, environment, expected] of [
    ["postgres://", { PGHOST: "db" }, "postgres://db/"],
    ["postgres://", { PGHOST, PGPORT }, "postgres://db1:5433,%2Frun%2Fpostgresql:5433,[::1]:5433/"],
    ["postgres://a@/b", { PGHOST: "db1,db2", PGPORT: "1,2" }, "postgres://a@db1:1,db2:2/b"],
    ["postgres://db1,db2:7/b", { PGHOST, PGPORT }, "postgres://db1:5433,db2:7/b"],
    ["postgres://a:p@db/b?port=7", { PGHOST, PGPORT, PGUSER: "x", PGPASSWORD: "y", PGDATABASE: "z" }, undefined],
    ["postgres:///b", { PGPORT }, "postgres:///b?port=5433"],
    ["postgres:///b?host=/run", { PGPORT, PGHOST }, "postgres:///b?host=/run&port=5433"],
    ["postgres://db", { PGUSER: "a&b", PGPASSWORD: "%@:/?" }, "postgres://db/?user=a%26b&password=%25%40%3A%2F%3F"],
    ["postgres://db/?lock_timeout=1", { PGDATABASE: "b c" }, "postgres://db/b%20c?lock_timeout=1"],
    ["postgres://db/b?ssl=true", { PGSSLMODE: "disable" }, undefined],
    ["postgres://db/b?sslmode=disable", { PGSSLROOTCERT: certFile, PGSSLCERT: certFile }, undefined],
    ["postgres://db/b", { PGSSLMODE: "disable", PGSSLROOTCERT: certFile }, "postgres://db/b?sslmode=disable"],
    ["postgres://db/b", { PGSSLMODE: "", PGAPPNAME: "x" }, undefined],
  ] as const) {
    assert.equal(databaseUrl(url, environment), expected ?? url);
  }
  assert.throws(
    () => databaseUrl("postgres://", { PGHOST: "db1,db2", PGPORT: "1,2,3" }),
    /as many as hosts, in PGPORT/,
  );
  assert.throws(
    () => databaseUrl("postgres://db/b", { PGDATABASE: "x", PGSSLMODE: "on" }),
    /, with PGSSLMODE of the env/,
  );
  assert.throws(
    () => databaseUrl("postgres://db", { PGDATABASE: "a/b" }),
    /^.*in its name, with PGDATABASE of the env/,
  );
});
