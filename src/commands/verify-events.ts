// `reeve events verify`: verifies every chain of the database in one snapshot, so that it works beside a running server.
import type { KeyObject } from "node:crypto";
import { readTrustedKeys, readKeptCheckpoints } from "./checkpoint-files.ts";
import { withExistingDatabase } from "../server/open-database.ts";
import { findKeyring } from "../server/master-keys.ts";
import type { ShowProgress } from "../cli/progress.ts";
import type { ChainReport, TrustedKey, Verification } from "../cli/reeve.ts";
import type { Settings } from "../config/config.ts";
import type { Tx } from "../kernel/tx.ts";
import type { EventCheckpoint } from "../resources/events/checkpoint-schema.ts";
import { describeKey, readStoreKeys, trustKeys, trustStoreKeys } from "../resources/checkpoints/trust.ts";
import { verifyChains } from "../resources/events/verify/verify.ts";

interface Given {
  readonly given: readonly KeyObject[];
  readonly kept: readonly EventCheckpoint[];
  readonly onProgress: ShowProgress;
}

/** Verifies the chains of a store, or of a copy of one. */
export async function verifyStore(
  settings: Settings,
  tx: Tx,
  { given, kept, onProgress }: Given,
): Promise<ChainReport> {
  const stored = await readStoreKeys(tx, findKeyring(settings));
  const isGiven = given.length > 0;
  const trust = isGiven ? trustKeys(given, "not the key given with --public-key") : trustStoreKeys(stored);
  const keys: readonly TrustedKey[] = isGiven
    ? given.map((key) => ({ ...describeKey(key), trust: "given" }))
    : stored.flatMap(({ publicKey, status }) =>
        status === "wrong" ? [] : [{ ...describeKey(publicKey), trust: status }],
      );
  return { ...(await verifyChains(tx, { trust, kept, onProgress })), keys };
}

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
