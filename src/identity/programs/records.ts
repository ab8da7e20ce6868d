// The records of the authorization server: the library of src/identity/oauth-server/ decides what they hold, except for what a person
// approved (approval.ts). The values by which clients name them are stored as hashes.
import type { Origin } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { revokeTokensOfGrant } from "../tokens/client-tokens.ts";
import { KEPT_AFTER_EXPIRY_MS, MOST_PENDING } from "./rules.ts";
import {
  consumeRecord,
  deleteExpiredRecords,
  deleteRecord,
  deleteRecordsOfGrant,
  findBeyondAddress,
  findBeyondRange,
  findRecord,
  findRecordByLookup,
  upsertRecord,
} from "./store.ts";
import type { RecordRow, RecordValues } from "./store.ts";

export interface StoredRecord {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly isConsumed: boolean;
  /** ms */
  readonly expiresAt: number;
}

function viewRecord({ payload, consumedAt, expiresAt }: RecordRow): StoredRecord {
  return { payload: JSON.parse(payload) as StoredRecord["payload"], isConsumed: consumedAt !== null, expiresAt };
}

/** A record by the hash of its value, also an expired one that was not pruned yet. */
export async function findStored(reader: Tx, model: string, hash: string): Promise<StoredRecord | undefined> {
  const row = await findRecord(reader, { model, hash });
  return row && viewRecord(row);
}

export async function findStoredByLookup(
  reader: Tx,
  model: string,
  lookupHash: string,
): Promise<StoredRecord | undefined> {
  const row = await findRecordByLookup(reader, { model, lookupHash });
  return row && viewRecord(row);
}

/** Internal change. Records of an address are bounded: strangers cause them. */
export async function saveOAuthRecord(tx: Tx, record: RecordValues, now: number): Promise<void> {
  const { model, address } = record;
  if (address !== null) {
    const [site = ""] = address.split(" ");
    // The character after a space: all addresses of the network are between the two.
    const ofSite = { model, from: `${site} `, to: `${site}!`, now, most: MOST_PENDING.site - 1 };
    const isFull =
      (await findBeyondAddress(tx, { model, address, now, most: MOST_PENDING.address - 1 })) ??
      (await findBeyondRange(tx, ofSite)) ??
      (await findBeyondRange(tx, { model, from: "", to: "~", now, most: MOST_PENDING.all - 1 }));
    if (isFull) throw new ApiError("too_many_requests", "Too many sign-ins are waiting for approval: try again later");
  }
  await upsertRecord(tx, record);
}

/** Internal change: marks a record as used; false when it was used before, or is gone. */
export async function consumeOAuthRecord(
  tx: Tx,
  { model, hash }: { readonly model: string; readonly hash: string },
  now: number,
): Promise<boolean> {
  return (await consumeRecord(tx, { model, hash, now })) > 0;
}

/** Internal change. */
export async function deleteOAuthRecord(
  tx: Tx,
  { model, hash }: { readonly model: string; readonly hash: string },
): Promise<void> {
  await deleteRecord(tx, { model, hash });
}

/** Internal change: withdraws a grant with everything that was issued for it, because its code was used twice. */
export async function revokeOAuthGrant(
  tx: Tx,
  { grantHash, origin }: { readonly grantHash: string; readonly origin: Origin },
  now: number,
): Promise<void> {
  await revokeTokensOfGrant(tx, grantHash, origin, now);
  await deleteRecordsOfGrant(tx, { grantHash });
}

const STEP = 500;

/** Internal change: deletes records that expired some time ago. Returns their number. */
export async function pruneOAuthRecords(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteExpiredRecords(tx, { before: now - KEPT_AFTER_EXPIRY_MS, limit: STEP });
}
