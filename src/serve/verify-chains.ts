// Verifies the event chains of a store, or of a copy of one.
import type { KeyObject } from "node:crypto";
import type { Settings } from "./config/config.ts";
import type { Tx } from "../platform/kernel/tx.ts";
import type { ChainReport, TrustedKey } from "../platform/outcomes/chain-report.ts";
import type { ShowProgress } from "../platform/outcomes/progress.ts";
import { describeKey, readStoreKeys, trustKeys, trustStoreKeys } from "../events/checkpoints/trust.ts";
import type { EventCheckpoint } from "../events/events/checkpoint-schema.ts";
import { verifyChains } from "../events/events/verify/verify.ts";
import { findKeyring } from "./master-keys/start-keyring.ts";

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
