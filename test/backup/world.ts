// A store with rows in every table, and shorthands for the commands.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { BackupMade } from "../../src/serve/backup/backup.ts";
import type { BackupReport } from "../../src/serve/backup/verify-backup.ts";
import type { RestoreRequest, Restored } from "../../src/serve/backup/restore.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Flags, Settings } from "../../src/serve/config/config.ts";
import { backUpStore, exportStore } from "../../src/serve/backup/backup.ts";
import { restoreStore } from "../../src/serve/backup/restore.ts";
import { verifyBackup } from "../../src/serve/backup/verify-backup.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION } from "../../src/platform/store/migrations/migrate.ts";
import type { ColumnType, Row, Table } from "../../src/platform/store/tables/table.ts";
import { OPERATIONS, call, exampleOf } from "../operations/operation-call.ts";
import { createWorld } from "../operations/world.ts";
import type { World } from "../operations/world.ts";
import { createStorage, uniqueName } from "../harness/test-app.ts";
import type { TestApp } from "../harness/test-app.ts";

export const NOW = Date.UTC(2031, 5, 1);
const quiet = () => undefined;

/** A folder for the files of this test file, removed with its contents. */
export const folder = mkdtempSync(join(tmpdir(), "reeve-backup-"));
after(() => rmSync(folder, { recursive: true, force: true }));
export const newFile = (ending = ".ndjson") => join(folder, uniqueName("backup") + ending);

/** Values that a wrong encoding, of either engine or of JSON, would change. */
const AWKWARD: Readonly<Record<ColumnType, Row[number]>> = {
  text: "a\tb\nc\rd\\n \\N \\. \"quoted\" 'single' \u0001\u007F \u2028 é \u{1F389} %s $1",
  integer: 2 ** 31 - 1,
  real: 0.1 + 0.2,
  bytes: new Uint8Array(256).map((_zero, at) => at),
};

function awkwardRow({ columns }: Table): Row {
  return columns.map(({ type }) => AWKWARD[type]);
}

/** Calls every endpoint once, stops the server, and plants rows into tables that are still empty. */
async function fill(world: World): Promise<void> {
  for (const operation of OPERATIONS.filter(({ endpoint }) => !endpoint.isLive)) {
    const response = await call(operation, world, await exampleOf(operation, world));
    assert.ok(response.status < 300, `${operation.id}: ${response.text}`);
  }
  // Its background jobs would process the planted rows.
  await world.app.close();
  // No row of these has to refer to another.
  const unbound = new Set([
    "mails",
    "mail_counts",
    "mail_link_keys",
    "webhook_attempts",
    "webhook_deliveries",
    "idempotency_records",
    "identity_tokens",
    "search_refreshes",
    "sign_in_failures",
    "verified_bots",
  ]);
  await world.withStore(async (store) => {
    for (const table of listTables(SCHEMA_VERSION)) {
      if (unbound.has(table.name)) await store.transaction((tx) => tx.insertRows(table, [awkwardRow(table)]));
    }
    await store.transaction(async (tx) => {
      await tx.exec(`update mails set due_at = ${Number.MAX_SAFE_INTEGER}`);
      await tx.exec("update firewall_traffic_hours set squares = 0.1");
      await tx.exec(`insert into declined_requests (team_id, user_id, declined_at)
        values ('${world.team.id}', '${world.outsider.id}', 1)`);
      await tx.exec(`insert into mail_stops (team_id, recipient, created_at) values ('${world.team.id}', 'nobody', 1)`);
      await tx.exec(`insert into identities (id, user_id, provider, issuer, subject, used_at, created_at, position)
        values ('identity', '${world.outsider.id}', 'keycloak', 'https://id.example.com', 'ada', 1, 1, 1)`);
      await tx.exec(`insert into oauth_records (model, hash, payload, expires_at) values ('Grant', 'hash', '{}', 1)`);
      await tx.exec(
        "insert into removals (owner_id, begun_at, removed) select id, 1, 0 from deleted_teams order by id limit 1",
      );
    });
  });
}

/**
 * Settings of another, empty store of the same engine, or of the embedded one; with the keys of `api`, which a backup does not
 * contain.
 */
export async function emptyStore(api: TestApp, engine?: "sqlite"): Promise<Settings> {
  const { flags, remove } = await createStorage();
  after(remove);
  const { databaseUrl, ...embedded } = flags;
  const chosen: Flags = engine === "sqlite" || databaseUrl === undefined ? embedded : flags;
  return readSettings({ ...chosen, masterKeyFile: join(api.settings.dataDir, "master.key") }, {});
}

export async function createFilledWorld(): Promise<World> {
  const world = await createWorld();
  await fill(world);
  return world;
}

export async function exportTo(settings: Settings, file = newFile(), force = false): Promise<BackupMade> {
  return await exportStore(settings, { file, force }, quiet, () => NOW);
}

export async function backUpTo(settings: Settings, file: string, force = false): Promise<BackupMade> {
  return await backUpStore(settings, { file, force }, quiet, () => NOW);
}

export async function verify(settings: Settings, file: string): Promise<BackupReport> {
  return await verifyBackup(settings, file, quiet, () => NOW);
}

export async function restore(settings: Settings, file: string, more: Partial<RestoreRequest> = {}): Promise<Restored> {
  const request: RestoreRequest = {
    file,
    replace: false,
    endCredentials: false,
    kinds: ["archive", "database"],
    ...more,
  };
  return await restoreStore(settings, request, quiet, () => NOW);
}

/** The lines of an archive after its header, which names the time and the engine. */
export function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(1);
}

/** How many rows each table has. */
export async function countByTable({ admin }: Pick<Database, "admin">): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name } of listTables(SCHEMA_VERSION)) {
    const [row] = await admin.query(`select count(*) as n from ${name}`);
    counts.set(name, Number(row?.["n"]));
  }
  return counts;
}
