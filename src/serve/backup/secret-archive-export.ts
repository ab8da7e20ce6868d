// `reeve secrets export`: writes the secrets of a team or account to an encrypted file, from one snapshot, so that it works
// beside a running server. The export is recorded before the first value is read.
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { SecretsExport } from "./secret-archive.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { UnreadableVersionError, readSecrets, recordExport } from "../../secrets/secrets/archive/archive-export.ts";
import { reportUnreadable } from "../../secrets/secrets/value.ts";
import type { Database } from "../../platform/store/database.ts";
import { withExistingDatabase } from "../open-database.ts";
import { commandOrigin } from "../command-caller.ts";
import { requireKeyring } from "../master-keys/start-keyring.ts";
import { createEncrypter, encrypt } from "./secret-archive-cipher.ts";
import { writeAtomically } from "./atomic-file.ts";
import { writeSecrets } from "./secret-archive.ts";
import { findCommandOwner } from "../command-owner.ts";
import type { CommandOwner } from "../command-owner.ts";
import { findWeakness } from "../../identity/sign-in/password-strength.ts";
import { findExcess } from "../../identity/sign-in/password-text.ts";

/** A thief of the file can guess at its passphrase without limit, so it is judged as a new password is. */
async function requireStrong(lock: SecretsExport["lock"], { caller: { account }, scope: { team } }: CommandOwner) {
  if (!("passphrase" in lock)) return;
  const { passphrase } = lock;
  const names = { email: account?.email ?? "", username: account?.username ?? team?.slug ?? "" };
  const name = account?.name ?? team?.name ?? null;
  const problem = findExcess(passphrase) ?? (await findWeakness(passphrase, { ...names, name }));
  if (problem !== null) throw new Failure("refused", `passphrase: ${problem}`, "weak_password");
}

/** Commits an event of an owner in a transaction of its own. */
async function record<T>(database: Database, ownerId: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return await database.transaction(async (tx) => {
    await tx.lockOwner(ownerId);
    return await work(tx);
  });
}

export async function exportSecrets(
  settings: Settings,
  { owner, file, force, lock }: SecretsExport,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<{ readonly exported: number }> {
  const encrypter = createEncrypter(lock);
  return await withExistingDatabase(settings, async (database) => {
    const keyring = await requireKeyring(settings, database.reader);
    const commandOwner = await findCommandOwner(database.reader, owner);
    await requireStrong(lock, commandOwner);
    const { caller, scope, shown } = commandOwner;
    const { ownerId } = scope;
    const call = { caller, scope, origin: commandOrigin(), now: clock(), keyring };
    const header = { exportedAt: call.now, owner: shown };
    let exported = 0;
    await writeAtomically(file, force, async (handle) => {
      const total = await record(database, ownerId, (tx) => recordExport(tx, call));
      try {
        await database.snapshot(async (tx) => {
          const lines = writeSecrets(header, readSecrets(tx, keyring, ownerId), (count) => {
            exported = count;
            onProgress(count, total);
          });
          await handle.writeFile(await encrypt(encrypter, lines));
        });
      } catch (error) {
        if (!(error instanceof UnreadableVersionError)) throw error;
        await record(database, ownerId, (tx) => reportUnreadable(tx, call, error.secret, error.version));
        const advice = "what is stored was changed; delete that secret to export the others";
        throw new Failure("refused", `${error.message}: ${advice}`, "secret_unreadable");
      }
    });
    return { exported };
  });
}
