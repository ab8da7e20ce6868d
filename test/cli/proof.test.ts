// Proof as operators and auditors use it: checkpoints in a file, a live store, a backup and an export.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { assertGenuine } from "../resources/checkpoints.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";

const storage = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-cli-proof-"));
after(async () => {
  rmSync(folder, { recursive: true });
  await storage.remove();
});
const settings = storage.flags;
const kept = join(folder, "checkpoints.ndjson");
const exported = join(folder, "acme.ndjson");

async function run(args: readonly string[], expectedCode = 0, on = settings): Promise<Body> {
  const { code, stdout, stderr } = await runReeve(["events", ...args, "--json"], on);
  assert.equal(code, expectedCode, stdout + stderr);
  return JSON.parse(expectedCode === 3 ? stderr : stdout);
}

async function write(...statements: readonly string[]): Promise<void> {
  const database = await openDatabase(readSettings(settings, {}));
  await database.transaction(async (tx) => {
    for (const sql of statements) await tx.exec(sql);
  });
  await database.close();
}

let publicKey = "";

test("checkpoints are created beside a running server, and written to a file", async () => {
  const server = await serveReeve(settings);
  const request = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  assert.equal((await request("POST", "/v1/teams", {}, { slug: "acme" })).status, 200);
  assert.equal((await request("PATCH", "/v2/teams/acme", {}, { name: "Acme" })).status, 200);

  const one = await run(["checkpoint", "--team", "acme"]);
  assert.deepEqual([one.made, one.written], [1, 0]);
  const all = await run(["checkpoint", "--to", kept]);
  assert.deepEqual(all, { made: 1, key: one.key, written: 2, file: kept });
  publicKey = all.key.publicKey;
  const lines = readFileSync(kept, "utf8").trimEnd().split("\n");
  for (const line of lines) assertGenuine(JSON.parse(line));
  const again = await runReeve(["events", "checkpoint", "--to", kept], settings);
  assert.deepEqual([again.code, again.stderr], [7, `reeve: ${kept} exists already; --force replaces it\n`]);
  const replaced = await runReeve(["events", "checkpoint", "--to", kept, "--force", "--user", "admin"], settings);
  assert.match(replaced.stdout, /^Made 0 checkpoints, signed by ed25519_\w+ \(.+\)\.\nWrote 1 checkpoint to /);
  assert.equal((await run(["checkpoint", "--to", kept, "--force"])).written, 2);

  const response = await request("GET", "/v3/events/export?form=chain&slug=acme", {});
  writeFileSync(exported, await response.text());
  await server.stop();
});

test("a live store is verified against checkpoints and a trusted key", async () => {
  const { firstFault, keys, ...counts } = await run(["verify", "--checkpoints", kept]);
  assert.equal(firstFault, null);
  assert.deepEqual(counts, { intact: true, owners: 3, events: 5, checkpoints: 2, kept: 2 });
  assert.deepEqual(
    keys.map((key: Body) => [key.publicKey, key.trust]),
    [[publicKey, "proven"]],
  );
  const pem = join(folder, "reeve.pem");
  writeFileSync(pem, `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`);
  const other = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
  const given = await run(["verify", "--public-key", pem, "--public-key", other]);
  assert.deepEqual(
    given.keys.map(({ trust }: Body) => trust),
    ["given", "given"],
  );
  assert.equal((await run(["verify", "--public-key", other], 4)).firstFault.kind, "forged");
  assert.equal((await run(["verify", "--public-key", "hunter2"], 3)).error.code, "file_unusable");
});

test("a backup is verified in place, without server and master key", async () => {
  if (ENGINE === "postgres") return;
  const database = await openDatabase(readSettings(settings, {}));
  const restored = join(folder, "restored");
  mkdirSync(restored);
  await database.admin.exec(`vacuum into '${join(restored, "reeve.db")}'`);
  await database.close();
  const before = readFileSync(join(restored, "reeve.db"));
  const { keys, kept: compared } = await run(["verify", "--data-dir", restored, "--checkpoints", kept], 0, {});
  assert.deepEqual([keys[0].trust, compared], ["claimed", 2]);
  assert.ok(readFileSync(join(restored, "reeve.db")).equals(before), "it is only read");
});

test("an export is verified without any store", async () => {
  const nowhere = { dataDir: join(folder, "nowhere") };
  const text = await runReeve(["events", "verify", "--export", exported, "--checkpoints", kept], nowhere);
  assert.equal(text.code, 0, text.stderr);
  assert.match(
    text.stdout,
    /^Verified 2 events of team_\w+, 1 to 2: the chain is whole\.\nIt begins with the first event of all\.\nA checkpoint shows that all is as it was up to event 2\.\nSigned by /,
  );
  writeFileSync(exported, readFileSync(exported, "utf8").replace("Acme", "Ecma"));
  const { intact, firstFault } = await run(["verify", "--export", exported], 4, nowhere);
  assert.deepEqual([intact, firstFault.kind, firstFault.sequence], [false, "changed", 2]);
  writeFileSync(exported, "");
  assert.equal((await run(["verify", "--export", exported], 3, nowhere)).error.code, "export_damaged");
});

test("verification finds rewritten events, and a key that was added without the master key", async () => {
  await write("create table aside as select * from event_checkpoints", "delete from event_checkpoints");
  await write(
    "update owners set sequence = 1, hash = (select hash from events where owner_id = owners.id and sequence = 1) where id like 'team_%'",
  );
  await write("delete from events where owner_id like 'team_%' and sequence = 2");
  assert.equal((await run(["verify"])).intact, true);
  const { firstFault } = await run(["verify", "--checkpoints", kept], 4);
  assert.deepEqual([firstFault.kind, firstFault.sequence], ["removed", 2]);
  await write("insert into event_checkpoints select * from aside where owner_id not like 'team_%'", "drop table aside");
  await write("update signing_keys set ciphertext = wrapped_key");
  const replaced = await run(["verify"], 4);
  assert.match(replaced.firstFault.reason, /a key that was changed, or put there without the master key$/);
  // A new one does not need the old one.
  const { key } = await run(["checkpoint", "--new-key"]);
  assert.notEqual(key.publicKey, publicKey);
  assert.equal((await run(["verify"])).intact, true);
  const [event] = await (async () => {
    const database = await openDatabase(readSettings(settings, {}));
    const rows = await database.admin.query("select type, payload from events where owner_id = 'instance'");
    await database.close();
    return rows;
  })();
  assert.equal(event?.["type"], "signing-key-replace");
});
