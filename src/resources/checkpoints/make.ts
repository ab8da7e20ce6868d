// Making checkpoints of the newest events of chains, whose owners are locked.
import type { Keyring } from "../../kernel/keyring.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { Checkpoint, EventCheckpoint } from "../events/checkpoint-schema.ts";
import { publicKeyText, signStatement } from "./signature.ts";
import type { Statement } from "./signature.ts";
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

/** A place in a chain. */
export type ChainPosition = Pick<Statement, "ownerId" | "sequence" | "hash" | "eventAt">;

/** Holds up whoever waits for one of these owners, for some milliseconds. */
const BATCH = 25;
const PAGE_SIZE = 500;

/** Why a checkpoint is made that somebody asks for. Where a chain was cut it stays cut, whoever signs that. */
function demanded(present: Statement["reason"] | null | undefined): Statement["reason"] {
  return present === "prune" ? "prune" : "demand";
}

/** Signs where chains stand and stores it. */
export async function storeCheckpoints(
  tx: Tx,
  key: SigningKey,
  places: readonly (ChainPosition & Pick<Statement, "reason">)[],
  now: number,
): Promise<readonly Checkpoint[]> {
  const checkpoints = places.map(({ ownerId, sequence, hash, eventAt, reason }) =>
    signStatement(key.privateKey, { ownerId, sequence, hash, eventAt, createdAt: now, reason, keyId: key.id }),
  );
  await putCheckpoints(tx, { rows: JSON.stringify(checkpoints), position: positionAt(now) });
  return checkpoints;
}

/** The checkpoint of an owner's newest event, by the key that signs now; made unless there is one. Null: no events. */
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
  const [checkpoint] = await storeCheckpoints(tx, key, [{ ...head, reason: demanded(present?.reason) }], now);
  return { checkpoint: { ...(checkpoint as Checkpoint), publicKey }, isNew: true };
}

/** Makes some of the checkpoints that are missing of newest events, of the owners behind `afterId`, by the key that signs. */
export async function checkpointUnsigned(
  tx: Tx,
  keyring: Keyring,
  afterId: string,
  now: number,
): Promise<{ readonly made: number; readonly lastId: string | null }> {
  const key = await getSigningKey(tx, keyring, now);
  const heads = await lockUnsigned(tx, { afterId, keyId: key.id, limit: BATCH });
  const places = heads.map((head) => ({ ...head, reason: demanded(head.presentReason) }));
  if (places.length > 0) await storeCheckpoints(tx, key, places, now);
  return { made: heads.length, lastId: heads.length < BATCH ? null : (heads.at(-1)?.ownerId ?? null) };
}

/** How many checkpoints are missing of newest events. */
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

/** Makes some of the checkpoints that are due, of many owners; answers for how many it did what was due. */
export async function checkpointDue(tx: Tx, keyring: Keyring, now: number): Promise<number> {
  const due = await lockDue(tx, { now, limit: BATCH });
  if (due.length === 0) return 0;
  // Somebody may have asked for one since the last event.
  const places = due.filter(({ isCovered }) => !isCovered).map((head) => ({ ...head, reason: "daily" as const }));
  if (places.length > 0) await storeCheckpoints(tx, await getSigningKey(tx, keyring, now), places, now);
  await clearDue(tx, { ownerIds: JSON.stringify(due.map(({ ownerId }) => ownerId)) });
  return due.length;
}
