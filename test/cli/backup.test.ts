// Backups as operators use them: beside a running server, verified, restored, and moved, with exit codes for scripts.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import { assertRefusal } from "./key-world.ts";
import { runReeve, serveReeve, stopReeve } from "./reeve-process.ts";

const here = await createStorage();
const there = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-cli-backup-"));
after(async () => {
  rmSync(folder, { recursive: true });
  await here.remove();
  await there.remove();
});
const backup = join(folder, "backup.zst");
const exported = join(folder, "all.ndjson");
const keyFile = join(here.flags.dataDir as string, "master.key");

test("a backup and an export are made beside a running server, which keeps its store from being replaced", async () => {
  const server = await serveReeve(here.flags);
  const made = await runReeve(["backup", "--to", backup], here.flags);
  assert.equal(made.code, 0, made.stderr);
  assert.equal(made.stderr, "");
  assert.match(
    made.stdout,
    /^Wrote \d+ rows of schema version \d+ to .*backup\.zst \(\d+(?:\.\d)? (?:bytes|KiB)\)\.$/m,
  );
  assert.ok(made.stdout.includes(hash("sha256", readFileSync(backup))));
  assert.match(made.stdout, /^It holds no master key\. .* without mk_\w+: keep that apart from it\.$/m);
  assertRefusal(await runReeve(["backup", "--to", backup], here.flags), 7, /exists already; --force replaces it/);

  const archive = await runReeve(["export", "--to", exported, "--json"], here.flags);
  assert.equal(archive.code, 0, archive.stderr);
  const { kind, sha256, content } = JSON.parse(archive.stdout);
  assert.equal(kind, "archive");
  assert.equal(sha256, hash("sha256", readFileSync(exported)));
  assert.ok(readFileSync(exported, "utf8").includes(`"sha256":"${content}"`));

  assertRefusal(await runReeve(["restore", backup, "--replace"], here.flags), 69, /is in use: stop its server/);
  await stopReeve(server);
});

test("a backup is verified without a restore, and a chain break has an exit code", async () => {
  const verified = await runReeve(["restore", backup, "--verify"], here.flags);
  assert.equal(verified.code, 0, verified.stderr + verified.stdout);
  assert.match(verified.stdout, /is a whole \w+ of schema version \d+ with \d+ rows\.\n.*every chain is whole\./);
  const damaged = join(folder, "damaged.ndjson");
  writeFileSync(damaged, readFileSync(exported, "utf8").replace("instance", "elsewhere"));
  const { code, stdout } = await runReeve(["restore", damaged, "--verify", "--json"], here.flags);
  assert.equal(code, 4);
  const { sound, damage } = JSON.parse(stdout);
  assert.equal(sound, false);
  assert.match(damage, /do not fit the hash/);
  const nowhere = await runReeve(["restore", backup, "--verify"], here.flags, { TMPDIR: join(folder, "nowhere") });
  assertRefusal(nowhere, 3, /cannot write .*nowhere: there is no such file or folder/);
});

test("a backup of which no sealed value opens here is not sound", async () => {
  const { code, stdout } = await runReeve(["restore", backup, "--verify", "--json"], there.flags);
  const { sound, damage, missingKeys } = JSON.parse(stdout);
  assert.deepEqual([code, sound, damage, missingKeys.length], [4, false, null, 1]);
});

test("a store with data is kept, and an empty one takes the backup and serves it", async () => {
  assertRefusal(await runReeve(["import", exported], here.flags), 7, /there is a store in .* already; --replace/);
  assertRefusal(
    await runReeve(["import", backup], ENGINE === "sqlite" ? there.flags : here.flags),
    // On PostgreSQL the store that is there is found first.
    ENGINE === "sqlite" ? 3 : 7,
    /reeve restore|--replace/,
  );
  const restored = await runReeve(["restore", backup], there.flags);
  assert.equal(restored.code, 0, restored.stderr);
  assert.match(restored.stdout, /^Restored \d+ rows of .*\nTHIS MACHINE LACKS THE MASTER KEY mk_\w+: no server starts/);
  copyFileSync(keyFile, join(there.flags.dataDir as string, "master.key"));
  const server = await serveReeve(there.flags);
  assert.equal(server.adminToken, null);
  await stopReeve(server);
  const imported = await runReeve(["import", exported, "--replace", "--json"], there.flags);
  assert.equal(imported.code, 0, imported.stderr);
  const { missingKeys, replaced } = JSON.parse(imported.stdout);
  assert.deepEqual(missingKeys, []);
  assert.equal(typeof replaced === "string", ENGINE === "sqlite");
  assert.match(
    restored.stdout,
    /^WHAT WAS REVOKED, USED OR DELETED AFTER THE BACKUP WORKS AGAIN\..* access tokens: 1,.* trust rules: \d+, webhooks that send data: \d+\./m,
  );
  assert.match(restored.stdout, /^To end all of these, restore again with --replace --end-credentials\.$/m);
  const ended = await runReeve(["restore", backup, "--replace", "--end-credentials"], there.flags);
  assert.equal(ended.code, 0, ended.stderr);
  assert.match(
    ended.stdout,
    /^All access tokens, API keys, sessions, links and codes of the backup are ended,.* webhooks are disabled\./m,
  );
  const verifying = await runReeve(["restore", backup, "--verify", "--end-credentials"], there.flags);
  assert.equal(verifying.code, 2, "verifying restores nothing");
});
