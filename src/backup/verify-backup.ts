// `reeve restore --verify`: a backup is made a store of, at a place where nobody looks, and everything in it is checked that
// can be. What this finds is what a restore would bring back.
import { setImmediate } from "node:timers/promises";
import { Failure } from "../cli/failure.ts";
import type { ShowProgress } from "../cli/progress.ts";
import type { BackupReport } from "../cli/reeve.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import { neededKeys } from "../resources/master-keys/key-use.ts";
import { openAll } from "../resources/master-keys/open-all.ts";
import { missingKeys } from "../resources/master-keys/start.ts";
import { SCHEMA_VERSION } from "../store/migrations/migrate.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import { countRows } from "./backup.ts";
import { withTemporaryStagedDatabase } from "./staged-database.ts";
import type { StagedDatabase } from "./staged-database.ts";
import { findKeyring } from "../server/master-keys.ts";
import { verifyStore } from "../commands/verify-events.ts";

/** Reads as `tx` does, with turns of the event loop in between: the embedded store leaves none, and signals are heard there. */
function takingTurns(tx: Tx): Tx {
  return {
    engine: tx.engine,
    one: (...of) => tx.one(...of),
    async many(...of) {
      await setImmediate();
      return await tx.many(...of);
    },
    run: (...of) => tx.run(...of),
  };
}

type Found = Pick<BackupReport, "rows" | "chains" | "sealed" | "missingKeys">;

async function lookThrough(settings: Settings, { path }: StagedDatabase, onProgress: ShowProgress): Promise<Found> {
  const keyring = findKeyring(settings);
  const database = openSqlite(path, "still");
  try {
    return await database.snapshot(async (snapshot) => {
      const tx = takingTurns(snapshot);
      return {
        rows: await countRows(snapshot, SCHEMA_VERSION),
        chains: await verifyStore(settings, tx, { given: [], kept: [], onProgress }),
        sealed: keyring ? await openAll(tx, keyring) : null,
        missingKeys: keyring ? await missingKeys(tx, keyring) : await neededKeys(tx),
      };
    });
  } finally {
    await database.close();
  }
}

export async function verifyBackup(
  settings: Settings,
  file: string,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<BackupReport> {
  try {
    return await withTemporaryStagedDatabase(file, onProgress, clock(), async (candidate) => {
      const { kind, schemaVersion } = candidate;
      return { file, kind, schemaVersion, damage: null, ...(await lookThrough(settings, candidate, onProgress)) };
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "archive_damaged") throw error;
    const nothing = { kind: null, schemaVersion: null, rows: null, chains: null, sealed: null, missingKeys: [] };
    return { file, damage: error.message, ...nothing };
  }
}
