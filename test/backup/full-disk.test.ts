// A disk without room for what a command writes: it is refused by name, and nothing of it stays.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startTestApp } from "../harness.ts";
import { MOUNT_NAMESPACE } from "../mount-namespace.ts";
import { backUpTo, exportTo, folder, newFile } from "./world.ts";

const MAIN = new URL("../../dist/reeve.js", import.meta.url).pathname;
/** Less than the empty store takes. */
const DISK = "64k";
const api = await startTestApp();
const { dataDir, databaseUrl } = api.settings;
const source = ["--data-dir", dataDir, ...(databaseUrl === null ? [] : ["--database-url", databaseUrl])];
const place = join(folder, "small");
mkdirSync(place);

/** A file system in memory that the program alone sees, and afterwards a list of what is left on it. */
const script = `mount -t tmpfs -o size=${DISK} tmpfs "$1" && { shift; "$@"; code=$?; find ${place} -type f; exit $code; }`;

function runThere(args: readonly string[]) {
  const [program = "", ...rest] = [...MOUNT_NAMESPACE, "sh", "-c", script, "sh", place, process.execPath, ...args];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
  });
  return { status, left: stdout, stderr };
}

test("a command that fills the disk says so and leaves nothing", async () => {
  // Where nobody may have a file system of their own there is none to fill.
  if (runThere(["--eval", ""]).status !== 0) return;
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
    const { status, left, stderr } = runThere([MAIN, ...args]);
    assert.equal(status, 3, `${args[0]}: ${stderr}`);
    assert.match(stderr, /cannot write .*: the disk is full/);
    assert.equal(left, "");
  }
});
