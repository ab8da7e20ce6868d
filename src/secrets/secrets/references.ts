// Secrets as other resources refer to them: by id, which a rename does not change.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { listReferenced, listSealed } from "./references-store.ts";
import { isExpired } from "./rules.ts";
import { openVersion, reportUnreadable } from "./value.ts";

export type ReferencedSecret = Awaited<ReturnType<typeof listReferenced>>[number];

export type SecretState = "ready" | "deleted" | "missing" | "not_decryptable" | "expired";

/** Whether the value of a secret can be read, or why not; undefined: the secret was destroyed. */
export function stateOf(
  secret: Pick<ReferencedSecret, "deletedAt" | "decryptable" | "expiresAt"> | undefined,
  now: number,
): SecretState {
  if (!secret) return "missing";
  if (secret.deletedAt !== null) return "deleted";
  if (secret.decryptable === 0) return "not_decryptable";
  return isExpired(secret.expiresAt, now) ? "expired" : "ready";
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

type Opening = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring">;

/**
 * The newest values of secrets of one owner whose state is `ready`, by id, each in the encoding of its secret. Where one does not open,
 * records that and returns an ApiError, to be returned. Records nothing else: the caller records what was read, and has checked that it
 * may be.
 */
export async function openReferenced(
  tx: Tx,
  call: Opening,
  secrets: readonly ReferencedSecret[],
): Promise<ReadonlyMap<string, string> | ApiError> {
  if (secrets.length === 0) return new Map();
  const { keyring } = call;
  // With the time, because versions are counted anew after an older state of the database was restored.
  const versions = secrets.map(({ id, ownerId, version, updatedAt }) => [id, ownerId, version, updatedAt]);
  const name = JSON.stringify(["secrets", ...versions]);
  const cached = keyring.recall(name);
  if (cached) {
    const values = JSON.parse(cached.toString()) as readonly (readonly [id: string, value: string])[];
    cached.fill(0);
    return new Map(values);
  }
  const opened = await openNewest(tx, call, secrets);
  if (opened instanceof ApiError) return opened;
  const bytes = Buffer.from(JSON.stringify([...opened]));
  keyring.remember(name, bytes);
  bytes.fill(0);
  return opened;
}

async function openNewest(
  tx: Tx,
  call: Opening,
  secrets: readonly ReferencedSecret[],
): Promise<ReadonlyMap<string, string> | ApiError> {
  const ids = JSON.stringify(secrets.map(({ id }) => id));
  const rows = await listSealed(tx, { ownerId: call.scope.ownerId, ids });
  const newest = new Map(rows.map((row) => [row.secretId, row]));
  const values = new Map<string, string>();
  for (const secret of secrets) {
    const row = newest.get(secret.id);
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
