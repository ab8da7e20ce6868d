// An archive as text (docs/backup.md): a header, for each table a line that names it and a line for each of its rows, and
// an end with their numbers and a hash, so that a file that was cut off or changed shows. Errors never quote a line.
import { createHash } from "node:crypto";
import { Failure } from "../cli/failure.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Engine, SqlValue } from "../kernel/tx.ts";
import type { SnapshotTx } from "../store/database.ts";
import { listTables } from "../store/tables/inventory.ts";
import { SCHEMA_VERSION } from "../store/migrations/migrate.ts";
import { sizeOf } from "../store/tables/table.ts";
import type { ColumnType, Row, Table } from "../store/tables/table.ts";
import { splitLines } from "./text-lines.ts";

const FORMAT = "reeve-archive";
const FORMAT_VERSION = 1;
/** A row's parts have bounds of their own, far below. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const BATCH_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;

export interface ArchiveHeader {
  readonly schemaVersion: number;
  readonly exportedAt: number;
  /** The engine that it comes from, for people. */
  readonly engine: Engine;
  /** The version of Reeve that wrote it, for people. */
  readonly reeve: string;
}

export interface ArchiveEnd {
  readonly rows: number;
  /** Of all lines between the header and the end: the same for the same content, whatever it comes from and when. */
  readonly sha256: string;
}

function damaged(message: string): Failure {
  return new Failure("refused", message, "archive_damaged");
}

function encodeRow(row: Row): string {
  const values = row.map((value) =>
    value instanceof Uint8Array
      ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64")
      : value,
  );
  return `${JSON.stringify(values)}\n`;
}

function tableLine({ name, columns }: Table): string {
  return `${JSON.stringify({ table: name, columns: columns.map((column) => column.name) })}\n`;
}

/** The text of an archive of all that the transaction sees, in pieces; `onRows` hears how many rows are in it so far. */
export async function* writeArchive(
  tx: SnapshotTx,
  header: ArchiveHeader,
  onRows: (rows: number) => void,
  onEnd: (end: ArchiveEnd) => void,
): AsyncGenerator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ format: FORMAT, formatVersion: FORMAT_VERSION, ...header })}\n`);
  const hash = createHash("sha256");
  let rows = 0;
  function hashed(text: string): Buffer {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    return bytes;
  }
  for (const table of listTables(header.schemaVersion)) {
    yield hashed(tableLine(table));
    for await (const batch of tx.readRows(table)) {
      yield hashed(batch.map(encodeRow).join(""));
      rows += batch.length;
      onRows(rows);
    }
  }
  const end = { rows, sha256: hash.digest("hex") };
  yield Buffer.from(`${JSON.stringify({ end: true, ...end })}\n`);
  onEnd(end);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Answers the schema version. */
function readHeader(bytes: Buffer | undefined, file: string): number {
  const { format, formatVersion, schemaVersion } = (bytes ? (parse(bytes) ?? {}) : {}) as Partial<
    Record<string, unknown>
  >;
  if (format !== FORMAT || !isWhole(formatVersion)) {
    throw new Failure("refused", `${file} is neither an archive nor a database of Reeve's`, "archive_format");
  }
  const refuse = (what: string, version: number, known: number) =>
    new Failure(
      "refused",
      `${file} is of ${what} version ${version}, and this Reeve reads none above ${known}: upgrade it`,
      "archive_version",
    );
  if (formatVersion > FORMAT_VERSION) throw refuse("format", formatVersion, FORMAT_VERSION);
  if (!isWhole(schemaVersion) || schemaVersion === 0) throw damaged(`${file}, line 1: expected a schemaVersion`);
  if (schemaVersion > SCHEMA_VERSION) throw refuse("schema", schemaVersion, SCHEMA_VERSION);
  return schemaVersion;
}

/** A value as a column of this type holds it; undefined: it holds no such value. */
function decodeValue(type: ColumnType, value: unknown): SqlValue | undefined {
  if (value === null) return null;
  if (type === "text") return typeof value === "string" ? value : undefined;
  if (type === "integer") return Number.isSafeInteger(value) ? (value as number) : undefined;
  if (type === "real") return typeof value === "number" ? value : undefined;
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? bytes : undefined;
}

function decodeRow({ name, columns }: Table, values: readonly unknown[], place: string): Row {
  if (values.length !== columns.length) throw damaged(`${place}: expected ${columns.length} values of ${name}`);
  return columns.map((column, at) => {
    const value = decodeValue(column.type, values[at]);
    if (value === undefined) throw damaged(`${place}: expected ${column.type} or null as ${name}.${column.name}`);
    return value;
  });
}

export interface Batch {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** Everything that a store of a schema holds. */
export interface Rows {
  readonly schemaVersion: number;
  /** Table by table, in the order of `listTables`. */
  readonly batches: AsyncIterable<Batch>;
}

interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

async function* numbered(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Line> {
  let number = 0;
  try {
    for await (const bytes of splitLines(chunks, MAX_LINE_BYTES)) yield { number: ++number, bytes };
  } catch (error) {
    throw error instanceof ApiError ? damaged(`${file}, line ${number + 1}: ${error.message}`) : error;
  }
}

/** Takes the lines behind the header, and answers what is a row. */
function createLineReader(tables: readonly Table[], file: string) {
  const hash = createHash("sha256");
  let table: Table | undefined;
  let begun = 0;
  let count = 0;
  let isOver = false;

  function readEnd({ rows, sha256 }: Partial<ArchiveEnd>, place: string): void {
    if (begun < tables.length) throw damaged(`${place}: expected the table ${tables[begun]?.name}`);
    if (rows !== count) throw damaged(`${place}: the end tells of ${String(rows)} rows, and there are ${count}`);
    if (sha256 !== hash.digest("hex")) throw damaged(`${file} was changed: its lines do not fit the hash at its end`);
    isOver = true;
  }

  function readTable(bytes: Buffer, place: string): void {
    table = tables[begun++];
    if (!table) throw damaged(`${place}: expected the end`);
    // Exactly as it was written, or the file is none that an export wrote.
    if (!bytes.equals(Buffer.from(tableLine(table).trimEnd()))) {
      throw damaged(`${place}: expected the table ${table.name} with its columns`);
    }
  }

  return {
    read({ number, bytes }: Line): { readonly table: Table; readonly row: Row } | null {
      const place = `${file}, line ${number}`;
      if (isOver) throw damaged(`${place}: expected nothing behind the end`);
      const value = parse(bytes);
      if ((value as { end?: unknown } | undefined)?.end === true) {
        readEnd(value as Partial<ArchiveEnd>, place);
        return null;
      }
      hash.update(bytes).update("\n");
      if (!Array.isArray(value)) {
        readTable(bytes, place);
        return null;
      }
      if (!table) throw damaged(`${place}: expected a table before its rows`);
      count++;
      return { table, row: decodeRow(table, value, place) };
    },
    requireOver(): void {
      if (!isOver) throw damaged(`${file} is cut off: it has no end`);
    },
  };
}

async function* readBatches(
  lines: AsyncGenerator<Line>,
  tables: readonly Table[],
  file: string,
): AsyncGenerator<Batch> {
  const reader = createLineReader(tables, file);
  let table: Table | undefined;
  let rows: Row[] = [];
  let bytes = 0;
  for await (const line of lines) {
    const found = reader.read(line);
    if (table && rows.length > 0 && (found?.table !== table || rows.length === BATCH_ROWS || bytes >= BATCH_BYTES)) {
      yield { table, rows };
      rows = [];
      bytes = 0;
    }
    if (!found) continue;
    table = found.table;
    rows.push(found.row);
    bytes += sizeOf(found.row);
  }
  reader.requireOver();
}

/**
 * Reads an archive from its beginning. Each row is checked; whoever reads on to the end hears of the first line that is not
 * as it must be, and of an end that is missing.
 */
export async function readArchive(chunks: AsyncIterable<Uint8Array>, file: string): Promise<Rows> {
  const lines = numbered(chunks, file);
  const first = await lines.next();
  const schemaVersion = readHeader(first.done ? undefined : first.value.bytes, file);
  return { schemaVersion, batches: readBatches(lines, listTables(schemaVersion), file) };
}
