// A disk without room for what a command writes: it is refused by name, and nothing of it stays.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runReeve } from "../cli/reeve-process.ts";
import { startTestApp } from "../harness.ts";
import { createSmallDisk } from "../small-disk.ts";
import { backUpTo, exportTo, folder, newFile } from "./world.ts";

/** Less than the empty store takes. */
const DISK_BYTES = 65_536;
const api = await startTestApp();
const { dataDir, databaseUrl } = api.settings;
const source = ["--data-dir", dataDir, ...(databaseUrl === null ? [] : ["--database-url", databaseUrl])];

test("a command that fills the disk says so and leaves nothing", async () => {
  const place = join(folder, "small");
  mkdirSync(place);
  const disk = await createSmallDisk(place, DISK_BYTES);
  const { file: archive } = await exportTo(api.settings);
  const { file: backup } = await backUpTo(api.settings, newFile());
  await api.withStore(({ admin }) =>
    admin.exec(`insert into mails (id, kind, recipient, payload, due_at, created_at)
      values ('mail_1', 'x', 'x', '${Array.from({ length: 60_000 }, (_none, at) => at).join(" ")}', 0, 0)`),
  );
  for (const args of [
    ["backup", "--to", join(place, "x"), ...source],
    ["backup", "--to", join(place, "x.gz"), ...source],
    ["export", "--to", join(place, "x"), ...source],
    ["restore", archive, "--data-dir", place],
    ["restore", backup, "--data-dir", place],
  ]) {
    const { code, stderr } = await runReeve(args, {}, {}, disk.wrapper);
    assert.equal(code, 3, `${args[0]}: ${stderr}`);
    // SQLite does not tell why it can't write.
    const reason = disk.isDisk ? /the disk is full/ : /no file of this process may become so large|the disk failed/;
    assert.match(stderr, /cannot write .*: /);
    assert.match(stderr, reason);
    assert.deepEqual(readdirSync(disk.seen), []);
  }
});
