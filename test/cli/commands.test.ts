import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openDatabase } from "../../src/serve/open-database.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";

const storage = await createStorage();
after(() => storage.remove());
const settings = storage.flags;

test("commands refuse a store that does not exist, and do not create it", async () => {
  const listed = await runReeve(["user", "list"], settings);
  assert.equal(listed.code, 69);
  assert.match(
    listed.stderr,
    /^reeve: there is no Reeve database in .*run `reeve serve( --data-dir \S+)` or `reeve migrate\1` first/,
  );
  assert.equal(listed.stderr.trim().split("\n").length, 1);
  if (settings.dataDir !== undefined) assert.equal(existsSync(join(settings.dataDir, "reeve.db")), false);
  const examined = await runReeve(["doctor", "--json"], settings);
  assert.equal(examined.code, 4);
  assert.equal(JSON.parse(examined.stdout).healthy, false);
});

test("commands work beside a running server", async () => {
  const server = await serveReeve(settings);
  const adminHeaders = { authorization: `Bearer ${server.adminToken}` };
  assert.equal((await fetch(`${server.url}/v2/user`, { headers: adminHeaders })).status, 200);

  const created = await runReeve(
    ["user", "create", "--username", "ada", "--email", "ada@example.com", "--json"],
    settings,
  );
  assert.equal(created.code, 0, created.stderr);
  assert.equal(JSON.parse(created.stdout).user.username, "ada");

  const issued = await runReeve(["token", "create", "--user", "ADA", "--name", "laptop", "--json"], settings);
  assert.equal(issued.code, 0, issued.stderr);
  const { bearerToken, ...token } = JSON.parse(issued.stdout);
  assert.match(token.allows, /^It may do everything that its user may\./);
  const headers = { authorization: `Bearer ${bearerToken}` };
  const current = await fetch(`${server.url}/v5/user/tokens/current`, { headers });
  assert.equal(current.status, 200);
  const { activeAt: _, ...shown } = ((await current.json()) as { token: Record<string, unknown> }).token;
  const { activeAt: __, ...printed } = token;
  assert.deepEqual(printed, shown);

  const tokens = await runReeve(["token", "list", "--user", "ada", "--json"], settings);
  assert.deepEqual(
    JSON.parse(tokens.stdout).map(({ id }: { id: string }) => id),
    [token.id],
  );
  const limited = "token create --user ada --name narrow --permissions secret:read".split(" ");
  assert.match((await runReeve(limited, settings)).stdout, /^rvt_\w+\n$/);
  const [narrow] = JSON.parse((await runReeve(["token", "list", "--user", "ada", "--json"], settings)).stdout);
  assert.deepEqual([narrow.name, narrow.permissions], ["narrow", ["secret:read"]]);
  const users = await runReeve(["user", "list"], settings);
  assert.match(users.stdout, /^USERNAME +EMAIL .*\nada +ada@example\.com .*\nadmin +admin@localhost /);

  const listed = await runReeve(["events", "list", "--local", "--limit", "1"], settings);
  assert.match(
    listed.stdout,
    /^TIME +OWNER +SEQUENCE +TYPE +WHAT HAPPENED\n.* user-token-created +ada created access token/,
  );
  const create = { method: "POST", headers: { ...adminHeaders, "content-type": "application/json" } };
  assert.equal((await fetch(`${server.url}/v1/teams`, { ...create, body: '{"slug":"gone"}' })).status, 200);
  await fetch(`${server.url}/v1/teams/gone`, { method: "DELETE", headers: adminHeaders });
  const ofTeam = await runReeve(["events", "list", "--local", "--team", "gone", "--json"], settings);
  assert.deepEqual(
    JSON.parse(ofTeam.stdout).events.map(({ type }: { type: string }) => type),
    ["team-delete", "team"],
  );
  const ofUser = await runReeve(["events", "list", "--local", "--user", "ada", "--types", "secret-*"], settings);
  assert.equal(ofUser.stdout, "There are no such events.\n");
  const misread = await runReeve(["events", "list", "--local", "--limit", "0"], settings);
  assert.deepEqual([misread.code, misread.stderr], [2, "reeve: --limit: expected a whole number from 1 to 10000\n"]);

  const revoked = await runReeve(["token", "revoke", "--user", "ada", token.id], settings);
  assert.equal(revoked.code, 0, revoked.stderr);
  assert.equal((await fetch(`${server.url}/v2/user`, { headers })).status, 401);

  const events = await fetch(`${server.url}/v1/users`, { headers: adminHeaders });
  assert.equal(events.status, 200);
  const examined = await runReeve(["doctor"], settings);
  assert.equal(examined.code, 0, examined.stdout);
  await server.stop();
});

test("events verify and doctor name the event that was tampered with, and a wrong head", async () => {
  const whole = await runReeve(["events", "verify", "--json"], settings);
  assert.equal(whole.code, 0, whole.stderr);
  assert.equal(JSON.parse(whole.stdout).intact, true);

  const database = await openDatabase(readSettings(settings, {}));
  const [event] = await database.admin.query("select owner_id, id, sequence, text from events order by id limit 1");
  const { owner_id: ownerId, id, text } = event as { owner_id: string; id: string; text: string };
  const write = (sql: string) => database.transaction((tx) => tx.exec(sql));
  await write(`update events set text = 'nothing happened' where id = '${id}'`);
  const broken = await runReeve(["events", "verify"], settings);
  assert.equal(broken.code, 4);
  const [, where = ""] = /^The chain is broken at (.*)\.$/m.exec(broken.stdout) ?? [];
  assert.match(where, new RegExp(`^event \\d+ of ${ownerId} \\(${id}\\): changed; `));
  const doubted = await runReeve(["doctor", "--json"], settings);
  assert.equal(doubted.code, 4);
  const findChains = (stdout: string) =>
    JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === "event chains");
  assert.equal(findChains(doubted.stdout).detail, `broken at ${where}`);
  await write(`update events set text = '${text}' where id = '${id}'`);

  // So many are not all read.
  await write(`update owners set sequence = sequence + 200000 where id = '${ownerId}'`);
  const examined = await runReeve(["doctor"], settings);
  assert.equal(examined.code, 4);
  assert.match(examined.stdout, /^event chains +fault +1 of \d+ do not end where they should$/m);
  await write(`update owners set sequence = sequence - 200000 where id = '${ownerId}'`);
  await database.close();
});

test("a refusal names the flag and has an exit code of its own", async () => {
  const taken = await runReeve(["user", "create", "--username", "admin", "--email", "b@example.com"], settings);
  assert.equal(taken.code, 7);
  assert.equal(taken.stderr, "reeve: --username: another account has this name\n");
  const unknown = await runReeve(["token", "create", "--user", "nobody", "--name", "x", "--json"], settings);
  assert.equal(unknown.code, 6);
  assert.equal(JSON.parse(unknown.stderr).error.code, "user_not_found");
});

test("migrating again changes nothing", async () => {
  const migrated = await runReeve(["migrate", "--json"], settings);
  assert.equal(migrated.code, 0, migrated.stderr);
  const { from, to, copy } = JSON.parse(migrated.stdout);
  assert.equal(from, to);
  assert.equal(copy, null);
});

test("unusable settings stop the start with one line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  const file = join(folder, "file");
  writeFileSync(file, "");
  const inTheWay = await runReeve(["serve"], { dataDir: file });
  assert.equal(inTheWay.code, 69);
  assert.match(inTheWay.stderr, /^reeve: cannot create the data directory .*\n$/);
  writeFileSync(join(folder, "reeve.db"), "this is no database, however long it may be".repeat(200));
  const corrupt = await runReeve(["serve"], { dataDir: folder });
  assert.equal(corrupt.code, 69);
  assert.match(corrupt.stderr, /^reeve: cannot open the database .*: file is not a database\n$/);
  rmSync(folder, { recursive: true });
  const unreachable = await runReeve(["serve"], { databaseUrl: "postgres://reeve:hunter2@127.0.0.1:1/reeve" });
  assert.equal(unreachable.code, 69);
  assert.match(unreachable.stderr, /^reeve: .*127\.0\.0\.1:1.*\n$/);
  assert.doesNotMatch(unreachable.stderr, /hunter2/);
});

test("settings that are unknown or wrong stop every command with one line and no stack", async () => {
  const unknown = await runReeve(["doctor"], settings, { REEVE_PROT: "4000" });
  assert.equal(unknown.code, 78);
  assert.equal(unknown.stderr, "reeve: REEVE_PROT: there is no such setting; did you mean REEVE_PORT?\n");
  const secret = await runReeve(["serve", "--bootstrap-token", "hunter2"], settings);
  assert.equal(secret.code, 78);
  assert.doesNotMatch(secret.stderr, /hunter2/);
  const flag = await runReeve(["serve", "--prot", "1"], settings);
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /Did you mean --port\?/);
});
