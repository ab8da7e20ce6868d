import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readGate } from "./config.ts";

test("the counter store is a URL, in a file or not, and no message repeats it", (t) => {
  assert.equal(readGate({}, {}).redisUrl, null);
  const url = "rediss://gate:hunter2@redis.example.com:6379/1";
  assert.equal(readGate({}, { REEVE_GATE_REDIS_URL: url }).redisUrl, url);
  const folder = mkdtempSync(join(tmpdir(), "reeve-gate-settings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "url"), `${url}\n`);
  assert.equal(readGate({}, { REEVE_GATE_REDIS_URL_FILE: join(folder, "url") }).redisUrl, url);
  assert.throws(
    () => readGate({}, { REEVE_GATE_REDIS_URL: "http://:hunter2@redis" }),
    ({ message }: Error) =>
      message.startsWith("REEVE_GATE_REDIS_URL: expected redis://HOST") && !message.includes("hunter2"),
  );
});
