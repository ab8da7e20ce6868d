// Browsers in which an account has signed in. Guesses from elsewhere do not pause them.
import type { Tx } from "../../platform/kernel/tx.ts";
import { deleteOldestDevices, findKnownDevice, upsertKnownDevice } from "./store.ts";

const MAX_DEVICES = 50;

export async function rememberDevice(tx: Tx, userId: string, hash: string, now: number): Promise<void> {
  await upsertKnownDevice(tx, { userId, hash, now });
  await deleteOldestDevices(tx, { userId, kept: MAX_DEVICES });
}

export async function isKnownDevice(reader: Tx, userId: string, hash: string): Promise<boolean> {
  return (await findKnownDevice(reader, { userId, hash })) !== undefined;
}
