// Makes checkpoints of the newest events of chains. The owners of the chains are locked.
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { Checkpoint, EventCheckpoint } from "../events/checkpoint-schema.ts";
import { publicKeyText, signStatement } from "./signature.ts";
import type { Statement } from "./statement.ts";
import { getSigningKey } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";
import {
  clearDue,
  countUnsigned,
  findCheckpoint,
  findHead,
  listNewest,
  lockDue,
  lockUnsigned,
  putCheckpoints,
} from "./store.ts";

/** The event that a checkpoint signs. */
export type ChainPosition = Pick<Statement, "ownerId" | "sequence" | "hash" | "eventAt">;

/** A batch delays other changes of these owners by some milliseconds. */
const BATCH = 25;
const PAGE_SIZE = 500;

/** The reason of a requested checkpoint. The checkpoint where a chain was cut keeps its reason when it is signed again. */
function reasonOnDemand(present: Statement["reason"] | null | undefined): Statement["reason"] {
  return present === "prune" ? "prune" : "demand";
}

/** Signs positions of chains and stores the checkpoints. */
export async function storeCheckpoints(
  tx: Tx,
  key: SigningKey,
  positions: readonly (ChainPosition & Pick<Statement, "reason">)[],
  now: number,
): Promise<readonly Checkpoint[]> {
  const checkpoints = positions.map(({ ownerId, sequence, hash, eventAt, reason }) =>
    signStatement(key.privateKey, { ownerId, sequence, hash, eventAt, createdAt: now, reason, keyId: key.id }),
  );
  await putCheckpoints(tx, { rows: JSON.stringify(checkpoints), position: positionAt(now) });
  return checkpoints;
}

/** Finds or makes the checkpoint of an owner's newest event by the active key; null when the chain is empty. */
export async function checkpointHead(
  tx: Tx,
  keyring: Keyring,
  ownerId: string,
  now: number,
): Promise<{ readonly checkpoint: EventCheckpoint; readonly isNew: boolean } | null> {
  const key = await getSigningKey(tx, keyring, now);
  const publicKey = publicKeyText(key.publicKey);
  const head = await findHead(tx, { ownerId });
  if (!head) return null;
  const present = await findCheckpoint(tx, head);
  if (present?.keyId === key.id) return { checkpoint: { ...present, publicKey }, isNew: false };
  const [checkpoint] = await storeCheckpoints(tx, key, [{ ...head, reason: reasonOnDemand(present?.reason) }], now);
  return { checkpoint: { ...(checkpoint as Checkpoint), publicKey }, isNew: true };
}

/** Makes a batch of the missing checkpoints of newest events by the active key, for owners after `afterId`. */
export async function checkpointUnsigned(
  tx: Tx,
  keyring: Keyring,
  afterId: string,
  now: number,
): Promise<{ readonly made: number; readonly lastId: string | null }> {
  const key = await getSigningKey(tx, keyring, now);
  const heads = await lockUnsigned(tx, { afterId, keyId: key.id, limit: BATCH });
  const positions = heads.map((head) => ({ ...head, reason: reasonOnDemand(head.presentReason) }));
  if (positions.length > 0) await storeCheckpoints(tx, key, positions, now);
  return { made: heads.length, lastId: heads.length < BATCH ? null : (heads.at(-1)?.ownerId ?? null) };
}

/** How many chains have no checkpoint of their newest event by a key. */
export async function countUnsignedHeads(tx: Tx, keyId: string): Promise<number> {
  return (await countUnsigned(tx, { keyId }))?.heads ?? 0;
}

/** The newest checkpoint of each chain. */
export async function* readNewest(tx: Tx): AsyncGenerator<EventCheckpoint> {
  let afterId = "";
  for (;;) {
    const page = await listNewest(tx, { afterId, limit: PAGE_SIZE });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    afterId = last.ownerId;
  }
}

/** Makes a batch of the checkpoints that are due, and returns how many owners it processed. */
export async function checkpointDue(tx: Tx, keyring: Keyring, now: number): Promise<number> {
  const due = await lockDue(tx, { now, limit: BATCH });
  if (due.length === 0) return 0;
  // A caller may have requested a checkpoint since the last event.
  const positions = due.filter(({ isCovered }) => !isCovered).map((head) => ({ ...head, reason: "daily" as const }));
  if (positions.length > 0) await storeCheckpoints(tx, await getSigningKey(tx, keyring, now), positions, now);
  await clearDue(tx, { ownerIds: JSON.stringify(due.map(({ ownerId }) => ownerId)) });
  return due.length;
}
