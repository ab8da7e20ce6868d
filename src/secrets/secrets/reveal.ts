// Reveals a value: permission, expiry, and the event that records it.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { isExpired } from "./rules.ts";
import { REVEAL } from "./secret-schema.ts";
import type { SecretRow } from "./store.ts";
import { reportUnreadable, withValue } from "./value.ts";
import { findVersion } from "./versions/versions-store.ts";
import type { VersionRow } from "./versions/versions-store.ts";
import { eventPayload } from "./view.ts";

type RevealCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring">;

const NOT_READABLE = {
  readable: false,
  message:
    "The value can't be read back: the secret is not decryptable, as is the default. Only a secret created with " +
    "`decryptable: true` returns its value.",
} as const;

/**
 * The value of a version for the response, after recording the read; or that it cannot be read back. `known` is the version's
 * row if the caller has read it already.
 */
export async function reveal(tx: Tx, call: RevealCall, secret: SecretRow, version: number, known?: VersionRow) {
  requirePermission(call.scope, REVEAL);
  if (secret.decryptable === 0) return NOT_READABLE;
  if (isExpired(secret.expiresAt, call.now)) {
    throw new ApiError("secret_expired", `The secret ${secret.name} has expired; its value is not revealed any more`, {
      expiresAt: secret.expiresAt,
    });
  }
  const row = known ?? (await findVersion(tx, { ownerId: secret.ownerId, secretId: secret.id, version }));
  // The newest version is never deleted: if it is missing, somebody changed the database.
  if (!row) return await reportUnreadable(tx, call, secret, version);
  const value = await withValue(tx, call, secret, row, (bytes) => bytes.toString(row.encoding));
  if (value instanceof ApiError) return value;
  await emit(tx, call, {
    type: "secret-reveal",
    ownerId: secret.ownerId,
    entityId: secret.id,
    text: `revealed secret ${secret.name}`,
    payload: { ...eventPayload(secret), version },
  });
  return { readable: true, value, encoding: row.encoding };
}
