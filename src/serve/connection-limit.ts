// How many connections a process can have: each is an open file, and the system limits those. Beyond that limit the system
// itself refuses new connections, and the server can't close an idle one for a new one.
import { readFileSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";

/** Files reserved for the store, webhooks and mail; when the limit is low, a share of it. */
const OWN_FILES = 1_000;
const OWN_SHARE = 1 / 8;

/**
 * The limit according to the diagnostic report of Node.js, which works on any system but takes some 30 ms. Infinity without a
 * limit.
 */
function reportedLimit(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // Otherwise the report looks up the names of all connected addresses.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | "unlimited" } } };
  report.excludeNetwork = excludeNetwork;
  const limit = userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : Infinity;
}

/** The limit of open files of this process, from /proc, else from the report. Node.js has raised it as far as allowed. */
export function openFileLimit(limits = "/proc/self/limits"): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return reportedLimit();
  }
}

/** The configured number of connections, or as many as the limit of open files allows. */
export function boundConnections(wanted: number, logger: FastifyBaseLogger): number {
  const limit = openFileLimit();
  const possible = Math.floor(limit - Math.min(OWN_FILES, limit * OWN_SHARE));
  if (wanted <= possible) return wanted;
  logger.warn(
    { wanted, connections: possible, openFiles: limit },
    "REEVE_MAX_CONNECTIONS is more than the system's limit of open files leaves room for (ulimit -n, LimitNOFILE)",
  );
  return possible;
}
