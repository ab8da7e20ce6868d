// `reeve secrets export`: the secrets of a team or account into an encrypted file, in one state of the store, so that it
// works beside a running server. Recorded before the first value is read.
import type { SecretsExport } from "../cli/reeve.ts";
import type { Settings } from "../config.ts";
import type { Clock } from "../kernel/clock.ts";
import { readSecrets, recordExport } from "../resources/secrets/archive-export.ts";
import { openExistingDatabase } from "./backend.ts";
import { commandOrigin } from "./command-caller.ts";
import { requireKeyring } from "./master-keys.ts";
import { createEncrypter, encrypt } from "./secret-archive-cipher.ts";
import { writeWhole } from "./secret-archive-file.ts";
import { writeLines } from "./secret-archive-lines.ts";
import { findArchiveOwner } from "./secret-archive-owner.ts";

export async function exportSecrets(
  settings: Settings,
  { owner, file, force, lock }: SecretsExport,
  clock: Clock,
): Promise<{ readonly exported: number }> {
  const encrypter = createEncrypter(lock);
  const database = await openExistingDatabase(settings);
  try {
    const keyring = await requireKeyring(settings, database);
    const { caller, scope, shown } = await findArchiveOwner(database.reader, owner);
    const now = clock();
    return await writeWhole(file, force, async (handle) => {
      await database.transaction(async (tx) => {
        await tx.lockOwner(scope.ownerId);
        await recordExport(tx, { caller, scope, origin: commandOrigin(), now });
      });
      let exported = 0;
      await database.snapshot(async (tx) => {
        const secrets = readSecrets(tx, { keyring }, scope.ownerId);
        const lines = writeLines({ exportedAt: now, owner: shown }, secrets, (count) => (exported = count));
        await handle.writeFile(await encrypt(encrypter, lines));
      });
      return { exported };
    });
  } finally {
    await database.close();
  }
}
