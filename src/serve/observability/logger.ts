// The log: JSON lines on the standard error, or readable lines where that is a terminal. Of an error it writes what leads to the
// cause and no data: the properties of a driver's error may quote a whole row.
import fs from "node:fs";
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
  const stream = destination({
    dest: STDERR,
    sync: false,
    minLength: WRITTEN_BYTES,
    periodicFlush: FLUSH_MS,
    maxLength: MAX_UNREAD_BYTES,
  });
  const flush = stream.flushSync.bind(stream);
  stream.flushSync = () => withFailedWritesDropped(flush);
  return stream;
}

/**
 * What is left is written when the process ends. sonic-boom repeats each write that fails, for ever where nobody reads the log any more or
 * the disk is full, so that the process would never end. For that moment such a write counts as done.
 */
function withFailedWritesDropped(flush: () => void): void {
  const { writeSync } = fs;
  let repetitions = 0;
  fs.writeSync = ((file: number, data: Uint8Array | string) => {
    try {
      return writeSync(file, data as string);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A reader may be slow: it has two seconds.
      if ((code === "EAGAIN" || code === "EBUSY") && ++repetitions < 20) throw error;
      return Buffer.byteLength(data);
    }
  }) as typeof writeSync;
  try {
    flush();
  } finally {
    fs.writeSync = writeSync;
  }
}

/** At a terminal a line for each request would push what the start said out of sight: there they are for those who ask. */
export function chooseLogLevel({ logLevel, sources }: Pick<Settings, "logLevel" | "sources">): Settings["logLevel"] {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  return isTerminal && sources.logLevel.from === "default" ? "warn" : logLevel;
}

export function createLogger(level: Settings["logLevel"], stream: DestinationStream = openStandardError()): Logger {
  // Names of levels instead of pino's numbers.
  const formatters = { level: (name: string) => ({ level: name }) };
  return pino({ level, formatters, serializers: { err: describeError } }, stream);
}

/** Logs the warnings of Node.js and of libraries, which would otherwise stand between the lines of JSON. */
export function logWarnings(logger: Pick<Logger, "warn">): void {
  process.removeAllListeners("warning");
  process.on("warning", (warning) => logger.warn({ err: warning }, "a warning of Node.js or of a library"));
}
