// Creates a secret: its row, its name and its first version.
import type { Call } from "../../platform/kernel/contract.ts";
import { requireFuture } from "../../platform/kernel/expiry.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { requireNewName } from "../../platform/kernel/limits.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { limitReached } from "../../platform/kernel/storage-limits.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { findReservation } from "./names-store.ts";
import { insertCurrentName, nameTaken } from "./names.ts";
import { nameKey, nextNoticeAt, requireName, storedTags } from "./rules.ts";
import type { Encoding } from "./rules.ts";
import { DEFAULT_MAX_VERSIONS } from "./secret-schema.ts";
import { countSecrets, insertSecret } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { addTags } from "./tags-store.ts";
import { requireValueRoom, storeVersion } from "./value.ts";
import { secretResponse, eventPayload, settingsState } from "./view.ts";

export interface NewSettings {
  readonly decryptable?: boolean;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly maxVersions?: number;
  readonly expiresAt?: number | null;
  readonly projectId?: string;
}

interface NewSecret {
  readonly name: string;
  readonly settings: NewSettings;
  readonly field?: string;
  /** The name was chosen for an entry of an environment: a credential that is limited to names may set it by its key. */
  readonly isOfEntry?: boolean;
}

type CreateCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring" | "instance">;

interface Value {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
}

function requirePossibleName(
  { caller }: Pick<Call, "caller">,
  { name, field = "body.name", isOfEntry = false }: Pick<NewSecret, "name" | "field" | "isOfEntry">,
): void {
  requireName(name, field);
  if (!isOfEntry) requireNewName(caller, name, field);
}

/** Creates the secret and returns it. `field` is where its name was given. The caller wipes the bytes of the value. */
export async function addSecret(tx: Tx, call: CreateCall, secret: NewSecret, value: Value) {
  const { name, field = "body.name" } = secret;
  const { ownerId } = call.scope;
  // A caller who may not know the name does not learn whether it is taken.
  requirePossibleName(call, secret);
  // Together, because statements travel to PostgreSQL.
  const [holder] = await Promise.all([
    findReservation(tx, { ownerId, nameKey: nameKey(name) }),
    requireRoom(tx, call, 1),
  ]);
  if (holder) throw nameTaken(name, field, holder.kind === "alias");
  return await storeSecret(tx, call, secret, value);
}

/** Refuses more secrets than an owner may have, for all that a change makes. */
export async function requireRoom(
  tx: Tx,
  { scope: { ownerId }, instance: { storageLimits } }: Pick<Call, "scope" | "instance">,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const limit = storageLimits.secrets;
  const stored = await countSecrets(tx, { ownerId, limit });
  if ((stored?.count ?? 0) + count > limit) throw limitReached(storageLimits, "secrets", "delete some");
}

/** The same for a name that is free, where there is room. */
export async function storeSecret(
  tx: Tx,
  call: CreateCall,
  { name, settings, field = "body.name", isOfEntry = false }: NewSecret,
  value: Value,
) {
  const { scope, now } = call;
  const { ownerId } = scope;
  const { expiresAt = null } = settings;
  const creatorId = call.caller.account?.id ?? null;
  const id = newId("secret");
  requirePossibleName(call, { name, field, isOfEntry });
  requireFuture(expiresAt, now);
  const given = {
    id,
    ownerId,
    teamId: scope.team?.id ?? null,
    userId: scope.team ? null : ownerId,
    name,
    nameKey: nameKey(name),
    description: settings.description ?? null,
    tags: storedTags(settings.tags ?? []),
    projectId: settings.projectId ?? null,
    decryptable: settings.decryptable ? 1 : 0,
    maxVersions: settings.maxVersions ?? DEFAULT_MAX_VERSIONS,
    expiresAt,
    noticeAt: nextNoticeAt(expiresAt, now),
    version: 1,
    metadataVersion: 1,
    creatorId,
    updaterId: creatorId,
    createdAt: now,
    updatedAt: now,
    position: positionAt(now),
  };
  await insertSecret(tx, given);
  await addTags(tx, { ownerId, id, tags: storedTags(settings.tags ?? []) });
  await insertCurrentName(tx, { ownerId, secretId: id, name, now });
  const version = { version: 1, encoding: value.encoding, restoredFrom: null, creatorId, createdAt: now };
  await storeVersion(tx, call.keyring, { id, ownerId }, version, value.bytes);
  await requireValueRoom(tx, call, ownerId, value.bytes.length);
  const row: SecretRow = { ...given, endsAt: expiresAt ?? Number.MAX_SAFE_INTEGER, deletedAt: null, revision: 1 };
  await emit(tx, call, {
    type: "secret-add",
    ownerId,
    entityId: id,
    text: `created secret ${name}`,
    payload: eventPayload(row),
    next: settingsState(row),
  });
  return { ...secretResponse(row), value: { type: "Buffer" as const, data: [] } };
}
