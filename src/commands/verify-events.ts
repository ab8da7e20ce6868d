// `reeve events verify`: verifies every chain of the database in one snapshot, so that it works beside a running server.
import { readTrustedKeys, readKeptCheckpoints } from "./checkpoint-files.ts";
import { withExistingDatabase } from "../server/open-database.ts";
import { verifyStore } from "../server/verify-chains.ts";
import type { ShowProgress } from "../outcomes/progress.ts";
import type { ChainReport, Verification } from "../outcomes/chain-report.ts";
import type { Settings } from "../config/config.ts";
import type { Tx } from "../kernel/tx.ts";

const UNCHECKED: Verification = { publicKeys: [], checkpoints: null };

export async function verifyEvents(
  settings: Settings,
  { publicKeys, checkpoints }: Verification = UNCHECKED,
  onProgress: ShowProgress = () => undefined,
): Promise<ChainReport> {
  const given = await readTrustedKeys(publicKeys);
  const kept = checkpoints === null ? [] : await readKeptCheckpoints(checkpoints);
  const read = (tx: Tx) => verifyStore(settings, tx, { given, kept, onProgress });
  return await withExistingDatabase(settings, (database) => database.snapshot(read), { mode: "read" });
}
