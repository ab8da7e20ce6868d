// Imports the secrets of an archive: unchanged, but sealed again for their new row.
import type { Call } from "../../../platform/kernel/contract.ts";
import { newId } from "../../../platform/kernel/ids.ts";
import { positionAt } from "../../../platform/kernel/pagination.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { decodeVersion, reservedNames } from "./archive-rules.ts";
import type { ArchivedSecret, ArchivedVersion } from "./archive-schema.ts";
import { insertSecretOnce } from "./archive-store.ts";
import { reread } from "../find.ts";
import { findReservation, insertName } from "../names-store.ts";
import { nameKey, nextNoticeAt, storedTags } from "../rules.ts";
import { addTags } from "../tags-store.ts";
import { storeVersion, wiped } from "../value.ts";
import { eventPayload, settingsState } from "../view.ts";

export type ImportCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring">;

/** The first of the secret's names that another secret of the owner has. */
export async function findTakenName(tx: Tx, ownerId: string, secret: ArchivedSecret): Promise<string | undefined> {
  for (const { name } of reservedNames(secret)) {
    if (await findReservation(tx, { ownerId, nameKey: nameKey(name) })) return name;
  }
  return undefined;
}

/** Inserts the row, under the secret's own id if that is free, and returns the id. */
async function insertRow(tx: Tx, { scope, now }: ImportCall, secret: ArchivedSecret): Promise<string> {
  const { uid, name, expiresAt, createdAt } = secret;
  const row = {
    ownerId: scope.ownerId,
    teamId: scope.team?.id ?? null,
    userId: scope.team ? null : scope.ownerId,
    name,
    nameKey: nameKey(name),
    description: secret.description,
    tags: storedTags(secret.tags),
    projectId: secret.projectId,
    decryptable: secret.decryptable ? 1 : 0,
    maxVersions: secret.maxVersions,
    expiresAt,
    noticeAt: nextNoticeAt(expiresAt, now),
    version: (secret.versions.at(-1) as ArchivedVersion).version,
    metadataVersion: secret.metadataVersion,
    creatorId: secret.creator,
    updaterId: secret.updater ?? null,
    createdAt,
    updatedAt: secret.updatedAt,
    // At most the current time, so that secrets created later have higher positions even if the clock of the other instance was
    // ahead.
    position: positionAt(Math.min(createdAt, now)),
  };
  if ((await insertSecretOnce(tx, { ...row, id: uid })) === 1) return uid;
  const id = newId("secret");
  await insertSecretOnce(tx, { ...row, id });
  return id;
}

/** Adds a valid secret with all its data. None of its names may be taken. */
export async function addArchived(tx: Tx, call: ImportCall, secret: ArchivedSecret): Promise<void> {
  const { ownerId } = call.scope;
  const id = await insertRow(tx, call, secret);
  await addTags(tx, { ownerId, id, tags: storedTags(secret.tags) });
  for (const { name, kind, begunAt, endedAt } of secret.names) {
    await insertName(tx, {
      ownerId,
      secretId: id,
      name,
      nameKey: nameKey(name),
      kind,
      isReserved: kind === "former" ? 0 : 1,
      begunAt,
      endedAt,
      position: positionAt(begunAt),
    });
  }
  for (const [at, version] of secret.versions.entries()) {
    const { creator: creatorId, ...metadata } = version;
    await wiped(decodeVersion(version, at), (bytes) =>
      storeVersion(tx, call.keyring, { id, ownerId }, { ...metadata, creatorId }, bytes),
    );
  }
  const row = await reread(tx, { id, ownerId });
  await emit(tx, call, {
    type: "secret-add",
    ownerId,
    entityId: id,
    text: `imported secret ${row.name}`,
    payload: { ...eventPayload(row), imported: true },
    next: settingsState(row),
  });
}
