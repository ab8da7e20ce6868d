// How many connections a process may open. Node.js raises its own limit as far as the system permits.
import { execFileSync } from "node:child_process";

/** The wanted number, or what the limit of open files leaves beside the files that a process needs itself. */
export function allowedConnections(wanted: number): number {
  const limit = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  return limit === "unlimited" ? wanted : Math.min(wanted, Number(limit) - 200);
}
