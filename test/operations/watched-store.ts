// Which tables change while a test calls something, apart from what background work changes.
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import type { TestApp } from "../harness/test-app.ts";

/** Tables that background work changes, whatever is called: deliveries, and the daily checkpoints. */
const CHANGED_IN_BACKGROUND = new Set([
  "webhook_deliveries",
  "webhook_attempts",
  "webhook_queues",
  "webhook_replays",
  "event_checkpoints",
  "signing_keys",
  "changed_owners",
]);
/** Columns that background work changes: the last use of credentials, and when a chain is signed next. */
const COLUMNS_CHANGED_IN_BACKGROUND = ["active_at", "checkpoint_due_at"];

/** Remembers what the store holds, and returns a function that gives the names of the tables that hold something else by then. */
export type WatchStore = () => Promise<() => Promise<readonly string[]>>;

type Hashes = Readonly<Record<string, unknown>>;

async function tableNames(api: TestApp): Promise<string[]> {
  const rows = await api.query(
    api.app.runner.engine === "sqlite"
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name"
      : "select table_name as name from information_schema.tables where table_schema = current_schema() order by 1",
  );
  return rows.map((row) => String(row["name"])).filter((name) => !CHANGED_IN_BACKGROUND.has(name));
}

function differences(before: Hashes, now: Hashes): readonly string[] {
  return Object.keys(now).filter((table) => before[table] !== now[table]);
}

/** Rows of codes and requests that are over are deleted in the background. */
function isExpired({ hash: code, expires_at: expiresAt }: Record<string, unknown>, now: number): boolean {
  return code !== undefined && Number(expiresAt ?? Infinity) <= now;
}

function describeRow(row: Record<string, unknown>): string {
  for (const column of COLUMNS_CHANGED_IN_BACKGROUND) delete row[column];
  return JSON.stringify(row);
}

/**
 * Most calls that are watched commit nothing, and SQLite tells another connection so. Only if something was committed are the
 * rows compared with those of before, which a transaction that began then still reads.
 */
async function watchSqlite(api: TestApp, tables: readonly string[]): Promise<WatchStore> {
  const [main] = await api.query("pragma database_list");
  const open = () => new DatabaseSync(String(main?.["file"]), { readOnly: true });
  const [present, past] = [open(), open()];
  after(() => {
    for (const connection of [present, past]) connection.close();
  });
  const version = () => present.prepare("pragma data_version").get()?.["data_version"];
  const read = (connection: DatabaseSync): Hashes =>
    Object.fromEntries(
      tables.map((table) => {
        const rows = connection.prepare(`select * from ${table}`).all();
        const kept = rows.filter((row) => !isExpired(row, api.clock.now));
        return [table, hash("sha256", kept.map(describeRow).toSorted().join("\n"), "hex")];
      }),
    );
  return async () => {
    if (past.isTransaction) past.exec("rollback");
    const before = version();
    // It reads what is committed by its first statement.
    past.exec("begin; select count(*) from sqlite_schema");
    return async () => (version() === before ? [] : differences(read(past), read(present)));
  };
}

/** The server hashes the rows, so that they stay there. */
function watchPostgres(api: TestApp, tables: readonly string[]): WatchStore {
  const hidden = COLUMNS_CHANGED_IN_BACKGROUND.map((column) => `'${column}'`).join(", ");
  const texts = tables.map(
    (table) => `select '${table}' as name, md5(string_agg(r, ' ' order by r)) as rows
      from (select (j - array[${hidden}])::text as r from (select to_jsonb(t) as j from ${table} t) as rows
        where not (j ? 'hash' and coalesce((j ->> 'expires_at')::numeric, 'infinity') <= NOW)) as kept`,
  );
  const all = texts.join(" union all ");
  const read = async (): Promise<Hashes> => {
    const rows = await api.query(all.replaceAll("NOW", String(api.clock.now)));
    return Object.fromEntries(rows.map(({ name, rows: hashed }) => [String(name), hashed]));
  };
  return async () => {
    const before = await read();
    return async () => differences(before, await read());
  };
}

export async function createWatch(api: TestApp): Promise<WatchStore> {
  const tables = await tableNames(api);
  return api.app.runner.engine === "sqlite" ? await watchSqlite(api, tables) : watchPostgres(api, tables);
}
