// Secrets as other resources refer to them: by id, which a rename does not change.
import type { Call } from "../../kernel/contract.ts";
import type { ApiError } from "../../kernel/errors.ts";
import { UnreadableError } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { listReferenced, listSealed } from "./references-store.ts";
import { isExpired } from "./rules.ts";
import { openVersion, reportUnreadable } from "./value.ts";

export type ReferencedSecret = Awaited<ReturnType<typeof listReferenced>>[number];
export type SealedSecret = Awaited<ReturnType<typeof listSealed>>[number];

export type SecretState = "ready" | "deleted" | "missing" | "not_decryptable" | "expired";

/** Whether the value of a secret can be read, or why not; undefined: the secret was destroyed. */
export function stateOf(secret: ReferencedSecret | undefined, now: number): SecretState {
  if (!secret) return "missing";
  if (secret.deleted_at !== null) return "deleted";
  if (secret.decryptable === 0) return "not_decryptable";
  return isExpired(secret.expires_at, now) ? "expired" : "ready";
}

type Read<Row> = (tx: Tx, values: { ownerId: string; ids: string }) => readonly Row[] | Promise<readonly Row[]>;

const findBy =
  <Row extends { readonly id: string }>(read: Read<Row>) =>
  async (tx: Tx, ownerId: string, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, Row>> => {
    if (ids.size === 0) return new Map();
    const rows = await read(tx, { ownerId, ids: JSON.stringify([...ids]) });
    return new Map(rows.map((row) => [row.id, row]));
  };

/** The secrets of an owner with these ids, by id; deleted ones too, destroyed ones not. */
export const findReferenced = findBy(listReferenced);

/** The same with their newest values, sealed. */
export const findSealed = findBy(listSealed);

/** The newest version of a secret; undefined: it is missing. */
function newestOf({ id: secret_id, owner_id, version, encoding, key_id, wrapped_key, ciphertext }: SealedSecret) {
  if (encoding === null || key_id === null || wrapped_key === null || ciphertext === null) return undefined;
  return { owner_id, secret_id, version, encoding, key_id, wrapped_key, ciphertext };
}

/**
 * The newest values of secrets whose state is `ready`, by id, each in the encoding of its secret. Where one does not open, records
 * that and returns an ApiError, to be returned. Records nothing else: the caller records what was read, and has checked that it may be.
 */
export async function openSealed(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "now" | "keyring">,
  secrets: readonly SealedSecret[],
): Promise<ReadonlyMap<string, string> | ApiError> {
  const values = new Map<string, string>();
  for (const secret of secrets) {
    const newest = newestOf(secret);
    // The newest version is never deleted: if it is missing, somebody changed the database.
    if (!newest) return await reportUnreadable(tx, call, secret, secret.version);
    try {
      const bytes = openVersion(call.keyring, newest);
      values.set(secret.id, bytes.toString(newest.encoding));
      bytes.fill(0);
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return await reportUnreadable(tx, call, secret, newest.version);
    }
  }
  return values;
}
