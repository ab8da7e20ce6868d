// Deletes secrets, restores deleted ones, and destroys them.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../platform/kernel/errors.ts";
import { isWithin, requireNewName } from "../../platform/kernel/limits.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { systemAct } from "../../events/events/system.ts";
import type { secretsContract } from "./contract.ts";
import { DUE_BATCH, forDueSecrets } from "./due.ts";
import { getSecretForChange, reread, updating } from "./find.ts";
import { claimName, requireRenaming } from "./names.ts";
import {
  countAliases,
  endFreedName,
  endTakenAliases,
  findReservation,
  freeNames,
  reserveFreeNames,
} from "./names-store.ts";
import { RESTORABLE_MS, isSecretId, nameKey, nextNoticeAt, requireName } from "./rules.ts";
import { changeName, destroySecret, findDeletedByName, findSecretById, listToPurge, setDeletion } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { secretResponse, eventPayload } from "./view.ts";

type DeletionCall = Call<typeof secretsContract.deleteSecret>;
type RestoreCall = Call<typeof secretsContract.restoreSecret>;

/** The row if it is deleted, can still be restored, and the caller may know of it. */
function restorable(row: SecretRow | undefined, { caller, now }: Pick<Call, "caller" | "now">): SecretRow | undefined {
  const isThere = row && row.deletedAt !== null && row.deletedAt + RESTORABLE_MS > now;
  return isThere && isWithin(caller, "name", row.name) ? row : undefined;
}

/** The secret to delete. `permanent` also finds a deleted one, by its id. */
async function getSecretToDelete(tx: Tx, call: DeletionCall): Promise<SecretRow> {
  const { name } = call.params;
  if (call.query.permanent && isSecretId(name)) {
    const row = restorable(await findSecretById(tx, { ownerId: call.scope.ownerId, id: name }), call);
    if (row) {
      requireRevision(call, row.revision);
      return row;
    }
  }
  return await getSecretForChange(tx, call, name);
}

async function emitDeletion(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "scope" | "now">,
  row: SecretRow,
  purgeAt: number | null,
): Promise<void> {
  const { id, ownerId, name } = row;
  await emit(tx, call, {
    type: row.deletedAt === null ? "secret-delete" : "secret-destroy",
    ownerId,
    entityId: id,
    text: `${purgeAt === null ? "destroyed" : "deleted"} secret ${name}`,
    payload: { ...eventPayload(row), ...(purgeAt === null ? { permanent: true } : { purgeAt }) },
    previous: { name, version: row.version },
  });
}

/** Deletes a secret so that it can be restored; returns until when. */
export async function deleteSoftly(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "scope" | "now">,
  row: SecretRow,
): Promise<number> {
  const { id, ownerId } = row;
  const { now } = call;
  await freeNames(tx, { ownerId, secretId: id });
  await setDeletion(tx, { ownerId, id, deletedAt: now, noticeAt: null, ...updating(call) });
  const purgeAt = now + RESTORABLE_MS;
  await emitDeletion(tx, call, row, purgeAt);
  return purgeAt;
}

export async function removeSecret(tx: Tx, call: DeletionCall) {
  const row = await getSecretToDelete(tx, call);
  const { id, ownerId, name, createdAt: created } = row;
  if (!call.query.permanent) return { uid: id, name, created, purgeAt: await deleteSoftly(tx, call, row) };
  await destroySecret(tx, { ownerId, id });
  await emitDeletion(tx, call, row, null);
  return { uid: id, name, created, purgeAt: null };
}

async function getDeleted(tx: Tx, call: RestoreCall): Promise<SecretRow> {
  const { scope, params } = call;
  const { ownerId } = scope;
  const row = isSecretId(params.name)
    ? await findSecretById(tx, { ownerId, id: params.name })
    : await findDeletedByName(tx, { ownerId, nameKey: nameKey(params.name) });
  const found = restorable(row, call);
  if (!found) throw notFound("Deleted secret");
  return found;
}

/** Reserves the names of the secret again, or `name` as its new one. */
async function takeNamesBack(tx: Tx, call: RestoreCall, row: SecretRow, name: string): Promise<void> {
  const { id: secretId, ownerId } = row;
  const { now } = call;
  if (name === row.name) {
    const holder = await findReservation(tx, { ownerId, nameKey: row.nameKey });
    if (holder) {
      throw fieldError("secret_name_taken", "body.name", `${name} was taken meanwhile: send another name`, { name });
    }
  } else {
    await endFreedName(tx, { ownerId, secretId, kind: "former", isReserved: 0, now });
    await claimName(tx, { ownerId, secretId, name, field: "body.name", now });
    await changeName(tx, { ownerId, id: secretId, name, nameKey: nameKey(name), ...updating(call) });
  }
  await reserveFreeNames(tx, { ownerId, secretId });
  await endTakenAliases(tx, { ownerId, secretId });
}

export async function restoreSecret(tx: Tx, call: RestoreCall) {
  const { now } = call;
  const row = await getDeleted(tx, call);
  requireRevision(call, row.revision);
  const { id, ownerId } = row;
  const name = requireName(call.body?.name ?? row.name, "body.name");
  requireNewName(call.caller, name, "body.name");
  if (name !== row.name) requireRenaming(call);
  await takeNamesBack(tx, call, row, name);
  await setDeletion(tx, {
    ownerId,
    id,
    deletedAt: null,
    noticeAt: nextNoticeAt(row.expiresAt, now),
    ...updating(call),
  });
  const [restored, aliases] = await Promise.all([reread(tx, row), countAliases(tx, { ownerId, secretId: id })]);
  await emit(tx, call, {
    type: "secret-restore",
    ownerId,
    entityId: id,
    text: `restored secret ${name}`,
    payload: eventPayload(restored),
    previous: { name: row.name, deletedAt: row.deletedAt },
    next: { name, aliases: aliases?.count ?? 0 },
  });
  return secretResponse(restored);
}

/** Destroys a batch of secrets whose time to be restored is over; returns how many. */
export async function purgeSecrets(tx: Tx, _input: null, now: number): Promise<number> {
  const deletedAt = now - RESTORABLE_MS;
  const candidates = await listToPurge(tx, { deletedAt, limit: DUE_BATCH });
  const isDue = (row: SecretRow) => row.deletedAt !== null && row.deletedAt <= deletedAt;
  return await forDueSecrets(tx, candidates, isDue, async (row) => {
    const { id, ownerId, name } = row;
    await destroySecret(tx, { ownerId, id });
    await emit(tx, systemAct(now), {
      type: "secret-destroy",
      ownerId,
      entityId: id,
      text: `destroyed secret ${name}, which was deleted ${RESTORABLE_MS / DAY_MS} days ago`,
      payload: eventPayload(row),
      previous: { name, version: row.version },
    });
  });
}
