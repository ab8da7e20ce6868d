// The log: JSON lines on the standard error, or readable ones where that is a terminal. Of an error it tells what leads to the cause and nothing of the data: what
// a driver hangs on its errors may quote a whole row (law 5).
import { destination, pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { Settings } from "../config/config.ts";
import { readableLine } from "./readable-log.ts";

const STDERR = 2;
/** Writing each line by itself would cost as much as many a request; nobody waits longer for one than `FLUSH_MS`. */
const WRITTEN_BYTES = 8_192;
const FLUSH_MS = 100;
/** Of lines that whoever reads them is too slow to take; later ones are dropped, so that no request waits and no memory fills. */
const MAX_UNREAD_BYTES = 16_777_216;

/** Of Node, of SQLite and of PostgreSQL, whose `detail` and `where` hold values and are left out. */
const TOLD = ["code", "errcode", "syscall", "address", "port", "severity", "table", "column", "constraint"] as const;

function describeError(error: Error) {
  const { type, message, stack } = pino.stdSerializers.err(error);
  const facts = error as Error & Readonly<Partial<Record<(typeof TOLD)[number], unknown>>>;
  return {
    type,
    message,
    stack,
    ...Object.fromEntries(TOLD.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]]))),
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
  // Names instead of pino's numbers: they need no table to be read.
  const formatters = { level: (name: string) => ({ level: name }) };
  return pino({ level, formatters, serializers: { err: describeError } }, stream);
}
