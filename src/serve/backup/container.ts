// The container of every archive (docs/backup.md): lines of JSON. The first is a header that names the format, the last an
// end with the number of records, which detects truncated and changed files. Compression and encryption wrap the container.
// Errors name the line and never quote it.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { Failure } from "../../platform/outcomes/failure.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { splitLines } from "./text-lines.ts";

/** How one kind of archive uses the container. */
export interface Format {
  readonly name: string;
  readonly version: number;
  /** Name of the member of the end that holds the number of records. */
  readonly countName: "rows" | "count";
  /** Whether the end has a hash of the lines. Authenticated encryption around the container needs none. */
  readonly isHashed: boolean;
  readonly maxLineBytes: number;
  /** The error for a file of another format, after its name. */
  readonly otherFormat: string;
  readonly parse: (line: Buffer) => unknown;
  /** Error code for an invalid line. */
  readonly refuseLine: (file: string, line: number, error: ApiError) => Error;
}

export interface Content {
  /** Whole lines. */
  readonly bytes: Buffer;
  readonly records: number;
}

interface Totals {
  readonly records: number;
  /** Of all lines between the header and the end. */
  readonly sha256: string;
}

function lineOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function endOf({ countName, isHashed }: Format, { records, sha256 }: Totals) {
  return { end: true, [countName]: records, ...(isHashed ? { sha256 } : {}) };
}

/** The bytes of a container. Asks for the next chunk of `content` only when the previous one is consumed. */
export async function* writeContainer(
  format: Format,
  header: object,
  content: AsyncIterable<Content>,
  onRecords: (records: number) => void,
  onEnd: (totals: Totals) => void = () => undefined,
): AsyncGenerator<Buffer> {
  yield lineOf({ format: format.name, formatVersion: format.version, ...header });
  const hash = createHash("sha256");
  let records = 0;
  for await (const chunk of content) {
    hash.update(chunk.bytes);
    yield chunk.bytes;
    records += chunk.records;
    onRecords(records);
  }
  const totals = { records, sha256: hash.digest("hex") };
  yield lineOf(endOf(format, totals));
  onEnd(totals);
}

export type Header = Readonly<Record<string, unknown>>;

/** Reads the lines between the header and the end. */
export interface Decoder<T> {
  /** Returns the record of a line; null for a line that belongs to the records after it. */
  decode(value: unknown, line: Buffer): T | null;
  /** Throws if the end comes too early. */
  requireWhole(): void;
}

export interface Read<T> {
  readonly record: T;
  readonly line: number;
  /** Bytes of the line. */
  readonly size: number;
}

function damaged(message: string): Failure {
  return new Failure("refused", message, "archive_damaged");
}

export function requireKnown(file: string, what: "format" | "schema", version: number, known: number): void {
  if (version <= known) return;
  const message = `${file} is of ${what} version ${version}, and this Reeve reads none above ${known}: upgrade it`;
  throw new Failure("refused", message, "archive_version");
}

function isRecord(value: unknown): value is Header {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readHeader(format: Format, line: Buffer | undefined, file: string): Header {
  let header: Header = {};
  try {
    const value = line && format.parse(line);
    if (isRecord(value)) header = value;
  } catch {
    // Not JSON: refused like the header of another format.
  }
  const { format: name, formatVersion } = header;
  // Checked before the other members, which a newer version may have changed.
  if (name !== format.name || !Number.isSafeInteger(formatVersion)) {
    throw new Failure("refused", `${file} ${format.otherFormat}`, "archive_format");
  }
  requireKnown(file, "format", formatVersion as number, format.version);
  return header;
}

function requireEnd(format: Format, end: Header, totals: Totals, file: string): void {
  const { [format.countName]: count, sha256 } = end;
  if (end["end"] !== true || !Number.isSafeInteger(count)) {
    throw new ApiError("bad_request", `end: expected true, and a whole number of ${format.countName}`);
  }
  if (count !== totals.records) {
    const detail = `its end counts ${String(count)} ${format.countName}, and it has ${totals.records}`;
    throw damaged(`${file} is cut off or was changed: ${detail}`);
  }
  if (format.isHashed && sha256 !== totals.sha256) {
    throw damaged(`${file} was changed: its lines do not fit the hash at its end`);
  }
  if (!isDeepStrictEqual(end, endOf(format, totals))) throw new ApiError("bad_request", "end: has unknown keys");
}

async function* readRecords<T>(
  format: Format,
  lines: AsyncIterable<Buffer>,
  { decode, requireWhole }: Decoder<T>,
  file: string,
): AsyncGenerator<Read<T>> {
  const hash = createHash("sha256");
  let records = 0;
  let isOver = false;
  // Below the header.
  let line = 2;
  try {
    for await (const bytes of lines) {
      if (isOver) throw new ApiError("bad_request", "expected nothing behind the end");
      const value = format.parse(bytes);
      if (isRecord(value) && "end" in value) {
        requireWhole();
        requireEnd(format, value, { records, sha256: hash.digest("hex") }, file);
        isOver = true;
      } else {
        hash.update(bytes).update("\n");
        const record = decode(value, bytes);
        if (record !== null) {
          records++;
          yield { record, line, size: bytes.length };
        }
      }
      line++;
    }
  } catch (error) {
    throw error instanceof ApiError ? format.refuseLine(file, line, error) : error;
  }
  if (!isOver) throw damaged(`${file} is cut off: it has no end`);
}

/**
 * Opens a container at its beginning; `file` is its name in errors, and `begin` validates the rest of the header. Reading
 * to the end throws at the first invalid line, and if the end is missing.
 */
export async function openContainer<T>(
  format: Format,
  chunks: AsyncIterable<Uint8Array>,
  file: string,
  begin: (header: Header) => Decoder<T>,
): Promise<AsyncGenerator<Read<T>>> {
  const lines = splitLines(chunks, format.maxLineBytes);
  try {
    const first = await lines.next();
    const decoder = begin(readHeader(format, first.done ? undefined : first.value, file));
    return readRecords(format, lines, decoder, file);
  } catch (error) {
    throw error instanceof ApiError ? format.refuseLine(file, 1, error) : error;
  }
}
