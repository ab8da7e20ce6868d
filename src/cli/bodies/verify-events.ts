// `reeve events verify`: verifies every chain of the database in one snapshot, so that it works beside a running server.
import { readTrustedKeys, readKeptCheckpoints } from "./checkpoint-files.ts";
import { withExistingDatabase } from "../../serve/open-database.ts";
import { verifyStore } from "../../serve/verify-chains.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { ChainReport, Verification } from "../../platform/outcomes/chain-report.ts";
import type { Settings } from "../../serve/config/config.ts";
import type { Tx } from "../../platform/kernel/tx.ts";

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
