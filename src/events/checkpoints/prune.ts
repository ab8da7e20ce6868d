// Removes events because of their age: always the beginning of a chain, and always with a signed checkpoint of the last
// removed event, so that the rest can still be verified. A broken chain keeps its events as evidence.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { ChainBreak } from "../events/verify/chain-break.ts";
import { verifyBeginning } from "../events/verify/verify.ts";
import { systemAct } from "../events/system.ts";
import { storeCheckpoints } from "./make.ts";
import { deleteCheckpoints, deleteEvents, listOldest, lockAged, setOldest } from "./prune-store.ts";
import { getSigningKey } from "./signing-key.ts";
import { readStoreKeys, trustStoreKeys } from "./trust.ts";

/** A batch delays other writers by some milliseconds. */
const BATCH = 200;
/** A broken chain is verified again after this time. */
const RETRY_AFTER_MS = 7 * DAY_MS;

/** Records an event that the chain is broken, and postpones its next pruning. */
async function reportBroken(
  tx: Tx,
  { ownerId, sequence, eventId, kind, reason }: ChainBreak,
  before: number,
  now: number,
) {
  await emit(tx, systemAct(now), {
    type: "event-chain-broken",
    ownerId,
    entityId: eventId ?? ownerId,
    text: `found event ${sequence} of this chain ${kind}, and removes no old events`,
    payload: { sequence, eventId, kind, reason },
  });
  await setOldest(tx, { ownerId, eventAt: before + RETRY_AFTER_MS });
}

/** Forgets owners who were deleted before a time, some at once, and returns how many; teams are a later resource's. */
export type ForgetOwners = (tx: Tx, before: number) => Promise<number>;

/** Removes a batch of one owner's events that are too old. Returns how many, at least 1 when there was anything to do. */
export async function pruneEvents(
  tx: Tx,
  keyring: Keyring,
  forgetOwners: ForgetOwners,
  { retentionDays }: { readonly retentionDays: number },
  now: number,
): Promise<number> {
  const before = now - retentionDays * DAY_MS;
  const chain = await lockAged(tx, { before });
  if (!chain) return await forgetOwners(tx, before);
  const { ownerId, sequence: head } = chain;
  const key = await getSigningKey(tx, keyring, now);
  const oldest = await listOldest(tx, { ownerId, limit: BATCH + 1 });
  const last = oldest.slice(0, BATCH).findLastIndex(({ eventAt }) => eventAt < before);
  const cut = oldest[last];
  // A chain without any stored events is broken, too.
  const until = cut?.sequence ?? (oldest.length === 0 ? head : 0);
  const chainBreak = await verifyBeginning(tx, {
    ownerId,
    until,
    trust: trustStoreKeys(await readStoreKeys(tx, keyring)),
  });
  if (chainBreak) {
    await reportBroken(tx, chainBreak, before, now);
    return 1;
  }
  if (cut) {
    await deleteEvents(tx, cut);
    await deleteCheckpoints(tx, cut);
    await storeCheckpoints(tx, key, [{ ...cut, reason: "prune" }], now);
  }
  await setOldest(tx, { ownerId, eventAt: oldest[last + 1]?.eventAt ?? null });
  return Math.max(1, last + 1);
}
