// Stores that no server may start on: each is refused in one line that says what to do, and left unchanged.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hash, randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { refuseOldServer } from "../../src/platform/store/postgres/postgres.ts";
import { ENGINE } from "../harness/test-app.ts";
import { MOUNT_NAMESPACE } from "../harness/mount-namespace.ts";
import { addSecret, assertRefusal, createSettings, temporaryFolder } from "./key-world.ts";
import { runReeve, serveReeve, stopReeve } from "./reeve-process.ts";

const { settings } = await createSettings();
const server = await serveReeve(settings);
await addSecret(server, "kept");
await stopReeve(server);
// A clean stop leaves a file that is complete without its log.
if (ENGINE === "sqlite") assert.deepEqual(readdirSync(settings.dataDir as string), ["master.key", "reeve.db"]);

/** Names and contents of a folder's files. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(names.map((name) => [name, hash("sha256", readFileSync(join(folder, name)))]));
}

const SERVE = ["serve", "--port", "0"];

if (ENGINE === "sqlite") {
  const good = settings.dataDir as string;

  /** Copies the store, lets `spoil` damage it, and starts a server on it, which must leave it unchanged. */
  async function refuse(
    spoil: (folder: string, file: string) => void,
    message: RegExp,
    wrapper: (folder: string) => readonly string[] = () => [],
  ): Promise<void> {
    const folder = temporaryFolder();
    cpSync(good, folder, { recursive: true });
    spoil(folder, join(folder, "reeve.db"));
    const before = contentsOf(folder);
    const ended = await runReeve(SERVE, { ...settings, dataDir: folder }, {}, wrapper(folder));
    assertRefusal(ended, 69, message);
    assert.deepEqual(contentsOf(folder), before);
  }

  /** Runs a program with a path mounted read-only; undefined if this user may not mount. */
  function mountReadOnly(path: string): readonly string[] | undefined {
    const script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"';
    const wrapper = [...MOUNT_NAMESPACE, "sh", "-c", script, "sh", path];
    return spawnSync(wrapper[0] as string, [...wrapper.slice(1), "true"]).status === 0 ? wrapper : undefined;
  }

  /** If mounting is not permitted this user is not root, and file modes apply. */
  const readOnly = (name: string) => (folder: string) => {
    const path = join(folder, name);
    const wrapper = mountReadOnly(path);
    if (!wrapper) chmodSync(path, statSync(path).isDirectory() ? 0o500 : 0o400);
    return wrapper ?? [];
  };

  test("a database that may not be written, and one whose folder may not", async () => {
    const message =
      /^reeve: cannot open the database .*reeve\.db: .*'[^']*': give this user the right to read and write/;
    await refuse(() => undefined, message, readOnly("reeve.db"));
    await refuse(() => undefined, message, readOnly("."));
  });

  test("a master key whose database is gone", async () => {
    const message =
      /there is a master key in .* and no database: put reeve\.db back from your backup, or take .*master\.key/;
    await refuse((_folder, file) => rmSync(file), message);
    await refuse((_folder, file) => truncateSync(file, 0), message);
  });

  test("a file that is no database, and a damaged one", async () => {
    const overwrite = (file: string, at: number, bytes: Uint8Array) => {
      const descriptor = openSync(file, "r+");
      writeSync(descriptor, bytes, 0, bytes.length, at);
      closeSync(descriptor);
    };
    await refuse(
      (_folder, file) => overwrite(file, 0, randomBytes(4_096)),
      /cannot open .*reeve\.db: file is not a database/,
    );
    await refuse((_folder, file) => writeFileSync(file, "hello"), /cannot open .*reeve\.db: file is not a database/);
    await refuse(
      (_folder, file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
      /database disk image is malformed/,
    );
    // The page with the list of tables.
    await refuse((_folder, file) => overwrite(file, 100, randomBytes(3_000)), /malformed|not a database/);
  });

  test("a path that is no folder, and a disk without space", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const ended = await runReeve(SERVE, { ...settings, dataDir: file });
    assertRefusal(ended, 69, /cannot create the data directory .*a-file/);
    assert.deepEqual(readdirSync(folder), ["a-file"]);
  });

  test("a database that a newer Reeve wrote", async () => {
    const folder = temporaryFolder();
    cpSync(good, folder, { recursive: true });
    await writeNewerSchema({ ...settings, dataDir: folder });
    const before = contentsOf(folder);
    const ended = await runReeve(SERVE, { ...settings, dataDir: folder });
    assertRefusal(ended, 69, /has schema version 9999, .* start the newer Reeve that wrote it/);
    assert.deepEqual(contentsOf(folder), before);
  });

  test("a server whose database vanishes while it runs accepts no more changes, says why and exits", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    mkdirSync(data);
    const running = await serveReeve({
      ...settings,
      dataDir: data,
      bootstrapToken: "an_administrators_token_of_this_file",
    });
    const create = (slug: string) =>
      fetch(`${running.url}/v1/teams`, {
        method: "POST",
        headers: { authorization: "Bearer an_administrators_token_of_this_file", "content-type": "application/json" },
        body: JSON.stringify({ slug }),
      });
    assert.equal((await create("before")).status, 200);
    renameSync(data, join(folder, "away"));
    const refused = await create("after").catch(() => undefined);
    assert.ok(refused === undefined || refused.status === 503, String(refused?.status));
    const { code, stderr } = await running.ended;
    assert.equal(code, 1);
    assert.match(stderr, /the store's writer is lost; stopping/);
    assert.match(stderr, /reeve\.db was moved, removed or replaced under the running server/);
    assert.deepEqual(readdirSync(folder), ["away"]);
  });
}

async function writeNewerSchema(of: typeof settings): Promise<void> {
  const database = await openDatabase(readSettings(of, {}));
  await database.transaction((tx) =>
    tx.exec("insert into schema_migrations (version, name, applied_at) values (9999, 'later', 0)"),
  );
  await database.close();
}

if (ENGINE === "postgres") {
  const url = (change: (url: URL) => void) => {
    const changed = new URL(settings.databaseUrl as string);
    change(changed);
    return { ...settings, databaseUrl: changed.href };
  };

  test("a PostgreSQL server that is unreachable, refuses the login, or lacks the database", async () => {
    const refused = async (change: (url: URL) => void, message: RegExp) => {
      const ended = await runReeve(SERVE, url(change));
      assertRefusal(ended, 69, message);
      assert.doesNotMatch(ended.stderr, /hunter2/);
    };
    await refused((to) => (to.port = "1"), /cannot use PostgreSQL at .*ECONNREFUSED/);
    await refused((to) => (to.host = "no-such-host.invalid"), /cannot use PostgreSQL at .*no-such-host\.invalid/);
    await refused((to) => (to.password = "hunter2"), /cannot use PostgreSQL at .*: password authentication failed/);
    await refused(
      (to) => (to.pathname = "/no_such_database"),
      /cannot use PostgreSQL at .*no_such_database.* does not exist/,
    );
  });

  test("a database that a newer Reeve wrote", async () => {
    await writeNewerSchema(settings);
    const ended = await runReeve(SERVE, settings);
    assertRefusal(ended, 69, /has schema version 9999, .* start the newer Reeve that wrote it/);
  });

  test("a PostgreSQL that is too old", () => {
    assert.throws(() => refuseOldServer(140_019), /this PostgreSQL is 14\.19, and Reeve needs 15 or newer/);
    refuseOldServer(150_000);
  });
}
