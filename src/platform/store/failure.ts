// Classifies failures of the engine, as opposed to bugs: they are temporary, and the caller may try again.
import { StoreError } from "./database.ts";
import type { StoreFailureReason } from "./database.ts";

// By primary result code: https://sqlite.org/rescode.html
const SQLITE_REASONS: Readonly<Record<number, StoreFailureReason>> = {
  5: "busy",
  6: "busy",
  8: "read_only",
  10: "failing",
  11: "damaged",
  13: "full",
  14: "unreachable",
  26: "damaged",
};

// The first match, by the beginning of the SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
const POSTGRES_REASONS: readonly (readonly [beginning: string, StoreFailureReason])[] = [
  ["53100", "full"],
  ["53300", "too_few_connections"],
  ["53", "busy"],
  ["25006", "read_only"],
  ["28", "login_refused"],
  ["3D000", "login_refused"],
  ["3F000", "no_schema"],
  ["25P03", "busy"],
  ["25P04", "busy"],
  ["42501", "denied"],
  ["57014", "busy"],
  ["55P03", "busy"],
  ["08", "unreachable"],
  ["57", "unreachable"],
  ["58", "failing"],
  ["XX001", "damaged"],
  ["XX002", "damaged"],
  // Errors without a code of their own, such as an exceeded quota.
  ["XX", "failing"],
  // The same statement, sent just before on the same shared connection, could not be prepared (pipelines.ts).
  ["26000", "busy"],
  ["42P05", "busy"],
  ["40001", "busy"],
  ["40P01", "busy"],
];

/** PgBouncer's errors have one code, that of a violated protocol. */
const POOLER_REASONS: readonly (readonly [message: RegExp, StoreFailureReason])[] = [
  [/^(?:no more connections allowed|query_wait_timeout)/, "too_few_connections"],
  [/^SSL required/, "tls_refused"],
  [/^(?:SASL|password) authentication failed|^no such (?:user|database)/, "login_refused"],
];

/** What to do about failures that last until somebody changes a setting: where it fails, in `reeve doctor` and in readiness. */
export const STORE_ADVICE = {
  full: "make room on the disk of the database",
  too_few_connections:
    "raise max_connections, the limit of the role or database or the pool of a pooler, or start fewer servers",
  standby: "promote it, or name the primary in REEVE_DATABASE_URL; of several hosts Reeve finds the primary itself",
  read_only: "set default_transaction_read_only to off for the role, the database and the server",
  login_refused:
    "see the user, the password, the database and options in REEVE_DATABASE_URL, and the server's pg_hba.conf",
  tls_refused:
    "see the host, sslmode, sslrootcert, sslcert and sslkey in REEVE_DATABASE_URL, and the certificate of the server: its authority, its names and its end",
  no_schema:
    "create the schema that the role's search_path names, grant the role usage on it, change the search_path, or see the database in REEVE_DATABASE_URL",
  transaction_pooling: "use pool_mode = session, or PgBouncer 1.24 or newer with max_prepared_statements = 200",
  denied: "grant it what /docs/postgresql lists under Privileges, or use the role that owns the tables",
} as const satisfies Partial<Readonly<Record<StoreFailureReason, string>>>;

export const adviceOn = (reason: StoreFailureReason): string | undefined =>
  (STORE_ADVICE as Partial<Readonly<Record<StoreFailureReason, string>>>)[reason];

/** A message about a host, where there is one, that names it. */
export function naming(host: string | undefined, message: string): string {
  return host === undefined || message.includes(host) ? message : `${host}: ${message}`;
}

/** Why the store fails; null for other failures. */
export function storeFailureReason(error: unknown): StoreFailureReason | null {
  if (error instanceof StoreError) return error.reason;
  const { code, errcode, message } = error as { code?: string; errcode?: number; message: string };
  if (errcode !== undefined) return SQLITE_REASONS[errcode % 256] ?? null;
  if (typeof code !== "string") return null;
  const pooler = code === "08P01" ? POOLER_REASONS.find(([said]) => said.test(message)) : undefined;
  return (pooler ?? POSTGRES_REASONS.find(([beginning]) => code.startsWith(beginning)))?.[1] ?? null;
}

/** In a request it would be a bug; what is always there is read to learn whether the role finds a schema at all. */
export const isTableMissing = (error: unknown): boolean => (error as { readonly code?: string }).code === "42P01";

// SQLite: too big, constraint, type mismatch. PostgreSQL: the classes of data exceptions and of integrity constraints.
const SQLITE_REFUSALS: ReadonlySet<number> = new Set([18, 19, 20]);
const POSTGRES_REFUSALS = /^2[23]\w{3}$/;

/** Whether the store refused a value: it will refuse the same value again, and may accept others. */
export function isValueRefused(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  if (errcode !== undefined) return SQLITE_REFUSALS.has(errcode % 256);
  return typeof code === "string" && POSTGRES_REFUSALS.test(code);
}

export function isStoreFailure(error: unknown): boolean {
  return storeFailureReason(error) !== null;
}
