// How many connections a process can have: each is an open file, of which the system allows so many. When there are none left,
// the system closes new connections by itself, and nobody asks whether an idle one could give way.
import { readFileSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";

/** Of the store, of webhooks and mail: a part of a low limit. */
const OWN_FILES = 1_000;
const OWN_PART = 1 / 8;

/** What Node.js reports of this process: on any system with such limits, and in some 30 ms. Infinity where there is none. */
function reportedLimit(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // It would ask for the names of all addresses that there are connections to.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | "unlimited" } } };
  report.excludeNetwork = excludeNetwork;
  const limit = userLimits?.open_files?.soft;
  return typeof limit === "number" ? limit : Infinity;
}

/** What Linux says of this process. Node.js has raised it as far as it may. */
export function openFileLimit(limits = "/proc/self/limits"): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync(limits, "utf8")) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return reportedLimit();
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
