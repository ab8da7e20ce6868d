// Secrets as other resources refer to them: by id, which a rename does not change.
import type { Call } from "../../kernel/contract.ts";
import type { ApiError } from "../../kernel/errors.ts";
import { UnreadableError } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { listNewestVersions, listReferenced } from "./references-store.ts";
import { isExpired } from "./rules.ts";
import { openVersion, reportUnreadable } from "./value.ts";

export type ReferencedSecret = Awaited<ReturnType<typeof listReferenced>>[number];

export type SecretState = "ready" | "deleted" | "missing" | "not_decryptable" | "expired";

/** Whether the value of a secret can be read, or why not; undefined: the secret was destroyed. */
export function stateOf(secret: ReferencedSecret | undefined, now: number): SecretState {
  if (!secret) return "missing";
  if (secret.deleted_at !== null) return "deleted";
  if (secret.decryptable === 0) return "not_decryptable";
  return isExpired(secret.expires_at, now) ? "expired" : "ready";
}

/** The secrets of an owner with these ids, by id; deleted ones too, destroyed ones not. */
export async function findReferenced(
  tx: Tx,
  ownerId: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReferencedSecret>> {
  if (ids.size === 0) return new Map();
  const rows = await listReferenced(tx, { ownerId, ids: JSON.stringify([...ids]) });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The newest values of secrets whose state is `ready`, by id, each in the encoding of its secret. Where one does not open, records
 * that and returns an ApiError, to be returned. Records nothing else: the caller records what was read, and has checked that it may be.
 */
export async function openReferenced(
  tx: Tx,
  call: Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring">,
  secrets: readonly ReferencedSecret[],
): Promise<ReadonlyMap<string, string> | ApiError> {
  const values = new Map<string, string>();
  if (secrets.length === 0) return values;
  const ids = JSON.stringify(secrets.map(({ id }) => id));
  const rows = await listNewestVersions(tx, { ownerId: call.scope.ownerId, ids });
  const versions = new Map(rows.map((row) => [row.secret_id, row]));
  for (const secret of secrets) {
    const row = versions.get(secret.id);
    // The newest version is never deleted: if it is missing, somebody changed the database.
    if (!row) return await reportUnreadable(tx, call, secret, secret.version);
    try {
      const bytes = openVersion(call.keyring, row);
      values.set(secret.id, bytes.toString(row.encoding));
      bytes.fill(0);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return await reportUnreadable(tx, call, secret, row.version);
    }
  }
  return values;
}
