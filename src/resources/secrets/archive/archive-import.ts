// Secrets of an archive on their way into the store: as they were where they come from, sealed anew for their place here.
import type { Call } from "../../../kernel/contract.ts";
import { newId } from "../../../kernel/ids.ts";
import { positionAt } from "../../../kernel/pagination.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { emit } from "../../events/emit.ts";
import { decodeVersion, reservedNames } from "./archive-rules.ts";
import type { ArchivedSecret, ArchivedVersion } from "./archive-schema.ts";
import { insertSecretOnce } from "./archive-store.ts";
import { reread } from "../find.ts";
import { findReservation, insertName } from "../names-store.ts";
import { nameKey, nextNoticeAt, storedTags } from "../rules.ts";
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

/** Makes the row, under the secret's own id where that is free; answers the id. */
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
    createdAt,
    updatedAt: secret.updatedAt,
    // What is created here later has a later one, wherever the clock of the other place stood.
    position: positionAt(Math.min(createdAt, now)),
  };
  if ((await insertSecretOnce(tx, { ...row, id: uid })) === 1) return uid;
  const id = newId("secret");
  await insertSecretOnce(tx, { ...row, id });
  return id;
}

/** Adds a secret that is sound, with all it has, and none of whose names is taken. */
export async function addArchived(tx: Tx, call: ImportCall, secret: ArchivedSecret): Promise<void> {
  const { ownerId } = call.scope;
  const id = await insertRow(tx, call, secret);
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
      storeVersion(tx, call.keyring, { id, owner_id: ownerId }, { ...metadata, creatorId }, bytes),
    );
  }
  const row = await reread(tx, { id, owner_id: ownerId });
  await emit(tx, call, {
    type: "secret-add",
    ownerId,
    entityId: id,
    text: `imported secret ${row.name}`,
    payload: { ...eventPayload(row), imported: true },
    next: settingsState(row),
  });
}
