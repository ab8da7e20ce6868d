import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";
import { openVault, outcome } from "../../../../test/resources/secrets.ts";
import { createKey } from "../../../../test/resources/api-keys.ts";

const app = await startTestApp();
const { clock, createTeam, createUser, query, readEvents } = app;

async function open() {
  const user = await createUser();
  const reads = async () => (await readEvents(user.id)).filter(({ type }) => type === "environment-values-read");
  return { user, reads, vault: openVault(app, user.token), env: openEnvironments(app, user.token, "shop") };
}

test("values come with one event that names them all, and unchanged ones with none", async () => {
  const { user, reads, vault, env } = await open();
  const { uid } = await vault.add("db", { value: "postgres://hidden-text" });
  await env.call("PATCH", "/preview", { body: { inheritsFrom: "production" } });
  await env.set("production", { DB: { secret: "db" }, LEVEL: { value: "info" } });
  const first = await env.values("preview");
  assert.deepEqual(first.body, { DB: "postgres://hidden-text", LEVEL: "info" });
  const [read, ...more] = await reads();
  assert.deepEqual(more, []);
  assert.deepEqual(
    [read?.payload.environment, read?.payload.names, read?.payload.secrets],
    ["preview", ["DB", "LEVEL"], [{ key: "DB", uid, name: "db", version: 1 }]],
  );
  const etag = first.headers["etag"] as string;
  const ask = async (tag = etag, of = "") => (await env.values("preview", of, { "if-none-match": tag })).status;
  const unchanged = await env.values("preview", "", { "if-none-match": `"other", ${etag}` });
  assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers["etag"]], [304, "", etag]);
  assert.equal((await reads()).length, 1);
  assert.deepEqual([await ask(etag, "format=env"), await ask(etag, "names=DB")], [200, 200]);
  // A change of each thing that the values depend on.
  const changes = [
    () => vault.put("db", { value: "another" }),
    () => env.set("production", { LEVEL: { value: "debug" } }),
    () => env.set("preview", { DB: { value: "own" } }),
    () => env.call("PATCH", "/preview", { body: { inheritsFrom: null } }),
  ];
  let tag = etag;
  for (const change of changes) {
    await change();
    const next = await env.values("preview", "", { "if-none-match": tag });
    assert.equal(next.status, 200);
    assert.notEqual(next.headers["etag"], tag);
    tag = next.headers["etag"] as string;
    assert.equal(await ask(tag), 304);
  }
  assert.doesNotMatch(JSON.stringify(await readEvents(user.id)), /hidden-text/);
});

test("names choose, and each has to be there", async () => {
  const { reads, env } = await open();
  await env.set("production", { A: { value: "1" }, B: { value: "2" }, C: { value: "3" } });
  assert.deepEqual((await env.values("production", "names=C,A")).body, { A: "1", C: "3" });
  assert.deepEqual((await reads())[0]?.payload.names, ["A", "C"]);
  const { status, body } = await env.values("production", "names=A,D");
  assert.deepEqual(
    [status, body.error.code, body.error.entries],
    [409, "environment_incomplete", [{ key: "D", secret: null, reason: "no_entry" }]],
  );
  assert.equal((await env.values("production", "format=xml")).body.error.code, "invalid_query");
  assert.equal((await env.values("none")).status, 404);
});

test("an entry whose secret cannot be read refuses all, whatever the client has, until it can", async () => {
  const { reads, vault, env } = await open();
  await vault.add("a");
  await vault.add("b", { expiresAt: clock.now + 1_000 });
  await vault.add("c");
  await env.set("production", { A: { secret: "a" }, B: { secret: "b" }, C: { secret: "c" }, D: { value: "d" } });
  const etag = (await env.values("production")).headers["etag"] as string;
  await vault.remove("a");
  clock.advance(1_000);
  await vault.change("c", { decryptable: false });
  const refused = await env.values("production", "", { "if-none-match": etag });
  assert.deepEqual(
    [refused.status, refused.body.error.entries],
    [
      409,
      [
        { key: "A", secret: "a", reason: "deleted" },
        { key: "B", secret: "b", reason: "expired" },
        { key: "C", secret: "c", reason: "not_decryptable" },
      ],
    ],
  );
  assert.match(refused.body.error.message, /A \(its secret is deleted\)/);
  assert.deepEqual((await env.values("production", "names=D")).body, { D: "d" });
  const states = (await env.get("production")).entries.map(
    ({ secret }: { secret?: { state: string } }) => secret?.state,
  );
  assert.deepEqual(states, ["deleted", "expired", "not_decryptable", undefined]);
  assert.equal((await reads()).length, 2);
  await vault.restore("a", { name: "renamed" });
  assert.deepEqual((await env.values("production", "names=A")).body, { A: "value of a" });
  const [{ uid }] = (await vault.list()).secrets.filter(({ name }: { name: string }) => name === "renamed");
  await vault.remove(uid, "permanent=true");
  const gone = await env.values("production", "names=A");
  assert.deepEqual(gone.body.error.entries, [{ key: "A", secret: null, reason: "missing" }]);
});

test("a value that was tampered with, or whose master key is missing, refuses all", async () => {
  const { user, vault, env } = await open();
  const { uid } = await vault.add("a");
  await env.set("production", { A: { secret: "a" }, B: { value: "b" } });
  await query(`update secret_versions set key_id = 'absent' where secret_id = '${uid}'`);
  assert.equal(outcome(await env.values("production")), "master_key_missing");
  await query(
    `update secret_versions set key_id = (select key_id from active_master_key), encoding = 'utf8', version = 1,
      wrapped_key = ciphertext where secret_id = '${uid}'`,
  );
  assert.equal(outcome(await env.values("production")), "secret_unreadable");
  const types = (await readEvents(user.id)).map(({ type }) => type);
  assert.equal(types.at(-1), "secret-unreadable");
  assert.equal(types.includes("environment-values-read"), false);
});

test("each read of many values has what was changed since the last one, and is recorded", async () => {
  const { user, reads, vault, env } = await open();
  const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
  for (const name of names) await vault.add(name);
  await env.set("production", Object.fromEntries(names.map((name) => [name.toUpperCase(), { secret: name }])));
  const expected = Object.fromEntries(names.map((name) => [name.toUpperCase(), `value of ${name}`]));
  for (let time = 1; time <= 3; time++) {
    assert.deepEqual((await env.values("production")).body, expected);
    assert.equal((await reads()).length, time);
  }
  await vault.put("s3", { value: "another" });
  assert.deepEqual((await env.values("production")).body, { ...expected, S3: "another" });
  const { secrets } = await vault.list();
  const uids = new Map<string, string>(secrets.map(({ name, uid }: Record<string, string>) => [name, uid]));
  const at = (name: string) => `where secret_id = '${uids.get(name)}'`;
  await vault.put("s5", { value: "unread" });
  await query(`update secret_versions set ciphertext = wrapped_key ${at("s5")}`);
  const tampered = await env.values("production");
  assert.deepEqual([outcome(tampered), tampered.body.error.uid], ["secret_unreadable", uids.get("s5")]);
  await vault.put("s5", { value: "another" });
  assert.equal((await env.values("production")).status, 200);
  // As after an older state was restored, whose next version has a number that was there before.
  await query(`update secret_versions set key_id = 'absent' ${at("s7")}`);
  const { status: before, headers } = await env.values("production");
  assert.equal(before, 200, "of the version that was read");
  await query(`update secrets set updated_at = updated_at + 1 where id = '${uids.get("s7")}'`);
  const etag = { "if-none-match": headers["etag"] as string };
  assert.equal(outcome(await env.values("production", "", etag)), "master_key_missing");
  await query(`update secret_versions set key_id = (select key_id from active_master_key) ${at("s7")}`);
  const known = { "if-none-match": (await env.values("production")).headers["etag"] as string };
  await query("update environments set updated_at = updated_at + 1");
  assert.equal((await env.values("production", "", known)).status, 200);
  await vault.put("s2", { value: "unread" });
  await query(`delete from secret_versions ${at("s2")}`);
  assert.equal((await env.values("production")).body.error.uid, uids.get("s2"));
  await vault.remove("s2");
  await vault.remove(uids.get("s2") as string, "permanent=true");
  const { status, body } = await env.values("production");
  assert.deepEqual([status, body.error.entries], [409, [{ key: "S2", secret: null, reason: "missing" }]]);
  assert.equal((await reads()).length, 8);
  assert.doesNotMatch(JSON.stringify(await readEvents(user.id)), /value of s\d|another/);
});

test("text is what a shell and parsers of .env files read back", async () => {
  const { env } = await open();
  const values: Record<string, string> = {
    PLAIN: "postgres://app@db.internal:5432/shop",
    EMPTY: "",
    SPACES: "  two words\t",
    HASH: "a#b # c",
    DOLLAR: "$HOME `id` $(id) \\n",
    LINES: "-----BEGIN KEY-----\nabc\n-----END KEY-----\n",
    DOUBLE: 'say "yes"',
    SINGLE: "it's",
    UNICODE: "ä€😀",
  };
  await env.set("production", Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }])));
  const odd = { MIXED: `it's "$HOME" \\ and \`id\`` };
  await env.set("preview", { MIXED: { value: odd.MIXED } });
  const { headers, text } = await env.values("production", "format=env");
  assert.equal(headers["content-type"], "text/plain; charset=utf-8");
  assert.deepEqual({ ...parseEnv(text) }, values);
  const readBack = (lines: string, names: string[]) => {
    const printing = `${lines}\nfor name in ${names.join(" ")}; do eval "printf '%s\\0' \\"\\$$name\\""; done`;
    return execFileSync("sh", ["-c", printing]).toString().split("\0").slice(0, -1);
  };
  assert.deepEqual(readBack(text, Object.keys(values)), Object.values(values));
  assert.deepEqual(readBack((await env.values("preview", "format=env")).text, ["MIXED"]), [odd.MIXED]);
});

test("reading values needs secret:reveal, and HEAD is refused", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await openEnvironments(app, owner.token, "shop", team.id).set("production", { A: { value: "1" } });
  const readWith = async (permissions: string[]) => {
    const body = { role: "MEMBER", permissions };
    const { body: made } = await createKey(app, owner.token, `?teamId=${team.id}`, body);
    return (await openEnvironments(app, made.value, "shop", team.id).values("production")).status;
  };
  assert.equal(await readWith(["environment:read", "secret:reveal"]), 200);
  assert.equal(await readWith(["environment:read"]), 403);
  assert.equal(await readWith(["secret:reveal", "environment:write"]), 403);
  const head = await openEnvironments(app, owner.token, "shop", team.id).call("HEAD", "/production/values");
  assert.equal(head.status, 405);
});

test("a project that does not exist is told from an environment without values", async () => {
  const { env, reads } = await open();
  const unknown = await env.values("production");
  const message =
    'Project not found: expected one that exists and that this credential may use, got "shop". ' +
    "A project begins with a first change of somebody with the permission firewall:write; " +
    "the request names no team by teamId or slug, so this looked in your own account";
  assert.deepEqual(
    [unknown.status, unknown.body.error?.code, unknown.body.error?.message],
    [404, "not_found", message],
  );
  assert.equal((await env.values("production", "format=env")).status, 404);
  await env.set("preview", { A: { value: "1" } });
  const empty = await env.values("production");
  assert.deepEqual([empty.status, empty.body], [200, {}]);
  const missing = await env.values("staging");
  assert.equal(missing.status, 404);
  assert.match(missing.body.error?.message ?? "", /^Environment not found: the request names no team/);
  assert.deepEqual(await reads(), []);
});
