// The log: JSON lines on the standard error, or readable lines where that is a terminal. Of an error it writes what leads to the
// cause and no data: the properties of a driver's error may quote a whole row (law 5).
import { destination, pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { Settings } from "../config/config.ts";
import { readableLine } from "./readable-log.ts";

const STDERR = 2;
/** Writing each line by itself would cost as much as many a request. A line is written after `FLUSH_MS` at the latest. */
const WRITTEN_BYTES = 8_192;
const FLUSH_MS = 100;
/** Lines that a slow reader has not taken. Beyond this bound lines are dropped: no request waits, and memory stays bounded. */
const MAX_UNREAD_BYTES = 16_777_216;

/** The properties of errors that are logged: of Node.js, SQLite and PostgreSQL. PostgreSQL's `detail` and `where` hold values. */
const LOGGED = ["code", "errcode", "syscall", "address", "port", "severity", "table", "column", "constraint"] as const;

function describeError(error: Error) {
  const { type, message, stack } = pino.stdSerializers.err(error);
  const properties = error as Error & Readonly<Partial<Record<(typeof LOGGED)[number], unknown>>>;
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(LOGGED.flatMap((name) => (properties[name] === undefined ? [] : [[name, properties[name]]]))),
  };
}

function openStandardError(): DestinationStream {
  if (process.stderr.isTTY) return { write: (line) => process.stderr.write(readableLine(line)) };
  return destination({
    dest: STDERR,
    sync: false,
    minLength: WRITTEN_BYTES,
    periodicFlush: FLUSH_MS,
    maxLength: MAX_UNREAD_BYTES,
  });
}

export function createLogger(level: Settings["logLevel"], stream: DestinationStream = openStandardError()): Logger {
  // Names of levels instead of pino's numbers.
  const formatters = { level: (name: string) => ({ level: name }) };
  return pino({ level, formatters, serializers: { err: describeError } }, stream);
}
