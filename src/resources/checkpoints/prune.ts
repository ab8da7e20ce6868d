// Removing events because of their age: always the beginning of a chain, and never without a signed checkpoint of where
// it was cut, so that what is left still proves itself. A chain that is broken keeps its events, which prove that.
import { DAY_MS } from "../../kernel/scheduling/clock.ts";
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { ChainBreak } from "../events/verify/chain-break.ts";
import { verifyBeginning } from "../events/verify/verify.ts";
import { forgetDeletedTeams } from "../teams/deleted.ts";
import { systemAct } from "../users/system.ts";
import { storeCheckpoints } from "./make.ts";
import { deleteCheckpoints, deleteEvents, listOldest, lockAged, setOldest } from "./prune-store.ts";
import { getSigningKey } from "./signing-key.ts";
import { readStoreKeys, trustStoreKeys } from "./trust.ts";

/** Holds up others by some milliseconds. */
const BATCH = 200;
/** After this time a broken chain is looked at again. */
const PUT_OFF_MS = 7 * DAY_MS;

/** Tells whoever may read the chain that it is broken, and leaves it alone for a while. */
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
  await setOldest(tx, { ownerId, eventAt: before + PUT_OFF_MS });
}

/** Removes some events of an owner that are too old; answers how many, or 1 when there was something else to do. */
export async function pruneEvents(
  tx: Tx,
  keyring: Keyring,
  { retentionDays }: { readonly retentionDays: number },
  now: number,
): Promise<number> {
  const before = now - retentionDays * DAY_MS;
  const chain = await lockAged(tx, { before });
  if (!chain) return await forgetDeletedTeams(tx, before);
  const { ownerId, sequence: head } = chain;
  const key = await getSigningKey(tx, keyring, now);
  const oldest = await listOldest(tx, { ownerId, limit: BATCH + 1 });
  const last = oldest.slice(0, BATCH).findLastIndex(({ eventAt }) => eventAt < before);
  const cut = oldest[last];
  // That there are none at all is a fault, too.
  const until = cut?.sequence ?? (oldest.length === 0 ? head : 0);
  const fault = await verifyBeginning(tx, { ownerId, until, trust: trustStoreKeys(await readStoreKeys(tx, keyring)) });
  if (fault) {
    await reportBroken(tx, fault, before, now);
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
