// An exported and imported store is the same store, on the same engine or the other one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Settings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { ENGINE, send } from "../harness/test-app.ts";
import { NOW, countByTable, createFilledWorld, emptyStore, exportTo, linesOf, newFile, restore } from "./world.ts";

const world = await createFilledWorld();
const original = await exportTo(world.settings);

test("no table is empty in this test, and every row is in the archive", async () => {
  const counts = await world.withStore(countByTable);
  assert.deepEqual(
    [...counts].filter(([, rows]) => rows === 0),
    [],
  );
  const total = [...counts.values()].reduce((sum, rows) => sum + rows, 0);
  assert.equal(original.rows, total);
  // A line for each row and each table, and the last line.
  assert.equal(linesOf(original.file).length, total + counts.size + 1);
});

async function assertSame(settings: Settings): Promise<void> {
  const again = await exportTo(settings);
  assert.deepEqual(linesOf(again.file), linesOf(original.file));
  assert.equal(again.content, original.content);
  const { firstFault, checkpoints, events } = await verifyEvents(settings);
  assert.equal(firstFault, null);
  assert.ok(checkpoints > 0 && events > 100);
}

test("an imported store exports the same lines", async () => {
  const settings = await emptyStore(world);
  const { rows, missingKeys, vacuumFailure } = await restore(settings, original.file);
  assert.equal(rows, original.rows);
  assert.deepEqual(missingKeys, []);
  assert.equal(vacuumFailure, null);
  if (settings.databaseUrl !== null) {
    const database = await openDatabase(settings);
    // Autovacuum counts apart.
    const others = await database.admin.query(
      "select relname from pg_stat_user_tables where vacuum_count <> 1 or analyze_count <> 1 order by 1",
    );
    const [row] = await database.admin.query(
      "select relallvisible > 0 as seen from pg_class where relname = 'events' and oid in (select starelid from pg_statistic)",
    );
    await database.close();
    // What no list reads: one row of each owner, of each migration, and of the probe.
    assert.deepEqual(
      others.map(({ relname }) => relname),
      ["changed_owners", "schema_migrations", "version_totals", "write_probes"],
    );
    assert.equal(row?.["seen"], true);
  }
  await assertSame(settings);
});

test("the data survives moving from PostgreSQL to the embedded store and back", async () => {
  if (ENGINE === "sqlite") return;
  const embedded = await emptyStore(world, "sqlite");
  await restore(embedded, original.file);
  await assertSame(embedded);
  const back = await emptyStore(world);
  await restore(back, (await exportTo(embedded)).file);
  await assertSame(back);
});

test("an imported store is served, decrypts its secrets and continues its chains", async () => {
  const { token } = world.owner;
  const made = { name: "MOVED", value: "swordfish", decryptable: true };
  const server = await world.startAnother();
  assert.equal((await send(server, "POST", "/v2/secrets", { token, body: made })).status, 200);
  await server.close();
  const settings = await emptyStore(world);
  await restore(settings, (await exportTo(world.settings)).file);
  const app = await createApp(settings, { clock: () => NOW, logger: createLogger("error", process.stdout) });
  try {
    assert.equal((await app.bootstrap()).isFirst, false);
    assert.equal((await send(app, "GET", "/v3/secrets/MOVED?decrypt=true", { token })).body.value, "swordfish");
    const changed = await send(app, "PATCH", `/v2/teams/${world.team.id}`, { token, body: { name: "Moved" } });
    assert.equal(changed.status, 200, changed.text);
  } finally {
    await app.close();
  }
  assert.equal((await verifyEvents(settings)).firstFault, null);
});

test("an archive is compressed as its name says, and read whatever its name is", async () => {
  const plain = await exportTo(world.settings);
  for (const [ending, decompress] of [
    [".gz", gunzipSync],
    [".zst", zstdDecompressSync],
  ] as const) {
    const { file, content, bytes } = await exportTo(world.settings, newFile(`.ndjson${ending}`));
    assert.equal(content, plain.content);
    assert.ok(bytes < plain.bytes / 2);
    assert.equal(decompress(readFileSync(file)).toString(), readFileSync(plain.file, "utf8"));
    const settings = await emptyStore(world, "sqlite");
    assert.equal((await restore(settings, file)).rows, plain.rows);
  }
});
