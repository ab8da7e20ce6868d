// How many connections a process may have. Node.js raises its own limit as far as the system lets it.
import { execFileSync } from "node:child_process";

/** As many as wanted, or as the limit of open files allows beside what a process needs for itself. */
export function allowedConnections(wanted: number): number {
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? wanted : Math.min(wanted, Number(limit) - 200);
}
