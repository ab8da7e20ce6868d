// The log: JSON lines on the standard error. Of an error it tells what leads to the cause and nothing of the data: what
// a driver hangs on its errors may quote a whole row (law 5).
import { destination, pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { Settings } from "../config.ts";

const STDERR = 2;

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

export function createLogger(
  level: Settings["logLevel"],
  stream: DestinationStream = destination({ dest: STDERR, sync: true }),
): Logger {
  return pino({ level, serializers: { err: describeError } }, stream);
}
