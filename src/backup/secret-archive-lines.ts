// An archive as text: a JSON value to a line, first the header, then the secrets, oldest first, and an end that says how
// many they were, so that a file that was cut off shows. Errors name line and field, and never quote a line.
import { Failure } from "../cli/failure.ts";
import { parseJson } from "../operations/json-body.ts";
import { compileCheck } from "../operations/validation.ts";
import { ApiError } from "../kernel/errors.ts";
import { requireSound } from "../resources/secrets/archive/archive-rules.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ArchiveEnd,
  ArchiveHeader,
  ArchivedSecret,
} from "../resources/secrets/archive/archive-schema.ts";
import { splitLines } from "./text-lines.ts";

/** A hundred versions of 64 KiB as base64 take 9 MB of it; the rest is for names, some hundred thousand. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_LINE_VALUES = 1_000_000;

const checkHeader = compileCheck("header", ArchiveHeader, "bad_request");
const checkSecret = compileCheck("secret", ArchivedSecret, "bad_request");
const checkEnd = compileCheck("end", ArchiveEnd, "bad_request");

function lineOf(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** The lines of an archive; each is wiped when the next one is asked for. */
export async function* writeLines(
  header: Omit<ArchiveHeader, "format" | "formatVersion">,
  secrets: AsyncIterable<ArchivedSecret>,
  onWritten: (count: number) => void,
): AsyncGenerator<Buffer> {
  yield lineOf({ format: ARCHIVE_FORMAT, formatVersion: ARCHIVE_VERSION, ...header });
  let count = 0;
  for await (const secret of secrets) {
    const line = lineOf(secret);
    if (line.length > MAX_LINE_BYTES) {
      throw new Failure("refused", `the secret ${secret.name} has too long a history of names`, "secret_too_large");
    }
    yield line;
    line.fill(0);
    onWritten(++count);
  }
  yield lineOf({ end: true, count });
}

const NO_ARCHIVE = new Failure("refused", "the file holds no secrets that Reeve exported", "archive_format");

function parseHeader(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, "header", MAX_LINE_VALUES);
  } catch {
    throw NO_ARCHIVE;
  }
}

function requireHeader(bytes: Buffer): void {
  const header = parseHeader(bytes);
  // Before the shape, which a newer version may have changed.
  const { format, formatVersion } = (header ?? {}) as Partial<Record<string, unknown>>;
  if (format !== ARCHIVE_FORMAT) throw NO_ARCHIVE;
  if (typeof formatVersion === "number" && formatVersion > ARCHIVE_VERSION) {
    throw new Failure(
      "refused",
      `the file is of format version ${formatVersion}, and this Reeve reads none above ${ARCHIVE_VERSION}: upgrade it`,
      "archive_version",
    );
  }
  checkHeader(header);
}

export interface ReadSecret {
  readonly secret: ArchivedSecret;
  readonly line: number;
  /** Bytes of the line. */
  readonly size: number;
}

/** What a line behind the header is: a secret, or the end with its count. */
function readLine(bytes: Buffer): ArchivedSecret | ArchiveEnd {
  const value = parseJson(bytes, "secret", MAX_LINE_VALUES);
  if (typeof value === "object" && value !== null && "end" in value) {
    checkEnd(value);
    return value as ArchiveEnd;
  }
  checkSecret(value);
  requireSound(value as ArchivedSecret);
  return value as ArchivedSecret;
}

/** The secrets of an archive, each of them checked; throws at the first line that is not as it must be. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadSecret> {
  let line = 1;
  let end: ArchiveEnd | undefined;
  try {
    for await (const bytes of splitLines(chunks, MAX_LINE_BYTES)) {
      if (end) throw new ApiError("bad_request", "expected nothing behind the end");
      if (line === 1) requireHeader(bytes);
      else {
        const read = readLine(bytes);
        if ("end" in read) end = read;
        else yield { secret: read, line, size: bytes.length };
      }
      line++;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.code, `line ${line}: ${error.message}`, error.details);
  }
  // Beside the secrets there are the header and the end, and `line` is the one that did not come.
  if (end?.count !== line - 3) {
    throw new Failure(
      "refused",
      "the file is cut off: it has no end, or fewer secrets than that says",
      "archive_damaged",
    );
  }
}
