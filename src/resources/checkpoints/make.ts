// Making checkpoints of the newest events of chains, whose owners are locked.
import type { Keyring } from "../../kernel/keyring.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { EventCheckpoint } from "./checkpoint-schema.ts";
import { publicKeyText, signStatement } from "./signature-rules.ts";
import type { Checkpoint, Statement } from "./signature-rules.ts";
import { getSigningKey } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";
import { clearDue, findCheckpoint, findHead, lockDue, putCheckpoints } from "./store.ts";

/** A place in a chain. */
export type Place = Pick<Statement, "ownerId" | "sequence" | "hash" | "eventAt">;

/** Holds up whoever waits for one of these owners, for some milliseconds. */
const BATCH = 25;

/** Signs where chains stand and stores it. */
export async function storeCheckpoints(
  tx: Tx,
  key: SigningKey,
  places: readonly (Place & Pick<Statement, "reason">)[],
  now: number,
): Promise<readonly Checkpoint[]> {
  const checkpoints = places.map(({ ownerId, sequence, hash, eventAt, reason }) =>
    signStatement(key.privateKey, { ownerId, sequence, hash, eventAt, createdAt: now, reason, keyId: key.id }),
  );
  await putCheckpoints(tx, { rows: JSON.stringify(checkpoints), position: positionAt(now) });
  return checkpoints;
}

/** The checkpoint of an owner's newest event, by the key that signs now; makes it unless there is one. */
export async function checkpointHead(tx: Tx, keyring: Keyring, ownerId: string, now: number): Promise<EventCheckpoint> {
  const key = await getSigningKey(tx, keyring, now);
  const publicKey = publicKeyText(key.publicKey);
  const head = await findHead(tx, { ownerId });
  if (!head) throw new Error(`there are no events of ${ownerId}`);
  const present = await findCheckpoint(tx, head);
  if (present?.keyId === key.id) return { ...present, publicKey };
  // Where the chain was cut it stays cut, whoever signs that.
  const reason = present?.reason === "prune" ? "prune" : "demand";
  const [checkpoint] = await storeCheckpoints(tx, key, [{ ...head, reason }], now);
  return { ...(checkpoint as Checkpoint), publicKey };
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
