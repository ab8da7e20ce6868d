// Secrets in responses and events.
import type { Static } from "typebox";
import type { ResultExtras } from "../../platform/kernel/contract.ts";
import { parseStored } from "../../platform/kernel/text/stored-json.ts";
import { RESTORABLE_MS } from "./rules.ts";
import type { ListedSecret } from "./list-store.ts";
import type { SecretRow } from "./store.ts";
import type { VersionMetadata } from "./versions/versions-store.ts";
import type { Secret } from "./secret-schema.ts";

export function publicSecret(row: ListedSecret): Static<typeof Secret> {
  const { creatorId: userId, updaterId: updatedBy, projectId, deletedAt } = row;
  return {
    uid: row.id,
    name: row.name,
    teamId: row.teamId,
    created: new Date(row.createdAt).toISOString(),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    decryptable: row.decryptable === 1,
    description: row.description,
    tags: parseStored(row.tags) as string[],
    version: row.version,
    metadataVersion: row.metadataVersion,
    maxVersions: row.maxVersions,
    expiresAt: row.expiresAt,
    ...(userId === null ? {} : { userId }),
    ...(updatedBy === null ? {} : { updatedBy }),
    ...(projectId === null ? {} : { projectId }),
    ...(deletedAt === null ? {} : { deletedAt, purgeAt: deletedAt + RESTORABLE_MS }),
  };
}

/** The response for one secret, with its revision for `ETag`. */
export function secretResponse(row: SecretRow): ReturnType<typeof publicSecret> & ResultExtras {
  return { ...publicSecret(row), revision: row.revision };
}

export function publicVersion(row: VersionMetadata) {
  return {
    version: row.version,
    size: row.size,
    encoding: row.encoding,
    restoredFrom: row.restoredFrom,
    createdBy: row.creatorId,
    createdAt: row.createdAt,
  };
}

/** The payload members of every event about a secret. */
export function eventPayload({ id, name, projectId }: Pick<SecretRow, "id" | "name" | "projectId">) {
  return { name, uid: id, ...(projectId === null ? {} : { projectId }) };
}

/** The settings of a secret as events compare them. */
export function settingsState(row: SecretRow) {
  const { description, tags, decryptable, maxVersions, expiresAt } = publicSecret(row);
  return { description, tags, decryptable, maxVersions, expiresAt };
}
