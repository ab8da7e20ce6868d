// Updates a secret: its name and settings in one operation, its value in another.
import type { Call, Result } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { requireFuture } from "../../platform/kernel/expiry.ts";
import { requireFreshProof } from "../../platform/kernel/giving.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { secretsContract } from "./contract.ts";
import { changedRow, getSecretForChange, requireVersion, updating } from "./find.ts";
import { rename } from "./names.ts";
import { nameKey, nextNoticeAt, storedTags } from "./rules.ts";
import type { Encoding } from "./rules.ts";
import { advanceVersion, changeSettings } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { deleteOldVersions, storeVersion, requireValueRoom } from "./value.ts";
import { replaceTags } from "./tags-store.ts";
import { secretResponse, eventPayload, settingsState } from "./view.ts";

type UpdateCall = Call<typeof secretsContract.updateSecret>;

/** Expiry and next notice after a change to `wanted`; undefined leaves both. Values that have expired can be read again then. */
function endAfter(
  { caller, now }: Pick<Call, "caller" | "now">,
  { expiresAt, noticeAt }: SecretRow,
  wanted: number | null | undefined,
): Pick<SecretRow, "expiresAt" | "noticeAt"> {
  if (wanted === undefined || wanted === expiresAt) return { expiresAt, noticeAt };
  requireFuture(wanted, now);
  if (expiresAt !== null && expiresAt <= now) requireFreshProof(caller, now);
  return { expiresAt: wanted, noticeAt: nextNoticeAt(wanted, now) };
}

type SettingsCall = Pick<Call, "caller" | "origin" | "scope" | "now">;
type Settings = Pick<UpdateCall["body"], "description" | "tags" | "decryptable" | "maxVersions" | "expiresAt">;

/** The row with the settings of a body. */
function withSettings(call: SettingsCall, row: SecretRow, body: Settings): SecretRow {
  if (body.decryptable && row.decryptable === 0) {
    throw fieldError(
      "secret_not_decryptable",
      "body.decryptable",
      "this secret was stored so that it can never be read back; create another one instead",
    );
  }
  return {
    ...row,
    description: body.description === undefined ? row.description : body.description,
    tags: body.tags ? storedTags(body.tags) : row.tags,
    decryptable: body.decryptable === false ? 0 : row.decryptable,
    maxVersions: body.maxVersions ?? row.maxVersions,
    ...endAfter(call, row, body.expiresAt),
  };
}

/** Changes what differs, and returns the row as it is then. */
export async function changeSettingsOf(
  tx: Tx,
  call: SettingsCall,
  row: SecretRow,
  settings: Settings,
): Promise<SecretRow> {
  const wanted = withSettings(call, row, settings);
  const previous = settingsState(row);
  const next = settingsState(wanted);
  if (JSON.stringify(previous) === JSON.stringify(next)) return row;
  await changeSettings(tx, { ...wanted, ...updating(call) });
  if (wanted.tags !== row.tags) await replaceTags(tx, wanted);
  if (wanted.maxVersions < row.maxVersions) await deleteOldVersions(tx, wanted, row.version);
  await emit(tx, call, {
    type: "secret-update",
    ownerId: row.ownerId,
    entityId: row.id,
    text: `changed the settings of secret ${row.name}`,
    payload: eventPayload(row),
    previous,
    next,
  });
  return changedRow(wanted, call, { metadataVersion: row.metadataVersion + 1 });
}

/** Renames the secret, changes its settings, or both. */
export async function updateSecret(tx: Tx, call: UpdateCall): Promise<Result<typeof secretsContract.updateSecret>> {
  const { name, keepAlias, expectedVersion } = call.body;
  if (keepAlias !== undefined && name === undefined) {
    throw fieldError("bad_request", "body.keepAlias", "expected together with name");
  }
  const before = await getSecretForChange(tx, call, call.params.name);
  requireVersion(expectedVersion, before.metadataVersion);
  const row = await changeSettingsOf(tx, call, before, call.body);
  if (name === undefined) return secretResponse(row);
  await rename(tx, call, [{ row: before, to: name, keepAlias: keepAlias ?? false, field: "body.name" }]);
  const renamed = { name, nameKey: nameKey(name), metadataVersion: row.metadataVersion + 1 };
  return { ...secretResponse(name === before.name ? row : changedRow(row, call, renamed)), oldName: before.name };
}

interface ValueChange {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  readonly restoredFrom: number | null;
  /** The new expiry; undefined leaves it. */
  readonly expiresAt?: number | null | undefined;
}

/** Adds a version and returns the secret. The caller wipes the bytes. */
export async function addVersion(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "now" | "keyring" | "instance">,
  row: SecretRow,
  { bytes, encoding, restoredFrom, expiresAt: wantedEnd }: ValueChange,
) {
  const { id, ownerId } = row;
  const { now } = call;
  const { expiresAt, noticeAt } = endAfter(call, row, wantedEnd);
  const version = row.version + 1;
  const creatorId = call.caller.account?.id ?? null;
  await storeVersion(tx, call.keyring, row, { version, encoding, restoredFrom, creatorId, createdAt: now }, bytes);
  const metadataVersion = row.metadataVersion + (expiresAt === row.expiresAt ? 0 : 1);
  await advanceVersion(tx, { ownerId, id, version, metadataVersion, expiresAt, noticeAt, ...updating(call) });
  await deleteOldVersions(tx, row, version);
  await requireValueRoom(tx, call, ownerId, bytes.length);
  await emit(tx, call, {
    type: "secret-value-update",
    ownerId,
    entityId: id,
    text:
      restoredFrom === null
        ? `changed the value of secret ${row.name}`
        : `restored version ${restoredFrom} of secret ${row.name}`,
    payload: { ...eventPayload(row), version, ...(restoredFrom === null ? {} : { restoredFrom }) },
    previous: { version: row.version, expiresAt: row.expiresAt },
    next: { version, expiresAt },
  });
  return secretResponse(changedRow(row, call, { version, metadataVersion, expiresAt, noticeAt }));
}
