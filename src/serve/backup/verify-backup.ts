// `reeve restore --verify`: restores a backup into a temporary folder and verifies everything in it: the file, the event
// chains, the checkpoints and the sealed values.
import { setImmediate } from "node:timers/promises";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { missingKeys, neededKeys } from "../master-keys/key-use.ts";
import { openAll } from "../master-keys/open-all.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { openSqlite } from "../../platform/store/sqlite/sqlite.ts";
import { countRows } from "./backup.ts";
import { withTemporaryStagedDatabase } from "./staged-database.ts";
import type { BackupKind, StagedDatabase } from "./staged-database.ts";
import { findKeyring } from "../master-keys/start-keyring.ts";
import { verifyStore } from "../verify-chains.ts";
import type { ChainReport } from "../../platform/outcomes/chain-report.ts";

/** The result of verifying a backup. */
export interface BackupReport {
  readonly file: string;
  readonly kind: BackupKind | null;
  readonly schemaVersion: number | null;
  readonly rows: number | null;
  /** The damage of the file itself; null: none. The fields below are null if it cannot be read. */
  readonly damage: string | null;
  readonly chains: ChainReport | null;
  /** Sealed values by whether the master keys of this machine open them. */
  readonly sealed: { readonly opened: number; readonly unreadable: number; readonly withoutKey: number } | null;
  readonly missingKeys: readonly string[];
}

/** Reads like `tx`, but yields to the event loop in between, so that signals are handled: the embedded store reads without a pause. */
function takingTurns(tx: Tx): Tx {
  return {
    engine: tx.engine,
    one: (...of) => tx.one(...of),
    async many(...of) {
      await setImmediate();
      return await tx.many(...of);
    },
    run: (...of) => tx.run(...of),
    write: (...of) => tx.write(...of),
  };
}

type Found = Pick<BackupReport, "rows" | "chains" | "sealed" | "missingKeys">;

async function verifyContent(settings: Settings, { path }: StagedDatabase, onProgress: ShowProgress): Promise<Found> {
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
    return await withTemporaryStagedDatabase(file, onProgress, clock(), async (staged) => {
      const { kind, schemaVersion } = staged;
      return { file, kind, schemaVersion, damage: null, ...(await verifyContent(settings, staged, onProgress)) };
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "archive_damaged") throw error;
    const nothing = { kind: null, schemaVersion: null, rows: null, chains: null, sealed: null, missingKeys: [] };
    return { file, damage: error.message, ...nothing };
  }
}
