// A running server whose URL in a file changes: it moves only where its own store is and can be written, and keeps looking while it can use
// neither. Beside that, what it tells while one table alone refuses it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import pg from "pg";
import { runReeve, serveReeve, startReeve, stopReeve } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";
import {
  FLAGS,
  createTeam,
  dataDir,
  endSessions,
  examine,
  readHealth,
  startServer,
  untilCode,
  untilLogged,
  untilReady,
} from "./told.ts";

let primary: PostgresNode;
let standby: PostgresNode;
before(async () => {
  primary = await createPostgresNode("primary");
  await primary.start();
  for (const name of ["own", "other", "empty"]) await primary.query(`create database ${name}`);
  for (const name of ["own", "other"]) {
    assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl: urlOf(name) })).code, 0);
  }
  standby = await primary.makeStandby("standby");
  await standby.start();
});
after(async () => {
  await standby.remove();
  await primary.remove();
});

const urlOf = (database: string, { login = primary.login, host = primary.host } = {}) =>
  `postgres://${login}@${host}/${database}`;
const file = join(dataDir, "moved-url");
/** Runs SQL in the database of Reeve. */
async function queryOwn(sql: string): Promise<void> {
  const client = new pg.Client(urlOf("own"));
  await client.connect();
  await client.query(sql);
  await client.end();
}

test("at SIGHUP a URL that leads elsewhere changes nothing, and the log says where it leads", async (t) => {
  await primary.query("create role stranger login password 'x'");
  writeFileSync(file, urlOf("own"));
  const server = await serveReeve(FLAGS, { REEVE_DATABASE_URL_FILE: file });
  t.after(() => stopReeve(server));
  const elsewhere = [
    [urlOf("own", { host: standby.host }), "it is a standby, which accepts no writes"],
    [urlOf("other"), "it is another store of Reeve"],
    [urlOf("empty"), "it has no tables of Reeve"],
    [urlOf("own", { login: "stranger:x" }), "permission denied for table schema_migrations"],
    [urlOf("own", { login: "stranger:wrong" }), "28P01"],
    [urlOf("own", { host: "127.0.0.1:1" }), "ECONNREFUSED"],
  ] as const;
  for (const [at, [url, said]] of elsewhere.entries()) {
    writeFileSync(file, url);
    server.child.kill("SIGHUP");
    await untilLogged(server, new RegExp(`${said}.*the database's URL cannot be used, and stays as it was`));
    // A busy machine may answer a look at the store late.
    await waitFor(`no code of readiness: ${said}`, async () => {
      const { status, codes } = await readHealth(server);
      return status === 200 && codes.length === 0;
    });
    assert.equal(await createTeam(server, `moved-${at}`), 200);
  }
});

test("while the login is refused the file is read until its URL can be used", async (t) => {
  await primary.query("create role rotated login superuser password 'first'");
  const write = (password: string, host?: string) =>
    writeFileSync(file, urlOf("own", { login: `rotated:${password}`, ...(host && { host }) }));
  write("first");
  const server = await serveReeve(FLAGS, { REEVE_DATABASE_URL_FILE: file });
  t.after(() => stopReeve(server));
  write("second", "127.0.0.1:1");
  await primary.query("alter role rotated password 'second'");
  await endSessions(primary);
  await untilCode(server, "store_login_refused");
  await untilLogged(server, /28P01.*the URL as the settings have it now: .*127\.0\.0\.1:1: connect ECONNREFUSED/);
  write("second");
  await untilReady(server);
  // Also where nothing responds any more.
  const port = primary.host.replace(/^.*:/, "");
  await primary.stop("immediate");
  await untilCode(server, "store_unreachable");
  writeFileSync(file, urlOf("own", { login: "rotated:second", host: `localhost:${port}` }));
  await primary.start();
  await untilReady(server);
});

test("a privilege that the role lacks on one table is told until it is granted", async (t) => {
  await primary.query("create role serving login password 'x'");
  await queryOwn("grant usage on schema public to serving");
  await queryOwn("grant select, insert, update, delete on all tables in schema public to serving");
  const server = await startServer(t, { databaseUrl: urlOf("own", { login: "serving:x" }) });
  assert.equal(await createTeam(server, "granted"), 200);
  await queryOwn("revoke insert on events from serving");
  // Before any change meets it.
  await untilCode(server, "store_denied");
  for (let time = 0; time < 3; time++) {
    assert.equal(await createTeam(server, `denied-${time}`), 503);
    assert.ok((await readHealth(server)).codes.includes("store_denied"));
  }
  const { detail, status } = (await examine(urlOf("own", { login: "serving:x" }))).get("privileges") ?? assert.fail();
  assert.deepEqual([status, detail], ["fault", "this role lacks INSERT on events"]);
  await queryOwn("grant insert on events to serving");
  await untilReady(server);
});

test("a role without privileges on a store that exists is told so, not that there is none", async () => {
  await primary.query("create role outsider login password 'x'");
  const databaseUrl = urlOf("own", { login: "outsider:x" });
  for (const command of [["doctor"], ["migrate"], ["events", "verify"]]) {
    const { code, stdout, stderr } = await runReeve(command, { databaseUrl });
    assert.notEqual(code, 0, command.join(" "));
    assert.match(`${stdout}${stderr}`, /permission denied for (?:table|schema) /, command.join(" "));
    assert.doesNotMatch(`${stdout}${stderr}`, /no Reeve database/, command.join(" "));
  }
});

test("doctor warns of a host that could not take over", async () => {
  const databaseUrl = urlOf("own", { host: `${primary.host},127.0.0.1:1` });
  const { status, detail, advice = "" } = (await examine(databaseUrl)).get("hosts") ?? assert.fail();
  assert.equal(status, "warning");
  assert.match(detail, /: primary; 127\.0\.0\.1:1: connect ECONNREFUSED/);
  assert.match(advice, /could not go on at 127\.0\.0\.1:1: see that it runs/);
});

test("doctor warns of commits that do not wait for their synchronous standby", async () => {
  const examineDurability = async () => {
    const { status, detail } = (await examine(urlOf("own"))).get("durability") ?? assert.fail();
    return [status, detail];
  };
  // A crash of the primary alone loses nothing then.
  await primary.query("alter system set synchronous_commit = local");
  await primary.query("select pg_reload_conf()");
  assert.deepEqual(await examineDurability(), ["warning", "off: fsync"]);
  await primary.requireStandby(standby);
  assert.deepEqual(await examineDurability(), ["warning", "off: fsync, synchronous_commit"]);
  await primary.query("alter system reset synchronous_commit");
  await primary.query("select pg_reload_conf()");
  assert.deepEqual(await examineDurability(), ["warning", "off: fsync"]);
  await primary.query("alter system reset synchronous_standby_names");
  await primary.query("select pg_reload_conf()");
});

test("a command that writes on a standby is told that it is one", async () => {
  const { code, stderr } = await runReeve(["keys", "rotate"], {
    ...FLAGS,
    databaseUrl: urlOf("own", { host: standby.host }),
  });
  assert.notEqual(code, 0);
  assert.match(stderr, /if the server is a standby, promote it, or name the primary in REEVE_DATABASE_URL/);
});

test("a worker that is hung up while it waits for the schema waits on", async (t) => {
  const worker = startReeve(["worker"], { ...FLAGS, databaseUrl: urlOf("empty") });
  t.after(() => stopReeve(worker));
  await waitFor("the log to tell", () => worker.logged().includes("has made the schema") || undefined);
  worker.child.kill("SIGHUP");
  assert.equal((await runReeve(["migrate"], { ...FLAGS, databaseUrl: urlOf("empty") })).code, 0);
  await worker.printed(/^Reeve works on /m);
  await waitFor(
    "the log to tell",
    () => worker.logged().includes("SIGHUP: the database's URL is as it was") || undefined,
  );
});
