// The privileges that the role of a PostgreSQL store needs, the errors without them, and what `reeve doctor` reports about a
// pooler in front.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { createStorage } from "../harness/test-app.ts";
import { runOnServer, urlOfDatabase } from "../postgres/databases.ts";
import { waitFor } from "../harness/wait-for.ts";
import { runReeve, serveReeve } from "./in-process.ts";

const ROLE = "reeve_test_of_few_privileges";
const bootstrapToken = "an_administrators_token_of_this_test_file";
const headers = { authorization: `Bearer ${bootstrapToken}`, "content-type": "application/json" };

const storage = await createStorage();
const url = storage.flags.databaseUrl as string;
const owner = new pg.Client({ connectionString: url });
await owner.connect();
const dropRole = `do $$ begin if exists (select from pg_roles where rolname = '${ROLE}') then
  drop owned by ${ROLE}; drop role ${ROLE}; end if; end $$`;
await owner.query(dropRole);
await owner.query(`create role ${ROLE} login password '${ROLE}'`);
after(async () => {
  await owner.query(dropRole);
  await owner.end();
  await storage.remove();
});
const limited = new URL(url);
limited.username = limited.password = ROLE;
const settings = { ...storage.flags, databaseUrl: limited.href, bootstrapToken };

interface Found {
  readonly findings: readonly { readonly check: string; readonly status: string; readonly detail: string }[];
}

async function examine(databaseUrl: string) {
  const { code, stdout } = await runReeve(["doctor", "--json"], { ...settings, databaseUrl });
  const { findings } = JSON.parse(stdout) as Found;
  return { code, find: (check: string) => findings.find((finding) => finding.check === check) };
}

async function assertRefused(args: readonly string[], reason: RegExp): Promise<void> {
  const { code, stderr } = await runReeve(args, settings);
  assert.equal(code, 69, stderr);
  assert.match(stderr, reason);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
}

test("a role that may not create the schema gets one line with the reason and the remedy", async () => {
  await assertRefused(
    ["serve", "--port", "0"],
    /PostgreSQL refuses this role: permission denied for schema public \(42501\): grant /,
  );
  await assertRefused(["migrate"], /PostgreSQL refuses this role: permission denied/);
});

test("the server and doctor report the privileges that a role lacks", async () => {
  assert.equal((await runReeve(["migrate"], { ...settings, databaseUrl: url })).code, 0);
  await owner.query(`grant select on all tables in schema public to ${ROLE}`);
  await assertRefused(
    ["serve", "--port", "0"],
    /PostgreSQL refuses this role: permission denied for table \w+ \(42501\): grant /,
  );
  const { code, find } = await examine(limited.href);
  assert.equal(code, 4);
  assert.equal(find("privileges")?.status, "fault");
  assert.match(
    find("privileges")?.detail ?? "",
    /^this role lacks INSERT, UPDATE, DELETE on \w+, and something on \d+ more/,
  );
});

test("a role with the documented privileges serves, and losing them is reported", async () => {
  await owner.query(`grant usage on schema public to ${ROLE}`);
  await owner.query(`grant select, insert, update, delete on all tables in schema public to ${ROLE}`);
  const server = await serveReeve({ ...settings, logLevel: "fatal" });
  const request = (path: string, body?: object) =>
    fetch(`${server.url}${path}`, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  assert.equal((await request("/v1/teams", { slug: "first" })).status, 200);
  const secret = { name: "SECRET", value: "x", decryptable: true };
  assert.equal((await request("/v2/secrets?slug=first", secret)).status, 200);
  assert.equal((await request("/v3/events?slug=first")).status, 200);
  const { code, find } = await examine(limited.href);
  assert.equal(code, 0, JSON.stringify(find("privileges")));
  assert.match(find("privileges")?.detail ?? "", /`reeve migrate` needs the one that owns the tables/);
  assert.deepEqual([find("sessions")?.status, find("sessions")?.detail], ["ok", "of its own"]);
  const asOwner = await examine(url);
  assert.match(asOwner.find("privileges")?.detail ?? "", /and change the schema/);

  await owner.query(`revoke insert on events from ${ROLE}`);
  const refused = await request("/v1/teams", { slug: "second" });
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  const ready = await fetch(`${server.url}/health/ready`);
  const { error } = (await ready.json()) as { error: { checks: { store: { code: string } } } };
  assert.deepEqual([ready.status, error.checks.store.code], [503, "store_denied"]);
  await owner.query(`grant insert on events to ${ROLE}`);
  await waitFor("readiness", async () => (await fetch(`${server.url}/health/ready`)).status === 200);
  assert.equal((await request("/v1/teams", { slug: "second" })).status, 200);
  await server.stop();
});

test("a privilege on each of the tables is examined, also in a schema whose name needs quotes", async () => {
  await owner.query(`create schema "Own-Schema" authorization ${ROLE}`);
  const quoted = new URL(limited);
  quoted.searchParams.set("options", '-c search_path="Own-Schema"');
  const ofSchema = quoted.href.replaceAll("+", "%20");
  const flags = { ...settings, databaseUrl: ofSchema, logLevel: "fatal" };
  const server = await serveReeve(flags);
  const isReady = async () => (await fetch(`${server.url}/health/ready`)).status === 200;
  await waitFor("readiness", isReady);
  assert.equal((await examine(ofSchema)).find("privileges")?.status, "ok");
  await owner.query(`revoke delete on all tables in schema "Own-Schema" from ${ROLE}`);
  const { rows } = await owner.query(`select count(*)::int as tables from pg_tables where schemaname = 'Own-Schema'`);
  const { detail } = (await examine(ofSchema)).find("privileges") ?? assert.fail();
  // Nothing is deleted from schema_migrations.
  const more = (rows as { tables: number }[])[0]?.tables as number;
  assert.equal(detail, `this role lacks DELETE on access_tokens, and something on ${more - 2} more tables`);
  await waitFor("a failed check", async () => !(await isReady()));
  await server.stop();
});

test("one role creates the schema and another one serves, backs up and exports, as documented", async () => {
  const roles = [`${ROLE}_owner`, `${ROLE}_server`] as const;
  const [makes, serves] = roles;
  const own = await createStorage();
  const database = new URL(own.flags.databaseUrl as string);
  const name = database.pathname.slice(1);
  const urlOf = (role: string) => Object.assign(new URL(database), { username: role, password: role }).href;
  for (const role of roles) await owner.query(`create role ${role} login password '${role}'`);
  await owner.query(`alter database ${name} owner to ${makes}`);
  const maker = new pg.Client({ connectionString: urlOf(makes) });
  await maker.connect();
  for (const sql of [
    "revoke all on schema public from public",
    `grant usage on schema public to ${serves}`,
    `alter default privileges in schema public grant select, insert, update, delete on tables to ${serves}`,
  ]) {
    await maker.query(sql);
  }
  await maker.end();
  assert.equal((await runReeve(["migrate"], { ...own.flags, databaseUrl: urlOf(makes) })).code, 0);
  const flags = { ...own.flags, databaseUrl: urlOf(serves), bootstrapToken };
  const server = await serveReeve(flags);
  const response = await fetch(`${server.url}/v1/teams`, { method: "POST", headers, body: '{"slug":"first"}' });
  assert.equal(response.status, 200);
  for (const command of ["backup", "export"]) {
    const { code, stderr } = await runReeve(
      [command, "--to", join(own.flags.dataDir as string, `${command}.ndjson.zst`)],
      flags,
    );
    assert.equal(code, 0, stderr);
  }
  await server.stop();
  await own.remove();
  for (const role of roles) await owner.query(`drop role ${role}`);
});

test("a database that is not UTF-8 is refused, at the start and by doctor", async () => {
  for (const encoding of ["LATIN1", "SQL_ASCII"]) {
    const name = `reeve_test_${encoding.toLowerCase()}`;
    await runOnServer(url, `drop database if exists ${name}`);
    await runOnServer(
      url,
      `create database ${name} encoding '${encoding}' locale_provider libc locale 'C' template template0`,
    );
    try {
      const databaseUrl = urlOfDatabase(url, name);
      const message = new RegExp(`this database has the encoding ${encoding}, and Reeve needs UTF8: create one with `);
      const { code, stderr } = await runReeve(["serve", "--port", "0"], { ...settings, databaseUrl });
      assert.equal(code, 69, stderr);
      assert.match(stderr, message);
      const examined = await examine(databaseUrl);
      assert.deepEqual([examined.code, examined.find("store")?.status], [4, "fault"]);
      assert.match(examined.find("store")?.detail ?? "", message);
    } finally {
      await runOnServer(url, `drop database ${name} with (force)`);
    }
  }
});
