import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { NO_OWNER } from "../versions.ts";
import { createChangeRecorder } from "./changed-owners.ts";
import { openSqliteReader } from "./reader.ts";
import { connectSqlite } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-changed-owners-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A database with one writer and one reader, and what of the reads at the present version is current later. */
function openStore() {
  const file = join(folder, `${files++}.db`);
  const { db } = connectSqlite(file, "write");
  db.exec(
    "create table changed_owners (sequence integer primary key, owner_ids text); create table things (id integer)",
  );
  const changes = createChangeRecorder(db);
  const { versions, endSnapshot, close } = openSqliteReader(file);
  const present = () => {
    endSnapshot();
    return versions.present();
  };
  after(() => {
    close();
    db.close();
  });
  return {
    db,
    present,
    commit(ownerIds: readonly string[] | null) {
      db.exec("begin immediate; insert into things values (1)");
      changes.record(ownerIds && new Set(ownerIds));
      db.exec("commit");
    },
    whatIsCurrent(readAt: number) {
      present();
      return ["a", "b", NO_OWNER, null].filter((ownerId) => versions.isCurrent(readAt, ownerId));
    },
  };
}

test("what was read of other owners stays current, across several commits", () => {
  const { commit, present, whatIsCurrent } = openStore();
  commit(null);
  const readAt = present();
  assert.deepEqual(whatIsCurrent(readAt), ["a", "b", NO_OWNER, null]);
  commit([]);
  assert.deepEqual(whatIsCurrent(readAt), ["a", "b", NO_OWNER]);
  commit(["c"]);
  commit(["a", "d"]);
  assert.deepEqual(whatIsCurrent(readAt), ["b", NO_OWNER]);
  assert.deepEqual(whatIsCurrent(present()), ["a", "b", NO_OWNER, null]);
});

test("nothing stays current after a commit that may have changed anything, be it one of several", () => {
  const { commit, present, whatIsCurrent } = openStore();
  const readAt = present();
  commit(null);
  commit(["a"]);
  assert.deepEqual(whatIsCurrent(readAt), []);
});

test("nothing stays current after a commit that another program made", () => {
  const { db, commit, present, whatIsCurrent } = openStore();
  commit(["a"]);
  const readAt = present();
  db.exec("insert into things values (2)");
  assert.deepEqual(whatIsCurrent(readAt), []);
});

test("nothing stays current for a reader that has missed more commits than are kept", () => {
  const { db, commit, present, whatIsCurrent } = openStore();
  commit(["a"]);
  const readAt = present();
  for (let count = 0; count < 999; count++) commit(["c"]);
  assert.deepEqual(whatIsCurrent(readAt), ["a", "b", NO_OWNER]);
  for (let count = 0; count < 1_100; count++) commit(["c"]);
  assert.deepEqual(whatIsCurrent(readAt), []);
  assert.deepEqual(db.prepare("select count(*) as count from changed_owners").get()?.["count"], 1_000);
});

test("a job's promise does not outlast the job", () => {
  const { db, tx } = connectSqlite(join(folder, `${files++}.db`), "write");
  tx.changesOnly("a");
  assert.deepEqual([tx.takePromise(), tx.takePromise()], ["a", null]);
  db.close();
});
