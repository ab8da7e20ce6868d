// Fills data directories through the stores' own statements, without a server.
import { sqliteFile } from "../src/serve/config/data-paths.ts";
import { openDatabase } from "../src/serve/open-database.ts";
import { prepareKeyring } from "../src/serve/master-keys/start-keyring.ts";
import { readSettings } from "../src/serve/config/config.ts";
import { describeCredential } from "../src/platform/kernel/credential.ts";
import { newId, randomHex } from "../src/platform/kernel/ids.ts";
import type { Keyring } from "../src/platform/kernel/keyring.ts";
import { positionAt } from "../src/platform/kernel/pagination.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { startChain } from "../src/events/events/emit.ts";
import { insertToken } from "../src/identity/tokens/store.ts";
import { bootstrapInstance } from "../src/identity/tokens/bootstrap.ts";
import { addAccountEntry } from "../src/platform/store/search/entries.ts";
import { insertUser } from "../src/identity/accounts/store.ts";
import type { Database } from "../src/platform/store/database.ts";
import { migrate } from "../src/platform/store/migrations/migrate.ts";
import { BENCH_TOKEN } from "./processes.ts";

/** As PostgreSQL does by itself: not tables that are still empty, whose plans would then be made for no rows. */
const FILLED = `select string_agg(quote_ident(relname), ', ') as names from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace and pg_relation_size(oid) > 0`;

/** What PostgreSQL does with a filled store in time. On SQLite nobody makes statistics, which would change its plans. */
async function analyze({ engine, admin }: Database): Promise<void> {
  if (engine === "sqlite") return;
  const [filled] = await admin.query(FILLED);
  await admin.exec(`vacuum (analyze) ${filled?.["names"] as string}`);
}

/** What PostgreSQL does in time with a store that was just filled. */
export async function vacuumStore(dataDir: string, databaseUrl: string): Promise<void> {
  const database = await openDatabase(readSettings({ dataDir, databaseUrl }, {}));
  await analyze(database);
  await database.close();
}

/** Makes a store with an administrator, who has BENCH_TOKEN, and what `fill` adds to it: a file, or a database. */
export async function seedStore<T>(
  dataDir: string,
  now: number,
  fill: (tx: Tx, keyring: Keyring) => Promise<T>,
  databaseUrl?: string,
): Promise<T> {
  const settings = readSettings({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) }, {});
  const database = await openDatabase(settings);
  await migrate(database, sqliteFile(settings), now);
  // Large stores are written page by page at the end, instead of again and again.
  if (database.engine === "sqlite") await database.admin.exec("pragma cache_size = -400000");
  const { keyring } = await prepareKeyring(settings, database, now);
  await database.transaction((tx) => bootstrapInstance(tx, BENCH_TOKEN, now));
  const filled = await database.transaction((tx) => fill(tx, keyring));
  await analyze(database);
  if (database.engine === "sqlite") await database.admin.query("pragma wal_checkpoint(truncate)");
  await database.close();
  return filled;
}

export async function seedUser(tx: Tx, username: string, now: number, name: string | null = null): Promise<string> {
  const id = newId("user");
  await startChain(tx, id, "user");
  const email = `${username}@example.com`;
  await insertUser(tx, {
    id,
    email,
    emailKey: email,
    username,
    usernameKey: username,
    name,
    isAdmin: 0,
    emailConfirmedAt: null,
    now,
    position: positionAt(now),
  });
  await addAccountEntry(tx, { id, name, username, email });
  return id;
}

/** A user and a token of theirs. */
export async function seedOwner(
  tx: Tx,
  now: number,
  username = "owner",
): Promise<{ readonly ownerId: string; readonly token: string }> {
  const ownerId = await seedUser(tx, username, now);
  const token = `bench_${randomHex(40)}`;
  const { hash, prefix, suffix } = describeCredential(token);
  await insertToken(tx, {
    id: newId("token"),
    userId: ownerId,
    hash,
    name: "bench",
    prefix,
    suffix,
    origin: "manual",
    teamId: null,
    expiresAt: null,
    clientId: null,
    grantHash: null,
    permissions: null,
    limits: null,
    allowedCidrs: null,
    now: Date.now(),
    position: positionAt(now),
  });
  return { ownerId, token };
}
