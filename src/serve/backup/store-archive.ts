// An archive of a whole store (docs/backup.md): a container (`container.ts`) that holds for each table a line with its name,
// then a line for each row.
import { Failure } from "../../platform/outcomes/failure.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Engine, SqlValue } from "../../platform/kernel/tx.ts";
import type { SnapshotTx } from "../../platform/store/database.ts";
import { listTables } from "../../platform/store/tables/inventory.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { sizeOf } from "../../platform/store/tables/table.ts";
import type { ColumnType, Row, Table } from "../../platform/store/tables/table.ts";
import { requireKnown, openContainer, writeContainer } from "./container.ts";
import type { Content, Decoder, Format, Header, Read } from "./container.ts";

const BATCH_ROWS = 1_000;
const BATCH_BYTES = 1024 * 1024;

const FORMAT: Format = {
  name: "reeve-archive",
  version: 1,
  countName: "rows",
  isHashed: true,
  // Far above the limits of a row's columns.
  maxLineBytes: 64 * 1024 * 1024,
  otherFormat: "is neither an archive nor a database of Reeve's",
  parse(line) {
    try {
      return JSON.parse(line.toString("utf8"));
    } catch {
      return undefined;
    }
  },
  refuseLine: (file, line, { message }) =>
    new Failure("refused", `${file}, line ${line}: ${message}`, "archive_damaged"),
};

export interface ArchiveHeader {
  readonly schemaVersion: number;
  readonly exportedAt: number;
  /** The engine that it was written from, for people. */
  readonly engine: Engine;
  /** The version of Reeve that wrote it, for people. */
  readonly reeve: string;
}

export interface ArchiveEnd {
  readonly rows: number;
  /** Equal for equal content, independent of engine and time. */
  readonly sha256: string;
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

async function* encodeTables(tx: SnapshotTx, tables: readonly Table[]): AsyncGenerator<Content> {
  for (const table of tables) {
    yield { bytes: Buffer.from(tableLine(table)), records: 0 };
    for await (const batch of tx.readRows(table)) {
      yield { bytes: Buffer.from(batch.map(encodeRow).join("")), records: batch.length };
    }
  }
}

/** The bytes of an archive of everything that the transaction sees; `onRows` receives the number of rows so far. */
export function writeArchive(
  tx: SnapshotTx,
  header: ArchiveHeader,
  onRows: (rows: number) => void,
  onEnd: (end: ArchiveEnd) => void,
): AsyncGenerator<Buffer> {
  const content = encodeTables(tx, listTables(header.schemaVersion));
  return writeContainer(FORMAT, header, content, onRows, ({ records, sha256 }) => onEnd({ rows: records, sha256 }));
}

function invalid(expected: string): ApiError {
  return new ApiError("bad_request", `expected ${expected}`);
}

function readSchemaVersion({ schemaVersion }: Header, file: string): number {
  if (!Number.isSafeInteger(schemaVersion) || (schemaVersion as number) < 1) throw invalid("a schemaVersion");
  requireKnown(file, "schema", schemaVersion as number, SCHEMA_VERSION);
  return schemaVersion as number;
}

/** A value as a column of this type stores it; undefined if the column cannot store it. */
function decodeValue(type: ColumnType, value: unknown): SqlValue | undefined {
  if (value === null) return null;
  if (type === "text") return typeof value === "string" ? value : undefined;
  if (type === "integer") return Number.isSafeInteger(value) ? (value as number) : undefined;
  if (type === "real") return typeof value === "number" ? value : undefined;
  if (typeof value !== "string") return undefined;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? bytes : undefined;
}

function decodeRow({ name, columns }: Table, values: readonly unknown[]): Row {
  if (values.length !== columns.length) throw invalid(`${columns.length} values of ${name}`);
  return columns.map((column, at) => {
    const value = decodeValue(column.type, values[at]);
    if (value === undefined) throw invalid(`${column.type} or null as ${name}.${column.name}`);
    return value;
  });
}

export interface Batch {
  readonly table: Table;
  readonly rows: readonly Row[];
}

/** The content of a store. */
export interface Rows {
  readonly schemaVersion: number;
  /** Table by table, in the order of `listTables`. */
  readonly batches: AsyncIterable<Batch>;
}

interface TableRow {
  readonly table: Table;
  readonly row: Row;
}

function createDecoder(tables: readonly Table[]): Decoder<TableRow> {
  let table: Table | undefined;
  let begun = 0;

  function readTable(line: Buffer): void {
    table = tables[begun++];
    if (!table) throw invalid("the end");
    // The text must be exactly as an export writes it.
    if (!line.equals(Buffer.from(tableLine(table).trimEnd()))) {
      throw invalid(`the table ${table.name} with its columns`);
    }
  }

  return {
    decode(value, line) {
      if (!Array.isArray(value)) {
        readTable(line);
        return null;
      }
      if (!table) throw invalid("a table before its rows");
      return { table, row: decodeRow(table, value) };
    },
    requireWhole() {
      if (begun < tables.length) throw invalid(`the table ${tables[begun]?.name}`);
    },
  };
}

async function* readBatches(records: AsyncIterable<Read<TableRow>>): AsyncGenerator<Batch> {
  let batch: { readonly table: Table; readonly rows: Row[] } | undefined;
  let bytes = 0;
  for await (const { record } of records) {
    const { table, row } = record;
    if (batch && (table !== batch.table || batch.rows.length === BATCH_ROWS || bytes >= BATCH_BYTES)) {
      yield batch;
      batch = undefined;
      bytes = 0;
    }
    batch ??= { table, rows: [] };
    batch.rows.push(row);
    bytes += sizeOf(row);
  }
  if (batch) yield batch;
}

/** Reads an archive from its beginning; reading to the end detects any damage. */
export async function readArchive(chunks: AsyncIterable<Uint8Array>, file: string): Promise<Rows> {
  let schemaVersion = 0;
  const records = await openContainer(FORMAT, chunks, file, (header) => {
    schemaVersion = readSchemaVersion(header, file);
    return createDecoder(listTables(schemaVersion));
  });
  return { schemaVersion, batches: readBatches(records) };
}
