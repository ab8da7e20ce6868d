// `reeve events checkpoint`: signs the newest event of each chain, in batches beside running servers, and writes the
// checkpoints to a file that is kept elsewhere.
import { withExistingDatabase } from "../../serve/open-database.ts";
import { findCommandOwner } from "../../serve/command-owner.ts";
import { backOff } from "./backoff.ts";
import { requireKeyring } from "../../serve/master-keys/start-keyring.ts";
import { writeAtomically } from "../../serve/backup/atomic-file.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { Settings } from "../../serve/config/config.ts";
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { EventCheckpoint } from "../../events/events/checkpoint-schema.ts";
import { checkpointHead, checkpointUnsigned, countUnsignedHeads, readNewest } from "../../events/checkpoints/make.ts";
import { getSigningKey, replaceSigningKey } from "../../events/checkpoints/signing-key.ts";
import { describeKey } from "../../events/checkpoints/trust.ts";
import { actOnCommandLine } from "../../events/events/system.ts";
import type { Database } from "../../platform/store/database.ts";
import type { OwnerReference } from "../../serve/command-owner.ts";

export interface CheckpointRequest {
  /** The owner of the chain; null: all chains. */
  readonly owner: OwnerReference | null;
  /** A file for the newest checkpoint of each chain, one to a line. */
  readonly file: string | null;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** Signs with a new key from now on. */
  readonly newKey: boolean;
}

export interface CheckpointsMade {
  /** How many chains had no checkpoint of their newest event by the signing key. */
  readonly made: number;
  readonly key: { readonly id: string; readonly publicKey: string };
  /** How many checkpoints were written to the file. */
  readonly written: number;
}

interface Signing {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** The checkpoint of one chain's newest event; null for a chain without events. */
async function signOne({ database, keyring, clock }: Signing, ownerId: string) {
  return await database.transaction(async (tx) => {
    await tx.lockOwner(ownerId);
    return await checkpointHead(tx, keyring, ownerId, clock());
  });
}

/** Signs the newest event of every chain; returns how many had no checkpoint. */
async function signAll(signing: Signing, onProgress: ShowProgress): Promise<number> {
  const { database, keyring, clock } = signing;
  let made = (await signOne(signing, INSTANCE_ID))?.isNew ? 1 : 0;
  const { id } = await database.transaction((tx) => getSigningKey(tx, keyring, clock()));
  const total = made + (await countUnsignedHeads(database.reader, id));
  let afterId: string | null = "";
  while (afterId !== null) {
    const startedAt = performance.now();
    const from: string = afterId;
    const step = await database.transaction((tx) => checkpointUnsigned(tx, keyring, from, clock()));
    made += step.made;
    afterId = step.lastId;
    onProgress(Math.min(made, total), total);
    await backOff(database.engine, startedAt);
  }
  return made;
}

async function writeLines(
  checkpoints: Iterable<EventCheckpoint> | AsyncIterable<EventCheckpoint>,
  file: string,
  force: boolean,
): Promise<number> {
  let written = 0;
  async function* lines() {
    for await (const checkpoint of checkpoints) {
      yield `${JSON.stringify(checkpoint)}\n`;
      written++;
    }
  }
  await writeAtomically(file, force, async (handle) => await handle.writeFile(lines()));
  return written;
}

export async function checkpointEvents(
  settings: Settings,
  { owner, file, force, newKey }: CheckpointRequest,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<CheckpointsMade> {
  return await withExistingDatabase(settings, async (database) => {
    const signing = { database, clock, keyring: await requireKeyring(settings, database.reader) };
    const { keyring } = signing;
    const ownerId = owner && (await findCommandOwner(database.reader, owner)).scope.ownerId;
    if (newKey) await database.transaction((tx) => replaceSigningKey(tx, keyring, actOnCommandLine(clock())));
    const key = describeKey((await database.transaction((tx) => getSigningKey(tx, keyring, clock()))).publicKey);
    if (ownerId === null) {
      const made = await signAll(signing, onProgress);
      const write = (path: string) => database.snapshot((tx) => writeLines(readNewest(tx), path, force));
      return { made, key, written: file === null ? 0 : await write(file) };
    }
    const one = await signOne(signing, ownerId);
    if (!one) throw new Error(`there are no events of ${ownerId}`);
    const written = file === null ? 0 : await writeLines([one.checkpoint], file, force);
    return { made: one.isNew ? 1 : 0, key, written };
  });
}
