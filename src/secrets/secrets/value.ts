// The only file that seals and opens values. Buffers with plaintext are wiped after use.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { LARGE_VALUE, limitReached } from "../../platform/kernel/storage-limits.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { seal, unseal } from "../../platform/keyring/sealing/seal.ts";
import { sealedRows } from "../../platform/keyring/sealing/sealed-rows.ts";
import type { Encoding } from "./rules.ts";
import type { SecretRow } from "./store.ts";
import { deleteVersionsUpTo, insertVersion, sumLargeValues } from "./versions/versions-store.ts";
import type { VersionRow } from "./versions/versions-store.ts";
import { eventPayload } from "./view.ts";

/** Passes the bytes to `use` and wipes them afterwards, also when it throws. */
export async function wiped<T>(bytes: Buffer, use: (bytes: Buffer) => T | Promise<T>): Promise<T> {
  try {
    return await use(bytes);
  } finally {
    bytes.fill(0);
  }
}

/** The context that a value is sealed for: moved to another owner, secret or version, it does not open. */
export function sealingContext(ownerId: string, secretId: string, version: number): string {
  return `secret|${ownerId}|${secretId}|${version}`;
}

/** The versions of secrets, as the management of master keys sees them. */
export const sealedVersions = sealedRows({
  kind: "secret",
  name: "secretKeys",
  rows: { table: "secret_versions", belongsTo: "secretId" },
  sealingContext,
});

export interface NewVersion {
  readonly version: number;
  readonly encoding: Encoding;
  readonly restoredFrom: number | null;
  readonly creatorId: string | null;
  readonly createdAt: number;
}

/** Seals and stores a version. The caller wipes the bytes. */
export async function storeVersion(
  tx: Tx,
  keyring: Keyring,
  secret: { readonly id: string; readonly ownerId: string },
  { version, encoding, restoredFrom, creatorId, createdAt }: NewVersion,
  bytes: Buffer,
): Promise<void> {
  const { id: secretId, ownerId } = secret;
  const sealed = await seal(tx, keyring, bytes, sealingContext(ownerId, secretId, version));
  await insertVersion(tx, {
    ownerId,
    secretId,
    version,
    encoding,
    size: bytes.length,
    restoredFrom,
    creatorId,
    now: createdAt,
    position: positionAt(createdAt),
    ...sealed,
  });
}

const MIB = 1_048_576;

/** Refuses a value that was stored, when the large ones of its owner are too many together. */
export async function requireValueRoom(
  tx: Tx,
  { instance: { storageLimits } }: Pick<Call, "instance">,
  ownerId: string,
  size: number,
): Promise<void> {
  if (size <= LARGE_VALUE) return;
  const bytes = (await sumLargeValues(tx, { ownerId }))?.bytes ?? 0;
  if (bytes > storageLimits["secrets-mib"] * MIB) {
    throw limitReached(storageLimits, "secrets-mib", "delete some, or keep fewer versions");
  }
}

/** Deletes the versions of a secret that exceed `max_versions`; `version` is the newest. */
export async function deleteOldVersions(
  tx: Tx,
  { id, ownerId, maxVersions }: SecretRow,
  version: number,
): Promise<void> {
  const last = version - maxVersions;
  if (last > 0) await deleteVersionsUpTo(tx, { ownerId, secretId: id, last });
}

/** The part of a version's row that opens it. */
export type SealedVersion = Pick<
  VersionRow,
  "ownerId" | "secretId" | "version" | "ciphertext" | "wrappedKey" | "keyId"
>;

/** The value of a version; the caller wipes it. Throws an UnreadableError if it was tampered with. */
export function openVersion(keyring: Keyring, row: SealedVersion): Buffer {
  const { ownerId, secretId, version, ciphertext, wrappedKey, keyId } = row;
  return unseal(keyring, { ciphertext, wrappedKey, keyId }, sealingContext(ownerId, secretId, version));
}

type Opening = Pick<Call, "caller" | "origin" | "now" | "keyring">;

/** Records that a version cannot be read. Handlers return the error instead of throwing it, so that the event is stored. */
export async function reportUnreadable(
  tx: Tx,
  call: Opening,
  secret: Pick<SecretRow, "id" | "ownerId" | "name" | "projectId">,
  version: number,
): Promise<ApiError> {
  await emit(tx, call, {
    type: "secret-unreadable",
    ownerId: secret.ownerId,
    entityId: secret.id,
    text: `found the secret ${secret.name} unreadable`,
    payload: { ...eventPayload(secret), version },
  });
  return new ApiError(
    "secret_unreadable",
    `Version ${version} of this secret does not open: what is stored was changed. Other versions and secrets are not affected`,
    { uid: secret.id, version },
  );
}

/** Passes the value of a version to `use`; returns an ApiError, to be returned, when it does not open. */
export async function withValue<T>(
  tx: Tx,
  call: Opening,
  secret: SecretRow,
  row: VersionRow,
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T | ApiError> {
  let bytes: Buffer;
  try {
    bytes = openVersion(call.keyring, row);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return await reportUnreadable(tx, call, secret, row.version);
  }
  return await wiped(bytes, use);
}
