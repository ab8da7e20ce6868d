// Reads and writes the rows of whole tables of an embedded store, and copies the store as a whole.
import { open, rm } from "node:fs/promises";
import { backup } from "node:sqlite";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { selectRows, sizeOf } from "../tables/table.ts";
import type { Row, Table } from "../tables/table.ts";

const BATCH_ROWS = 500;
const BATCH_BYTES = 1024 * 1024;
/** 4 MB: after each step the thread is free for other work, and progress is reported. */
const STEP_PAGES = 1_000;

/** The rows of a table in batches, by primary key. */
export async function* readSqliteRows(db: DatabaseSync, table: Table): AsyncGenerator<readonly Row[]> {
  const statement = db.prepare(selectRows(table));
  statement.setReturnArrays(true);
  let batch: Row[] = [];
  let bytes = 0;
  for (const found of statement.iterate()) {
    const row = found as unknown as Row;
    batch.push(row);
    bytes += sizeOf(row);
    if (batch.length === BATCH_ROWS || bytes >= BATCH_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

export function insertSqliteRows(db: DatabaseSync, { name, columns }: Table, rows: readonly Row[]): void {
  const names = columns.map((column) => column.name).join(", ");
  const parameters = columns.map(() => "?").join(", ");
  const statement = db.prepare(`insert into ${name} (${names}) values (${parameters})`);
  for (const row of rows) statement.run(...(row as SQLInputValue[]));
}

/**
 * Copies the present state of the database into `file`, which is new or empty, in an open transaction. All steps see the state of
 * that transaction, so writers go on, and the copy never starts over however much they write.
 */
export async function copySqlite(
  db: DatabaseSync,
  file: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  await using handle = await open(file, "a", 0o600);
  try {
    // The first read fixes the state of the transaction.
    db.exec("select count(*) from sqlite_schema");
    await backup(db, file, {
      rate: STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  } finally {
    await rm(`${file}-journal`, { force: true });
  }
  await handle.sync();
}
