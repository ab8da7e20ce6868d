// Exports the secrets of one owner: first records who exports them, then reads them completely.
import type { Call } from "../../../platform/kernel/contract.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import { UnreadableError } from "../../../platform/kernel/keyring.ts";
import type { Keyring } from "../../../platform/kernel/keyring.ts";
import type { PageBounds } from "../../../platform/kernel/pagination.ts";
import { parseStored } from "../../../platform/kernel/text/stored-json.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { streamRows } from "../../../platform/kernel/row-stream.ts";
import type { ArchivedName, ArchivedSecret, ArchivedVersion } from "./archive-schema.ts";
import { countSecrets, listKeptVersions } from "./archive-store.ts";
import { listNames } from "../names-store.ts";
import { listSecrets } from "../list-store.ts";
import type { ListedSecret } from "../list-store.ts";
import { openVersion } from "../value.ts";
import type { VersionRow } from "../versions/versions-store.ts";

const PAGE_SIZE = 100;
const NO_END = Number.MAX_SAFE_INTEGER;

/** Records the export of the scope's secrets and returns their number. Refuses when there are none. */
export async function recordExport(tx: Tx, call: Pick<Call, "scope" | "caller" | "origin" | "now">): Promise<number> {
  const { ownerId } = call.scope;
  const count = (await countSecrets(tx, { ownerId }))?.count ?? 0;
  if (count === 0) throw new ApiError("not_found", "there are no secrets to export");
  await emit(tx, call, {
    type: "secrets-export",
    ownerId,
    entityId: ownerId,
    text: `exported ${count} ${count === 1 ? "secret" : "secrets"}`,
    payload: { count },
  });
  return count;
}

/** A stored version does not open, or is missing. */
export class UnreadableVersionError extends Error {
  override readonly name = "UnreadableVersionError";
  readonly secret: ListedSecret;
  readonly version: number;

  constructor(secret: ListedSecret, version: number) {
    super(`version ${version} of the secret ${secret.name} does not open`);
    this.secret = secret;
    this.version = version;
  }
}

function archiveVersion(keyring: Keyring, secret: ListedSecret, row: VersionRow): ArchivedVersion {
  let bytes: Buffer;
  try {
    bytes = openVersion(keyring, row);
  } catch (error) {
    throw error instanceof UnreadableError ? new UnreadableVersionError(secret, row.version) : error;
  }
  const value = bytes.toString("base64");
  bytes.fill(0);
  return {
    version: row.version,
    encoding: row.encoding,
    createdAt: row.createdAt,
    creator: row.creatorId,
    restoredFrom: row.restoredFrom,
    value,
  };
}

/** The rows after a given one, oldest first. */
function pageAfter(last: { readonly position: number } | undefined): PageBounds {
  return { after: last?.position ?? -1, before: NO_END, limit: PAGE_SIZE, isForward: true };
}

async function archiveNames(tx: Tx, { id: secretId, ownerId }: ListedSecret): Promise<ArchivedName[]> {
  const names: ArchivedName[] = [];
  const rows = streamRows<Awaited<ReturnType<typeof listNames>>[number]>(
    async (last) => await listNames(tx, { ownerId, secretId }, pageAfter(last)),
  );
  for (let row = await rows.take(); row; row = await rows.take()) {
    names.push({ name: row.name, kind: row.kind, begunAt: row.begunAt, endedAt: row.endedAt });
  }
  return names;
}

async function archiveSecret(tx: Tx, keyring: Keyring, row: ListedSecret): Promise<ArchivedSecret> {
  const versions = await listKeptVersions(tx, { ownerId: row.ownerId, secretId: row.id });
  // Reeve never deletes the newest version: if it is missing, somebody has changed the database.
  if (versions.at(-1)?.version !== row.version) throw new UnreadableVersionError(row, row.version);
  return {
    uid: row.id,
    name: row.name,
    description: row.description,
    tags: parseStored(row.tags) as string[],
    projectId: row.projectId,
    decryptable: row.decryptable === 1,
    maxVersions: row.maxVersions,
    expiresAt: row.expiresAt,
    metadataVersion: row.metadataVersion,
    creator: row.creatorId,
    ...(row.updaterId === null ? {} : { updater: row.updaterId }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    names: await archiveNames(tx, row),
    versions: versions.map((version) => archiveVersion(keyring, row, version)),
  };
}

/**
 * Reads the existing secrets of an owner, oldest first, one at a time; throws an UnreadableVersionError. `tx` is a snapshot.
 */
export async function* readSecrets(tx: Tx, keyring: Keyring, ownerId: string): AsyncGenerator<ArchivedSecret> {
  const rows = streamRows<ListedSecret>(async (last) => await listSecrets(tx, { ownerId }, pageAfter(last)));
  for (let row = await rows.take(); row; row = await rows.take()) yield await archiveSecret(tx, keyring, row);
}
