// Prepares the keyring of a starting process: reads it from the settings, makes a key on the very first start, and compares it
// with the store, so that no server runs with only some of the needed keys.
import type { Settings } from "../config/config.ts";
import { keySources } from "../config/data-paths.ts";
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { addNewKey } from "../../platform/keyring/key-file.ts";
import { openKeyring } from "../../platform/keyring/keyring.ts";
import type { KeySources } from "../../platform/keyring/keyring.ts";
import { KeyringError } from "../../platform/keyring/master-key.ts";
import { neededKeys } from "./key-use.ts";
import { activateFirstKey, activeKeyId } from "../../platform/keyring/sealing/active-key.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { Database } from "../../platform/store/database.ts";

/** The master keys of this machine, or null where none can be read: backups can be inspected without them. */
export function findKeyring(settings: Settings): Keyring | null {
  try {
    return openKeyring(keySources(settings));
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

export interface PreparedKeyring {
  readonly keyring: Keyring;
  /** The file of the master key that this call made. */
  readonly newKeyFile: string | null;
}

/** Describes the possible sources of a key, for an error message. */
function describeSources({ file, ownFile }: KeySources): string {
  return ["REEVE_MASTER_KEY", file === null ? "REEVE_MASTER_KEY_FILE" : file, ownFile].join(", ");
}

/**
 * Opens the keyring; throws a KeyringError when it lacks a key that the store needs. The store is asked first: a server that makes the
 * first key writes its file before the store names it.
 */
async function openComplete(tx: Tx, sources: KeySources): Promise<Keyring> {
  const needed = await neededKeys(tx);
  const keyring = openKeyring(sources);
  const ids = keyring.keyIds();
  const missing = needed.filter((id) => !ids.includes(id));
  if (missing.length === 0) return keyring;
  const present = ids.length === 0 ? "has no key" : `has ${ids.join(", ")}`;
  throw new KeyringError(
    `the store is sealed with the master key ${missing.join(" and ")}, which the keyring lacks ` +
      `(${describeSources(sources)}; it ${present}): put that key back, from your backup or from another server`,
  );
}

/** Opens the keyring for an existing store; throws a KeyringError when it lacks a key. */
export async function requireKeyring(settings: Settings, tx: Tx): Promise<Keyring> {
  return await openComplete(tx, keySources(settings));
}

/** Opens the keyring for a starting server; makes a key when neither the store nor the settings have one. */
export async function prepareKeyring(settings: Settings, database: Database, now: number): Promise<PreparedKeyring> {
  const sources = keySources(settings);
  return await database.transaction(async (tx) => {
    // When several servers start on an empty store together, one makes the key, and the others fail because they lack it.
    await tx.lockOwner(INSTANCE_ID);
    const isFirstStart = (await activeKeyId(tx)) === null;
    if (isFirstStart) await activateFirstKey(tx, firstKeyId(sources), now);
    const keyring = await openComplete(tx, sources);
    const isOwn = sources.given === null && sources.file === null;
    return { keyring, newKeyFile: isFirstStart && isOwn ? sources.ownFile : null };
  });
}

/** The first active key: the preferred one of the settings, or one in a file that an earlier start left, or a new one. */
function firstKeyId(sources: KeySources): string {
  return openKeyring(sources).keyIds()[0] ?? addNewKey(sources.ownFile).id;
}
