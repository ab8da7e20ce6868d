// Failures of the engine itself, as opposed to failures of our code: they pass, and the caller may try again.
import { StoreError } from "./database.ts";

// busy, locked, I/O error, read-only, disk full, cannot open: https://sqlite.org/rescode.html
const SQLITE_FAILURES = new Set([5, 6, 8, 10, 13, 14]);
// Connection, resource and operator-intervention classes, read-only transactions, lost races:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const POSTGRES_FAILURE_CLASSES = /^(?:08|53|57|58|25006|40001|40P01)/;
const NETWORK_FAILURES = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND"]);

export function isStoreFailure(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message?: string };
  if (errcode !== undefined) return SQLITE_FAILURES.has(errcode % 256);
  if (typeof code === "string") return NETWORK_FAILURES.has(code) || POSTGRES_FAILURE_CLASSES.test(code);
  return (
    message === "Connection terminated unexpectedly" || message?.startsWith("timeout exceeded when trying") === true
  );
}
