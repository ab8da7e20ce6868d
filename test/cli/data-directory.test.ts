// Only its owner may enter the data directory of a server, no matter who created it.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createStorage } from "../harness/test-app.ts";
import { serveReeve, stopReeve } from "./reeve-process.ts";

const storage = await createStorage();
after(storage.remove);

function makeFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-open-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, mode);
  return folder;
}

// Set, so that a second folder needs no key of its own.
const masterKey = randomBytes(32).toString("base64");

/** Serves on the folder; returns its mode then, and the log lines about it. */
async function serveOn(dataDir: string): Promise<{ mode: string; logged: string[] }> {
  const { stderr } = await stopReeve(await serveReeve({ ...storage.flags, dataDir, masterKey, logLevel: "warn" }));
  const logged = stderr.split("\n").filter((line) => line.includes("the data directory"));
  return { mode: (statSync(dataDir).mode & 0o7777).toString(8), logged };
}

test("a data directory that others may enter is made private, and the log says so once", async () => {
  for (const mode of [0o755, 0o777, 0o2770]) {
    const folder = makeFolder(mode);
    const first = await serveOn(folder);
    assert.match(first.mode, /^2?700$/);
    assert.equal(first.logged.length, 1);
    const { dataDir, mode: before, msg } = JSON.parse(first.logged[0] as string);
    assert.deepEqual([dataDir, before], [folder, mode.toString(8)]);
    assert.equal(msg, "others than its owner could enter the data directory; its mode is 700 now");
    assert.deepEqual((await serveOn(folder)).logged, []);
  }
});

test("a folder that Reeve shares with others is left unchanged, and the log says what to do", async () => {
  const folder = makeFolder(0o1777);
  writeFileSync(join(folder, "of-somebody-else"), "");
  const { mode, logged } = await serveOn(folder);
  assert.equal(mode, "1777");
  assert.equal(logged.length, 1);
  assert.match(
    logged[0] as string,
    /it holds of-somebody-else, which is not Reeve's\): give Reeve one that its user owns/,
  );
});
