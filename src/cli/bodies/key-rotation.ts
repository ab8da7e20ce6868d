// `reeve keys rotate`: rewraps every data key under another master key, beside running servers. Each step is a transaction of
// its own, so the command may be killed at any point and run again: the store tells what is left to do.
import { keySources } from "../../serve/config/data-paths.ts";
import { withExistingDatabase } from "../../serve/open-database.ts";
import { backOff } from "./backoff.ts";
import { requireKeyring } from "../../serve/master-keys/start-keyring.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { Settings } from "../../serve/config/config.ts";
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Engine } from "../../platform/kernel/tx.ts";
import { addNewKey, readKeyFile } from "../../platform/keyring/key-file.ts";
import type { KeySources } from "../../platform/keyring/keyring.ts";
import { activateKey } from "../../serve/master-keys/activate.ts";
import { SEALED_VALUES, listKeyUse } from "../../serve/master-keys/key-use.ts";
import type { KeyUse } from "../../serve/master-keys/key-use.ts";
import { rewrapBatch } from "../../platform/keyring/sealing/rewrap.ts";
import type { SealedValueName, SealedValues } from "../../platform/keyring/sealing/sealed-values.ts";
import { actOnCommandLine } from "../../events/events/system.ts";
import type { Database } from "../../platform/store/database.ts";

/** The result of a rotation of the master keys. */
export interface Rotation {
  readonly activeKeyId: string;
  /** The key that was active before; null if the same one was. */
  readonly previousKeyId: string | null;
  readonly rewrapped: number;
  /** Values that do not open; they stay under their key. */
  readonly failed: readonly {
    readonly kind: string;
    readonly id: string;
    readonly version: number;
    readonly keyId: string;
  }[];
  /** Every key that the store needs now. */
  readonly keys: readonly KeyUse[];
}

function refuse(message: string): never {
  throw new Failure("refused", message);
}

/** Makes a new key if Reeve manages the key file itself; otherwise the operator has to. */
function makeKey(engine: Engine, { given, file, ownFile }: KeySources, active: string): string {
  if (given !== null) {
    refuse(
      "there is no other master key to change to: put a new one (`openssl rand -base64 32`) first in REEVE_MASTER_KEY of " +
        "every server, the present ones behind it, restart them all, and run this again with the same REEVE_MASTER_KEY",
    );
  }
  if (file !== null || !readKeyFile(ownFile)?.some(({ id }) => id === active)) {
    refuse(
      `there is no other master key to change to: put a new one (\`openssl rand -base64 32\`) first in ${file ?? ownFile} ` +
        "of every server, the present ones below it, and run this again",
    );
  }
  const { id } = addNewKey(ownFile);
  // Other servers on the database would respond 503 until they have the key, and this process cannot see their keyrings.
  if (engine === "postgres") {
    refuse(
      `made the master key ${id} in ${ownFile} and did not activate it yet, since every server on this database has to ` +
        "have it first: copy the file to the data directory of each, then run this again",
    );
  }
  return id;
}

/** The key to change to; the active one if a rotation only has to be finished. */
function chooseKey(
  engine: Engine,
  sources: KeySources,
  keyring: Keyring,
  uses: readonly KeyUse[],
  wanted: string | null,
): string {
  const present = keyring.keyIds();
  const [active, ...others] = uses;
  if (wanted !== null) {
    if (!present.includes(wanted)) refuse(`--to: the keyring has no key ${wanted}; it has ${present.join(", ")}`);
    return wanted;
  }
  if (!active) refuse("no master key is active yet: start a server first");
  const [preferred] = present;
  if (preferred !== undefined && preferred !== active.id) return preferred;
  return others.length > 0 ? active.id : makeKey(engine, sources, active.id);
}

type Failed = Rotation["failed"][number];

interface Pass {
  readonly rewrapped: number;
  readonly failed: readonly Failed[];
}

/** Rewraps once every value that is not under the active key; `onDone` receives the number of values of each batch. */
async function rewrapOnce(database: Database, keyring: Keyring, onDone: (values: number) => void): Promise<Pass> {
  const rewrap = (values: SealedValues, keyId: string, after: SealedValueName) =>
    database.transaction((tx) => rewrapBatch(tx, keyring, values, keyId, after));
  const failed: Failed[] = [];
  let rewrapped = 0;
  for (const values of SEALED_VALUES) {
    for (const keyId of await values.listKeys(database.reader)) {
      let after: SealedValueName | null = { id: "", version: 0 };
      while (after) {
        const startedAt = performance.now();
        const report = await rewrap(values, keyId, after);
        rewrapped += report.rewrapped;
        failed.push(...report.failed.map(({ id, version }) => ({ kind: values.kind, id, version, keyId })));
        onDone(report.rewrapped + report.failed.length);
        after = report.last;
        await backOff(database.engine, startedAt);
      }
    }
  }
  return { rewrapped, failed };
}

/** Repeats until a pass finds nothing that can be rewrapped: servers may write under the old key meanwhile. */
async function rewrapAll(
  database: Database,
  keyring: Keyring,
  total: number,
  onProgress: (done: number, total: number) => void,
): Promise<Pass> {
  let done = 0;
  let rewrapped = 0;
  for (;;) {
    const pass = await rewrapOnce(database, keyring, (values) => {
      done += values;
      onProgress(Math.min(done, total), total);
    });
    rewrapped += pass.rewrapped;
    if (pass.rewrapped === 0) return { rewrapped, failed: pass.failed };
  }
}

interface Choice {
  readonly keyring: Keyring;
  readonly activeKeyId: string;
  readonly previousKeyId: string | null;
  /** How many values are to be rewrapped. */
  readonly total: number;
}

/** Makes another key the active one, or the one named `to`. */
async function changeKey(settings: Settings, database: Database, to: string | null, clock: Clock): Promise<Choice> {
  return await database.transaction(async (tx) => {
    // The lock serialises changes of the key file: two at once would lose one of the new keys.
    await tx.lockOwner(INSTANCE_ID);
    const keyring = await requireKeyring(settings, tx);
    const before = await listKeyUse(tx);
    const activeKeyId = chooseKey(database.engine, keySources(settings), keyring, before, to);
    const previousKeyId = await activateKey(tx, actOnCommandLine(clock()), activeKeyId);
    const total = before.reduce((sum, { id, values }) => (id === activeKeyId ? sum : sum + values), 0);
    return { keyring, activeKeyId, previousKeyId, total };
  });
}

/** Activates another key, or the one named `to`, and rewraps everything with it. */
export async function rotateKeys(
  settings: Settings,
  to: string | null,
  onProgress: (done: number, total: number) => void,
  clock: Clock,
): Promise<Rotation> {
  return await withExistingDatabase(settings, async (database) => {
    const { keyring, activeKeyId, previousKeyId, total } = await changeKey(settings, database, to, clock);
    const { rewrapped, failed } = await rewrapAll(database, keyring, total, onProgress);
    return { activeKeyId, previousKeyId, rewrapped, failed, keys: await listKeyUse(database.reader) };
  });
}
