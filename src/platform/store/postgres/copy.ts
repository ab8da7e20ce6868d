// Writes many rows into a PostgreSQL table at once by COPY in its text form, which is several times as fast as INSERT.
// https://www.postgresql.org/docs/current/sql-copy.html and protocol-flow.html#PROTOCOL-COPY
import type { Connection, Submittable } from "pg";
import type { SqlValue } from "../../kernel/tx.ts";
import type { Connection as PooledConnection } from "./connection.ts";
import type { Row, Table } from "../tables/table.ts";

const SPECIAL = /[\\\n\r\t]/g;
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function encodeValue(value: SqlValue): string {
  if (value === null) return "\\N";
  if (typeof value === "string") return value.replaceAll(SPECIAL, (character) => ESCAPES[character] as string);
  if (typeof value === "number") return String(value);
  return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}

function encodeRows(rows: readonly Row[]): Buffer {
  return Buffer.from(rows.map((row) => `${row.map(encodeValue).join("\t")}\n`).join(""));
}

/** Methods of the driver's connection that are missing from its types. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

class CopyIn implements Submittable {
  readonly #text: string;
  readonly #bytes: Buffer;
  /** The driver wraps it in a callback of its own, for its time-out. */
  callback: (error: Error | null) => void;

  constructor(text: string, bytes: Buffer, callback: (error: Error | null) => void) {
    this.#text = text;
    this.#bytes = bytes;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    connection.query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#bytes);
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}

export async function copyRows(
  connection: Pick<PooledConnection, "submit">,
  { name, columns }: Table,
  rows: readonly Row[],
): Promise<void> {
  const text = `copy ${name} (${columns.map((column) => column.name).join(", ")}) from stdin`;
  const bytes = encodeRows(rows);
  await connection.submit(
    (client) =>
      new Promise<void>((resolve, reject) => {
        client.query(new CopyIn(text, bytes, (error) => (error ? reject(error) : resolve())));
      }),
  );
}
