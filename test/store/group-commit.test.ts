// Group commit in the writer thread of the embedded store: jobs share a commit and nothing else.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { launchThread, startWriter } from "../../src/platform/store/sqlite/writer-client.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-writer-"));
const file = join(folder, "writer.db");
let commits = 0;
const writer = startWriter({
  thread: launchThread(new URL("group-commit-writer.ts", import.meta.url)),
  setup: { file },
  onCommit: () => commits++,
  onLost: (error) => assert.fail(error),
});
await writer.post([
  "create table things (id integer primary key)",
  "create table parts (thing integer references things (id) deferrable initially deferred)",
]);
// A second connection sees committed data only.
const reader = new DatabaseSync(file, { readOnly: true });
after(async () => {
  await writer.close();
  reader.close();
  rmSync(folder, { recursive: true });
});

const insert = (id: number) => `insert into things (id) values (${id})`;

function idsFrom(from: number, to: number): number[] {
  const rows = reader.prepare("select id from things where id between ? and ? order by id").all(from, to);
  return rows.map((row) => Number(row["id"]));
}

test("a job that fails rolls back its own changes only", async () => {
  const results = await Promise.allSettled([
    writer.post([insert(1)]),
    writer.post([insert(2), "fail"]),
    writer.post([insert(3), insert(1)]),
    writer.post([insert(4)]),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled"],
  );
  assert.deepEqual(idsFrom(1, 9), [1, 4]);
});

test("a job that is alone in its group rolls back all that it changed, and the next one is stored", async () => {
  await assert.rejects(writer.post([insert(21), "fail"]));
  assert.deepEqual(idsFrom(21, 29), []);
  await writer.post([insert(22)]);
  await assert.rejects(writer.post([insert(23), insert(22)]));
  assert.deepEqual(idsFrom(21, 29), [22]);
});

test("jobs return after their commit, and many share one", async () => {
  const count = 2_000;
  const before = commits;
  await Promise.all(
    Array.from({ length: count }, async (_none, index) => {
      const id = 1_000 + index;
      await writer.post([insert(id)]);
      assert.deepEqual(idsFrom(id, id), [id]);
    }),
  );
  assert.equal(idsFrom(1_000, 1_000 + count).length, count);
  assert.ok(commits - before <= count / 10, `${commits - before} commits for ${count} jobs`);
});

test("a commit that fails fails every job of its group, stores none of them, and the next group works", async () => {
  const results = await Promise.allSettled([
    writer.post([insert(11)]),
    writer.post(["insert into parts (thing) values (12345678)"]),
    writer.post([insert(12)]),
  ]);
  for (const result of results) {
    assert.equal(result.status, "rejected");
    assert.match(String(result.reason), /FOREIGN KEY/);
  }
  assert.deepEqual(idsFrom(11, 19), []);
  await writer.post([insert(13)]);
  assert.deepEqual(idsFrom(11, 19), [13]);
});
