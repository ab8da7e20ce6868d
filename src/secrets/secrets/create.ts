// Creates a secret: its row, its name and its first version.
import type { Call } from "../../platform/kernel/contract.ts";
import { requireFuture } from "../../platform/kernel/expiry.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { requireNewName } from "../../platform/kernel/limits.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { limitReached } from "../../platform/kernel/storage-limits.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { reread } from "./find.ts";
import { claimName } from "./names.ts";
import { nameKey, nextNoticeAt, requireName, storedTags } from "./rules.ts";
import type { Encoding } from "./rules.ts";
import { DEFAULT_MAX_VERSIONS } from "./secret-schema.ts";
import { countSecrets, insertSecret } from "./store.ts";
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

/** Creates the secret and returns it. `field` is where its name was given. The caller wipes the bytes of the value. */
export async function addSecret(
  tx: Tx,
  call: Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring" | "instance">,
  { name, settings, field = "body.name", isOfEntry = false }: NewSecret,
  value: { readonly bytes: Buffer; readonly encoding: Encoding },
) {
  const { scope, now } = call;
  const { ownerId } = scope;
  const { expiresAt = null } = settings;
  const creatorId = call.caller.account?.id ?? null;
  const id = newId("secret");
  requireName(name, field);
  if (!isOfEntry) requireNewName(call.caller, name, field);
  requireFuture(expiresAt, now);
  const limit = call.instance.storageLimits.secrets;
  const secrets = await countSecrets(tx, { ownerId, limit });
  if ((secrets?.count ?? 0) >= limit) throw limitReached(call.instance.storageLimits, "secrets", "delete some");
  await insertSecret(tx, {
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
  });
  await addTags(tx, { ownerId, id, tags: storedTags(settings.tags ?? []) });
  await claimName(tx, { ownerId, secretId: id, name, field, now });
  const version = { version: 1, encoding: value.encoding, restoredFrom: null, creatorId, createdAt: now };
  await storeVersion(tx, call.keyring, { id, ownerId }, version, value.bytes);
  await requireValueRoom(tx, call, ownerId, value.bytes.length);
  const row = await reread(tx, { id, ownerId });
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
