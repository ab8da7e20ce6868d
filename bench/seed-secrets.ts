// A secret with a sealed value.
import { newId, randomHex } from "../src/platform/kernel/ids.ts";
import type { Keyring } from "../src/platform/kernel/keyring.ts";
import { positionAt } from "../src/platform/kernel/pagination.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { claimName } from "../src/secrets/secrets/names.ts";
import { insertSecret } from "../src/secrets/secrets/store.ts";
import { addTags } from "../src/secrets/secrets/tags-store.ts";
import { storeVersion } from "../src/secrets/secrets/value.ts";

/** As long as the keys and tokens that people keep. */
export function newSecretValue(): string {
  return randomHex(64);
}

interface SecretSeed {
  readonly projectId?: string | null;
  readonly tags?: readonly string[];
  readonly expiresAt?: number | null;
}

export async function seedSecret(
  tx: Tx,
  keyring: Keyring,
  ownerId: string,
  name: string,
  now: number,
  { projectId = null, tags: list = [], expiresAt = null }: SecretSeed = {},
): Promise<string> {
  const id = newId("secret");
  const tags = JSON.stringify(list);
  await insertSecret(tx, {
    id,
    ownerId,
    teamId: null,
    userId: ownerId,
    name,
    nameKey: name,
    description: null,
    tags,
    projectId,
    decryptable: 1,
    maxVersions: 10,
    expiresAt,
    noticeAt: null,
    version: 1,
    metadataVersion: 1,
    creatorId: ownerId,
    updaterId: ownerId,
    createdAt: now,
    updatedAt: now,
    position: positionAt(now),
  });
  await addTags(tx, { ownerId, id, tags });
  await claimName(tx, { ownerId, secretId: id, name, field: "name", now });
  const version = { version: 1, encoding: "utf8", restoredFrom: null, creatorId: ownerId, createdAt: now } as const;
  await storeVersion(tx, keyring, { id, ownerId }, version, Buffer.from(newSecretValue()));
  return id;
}
