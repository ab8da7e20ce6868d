// How many connections a process can have: each is an open file, of which the system allows so many. When there are none left,
// the system closes new connections by itself, and nobody asks whether an idle one could give way.
import { readFileSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";

/** Of the store, of webhooks and mail: a part of a low limit. */
const OWN_FILES = 1_000;
const OWN_PART = 1 / 8;

/** What the kernel says of this process; Infinity where it says nothing. Node.js has raised it as far as it may. */
function openFileLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

/** As many connections as are wanted, or as there are files for. */
export function boundConnections(wanted: number, logger: FastifyBaseLogger): number {
  const limit = openFileLimit();
  const possible = Math.floor(limit - Math.min(OWN_FILES, limit * OWN_PART));
  if (wanted <= possible) return wanted;
  logger.warn(
    { wanted, connections: possible, openFiles: limit },
    "REEVE_MAX_CONNECTIONS is more than the system's limit of open files leaves room for (ulimit -n, LimitNOFILE)",
  );
  return possible;
}
