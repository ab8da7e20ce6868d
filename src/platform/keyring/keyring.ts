// The master keys of this process, from the settings and from files.
import type { KeyObject } from "node:crypto";
import { MissingKeyError } from "../kernel/keyring.ts";
import type { Keyring } from "../kernel/keyring.ts";
import { deriveKey, openEnvelope, rewrapKey, sealEnvelope } from "./envelope.ts";
import { readKeyFile } from "./key-file.ts";
import { KeyringError, parseMasterKey } from "./master-key.ts";
import type { MasterKey } from "./master-key.ts";
import { SealedCache } from "./sealed-cache.ts";

/** The sources of master keys, in the order of preference. Plain data, so that it can be posted to a thread. */
export interface KeySources {
  /** The keys themselves, separated by commas. */
  readonly given: string | null;
  /** A file of the operator; it must exist. */
  readonly file: string | null;
  /** Reeve's own file, used when neither of the other two is set; it may be missing. */
  readonly ownFile: string;
}

/** The keys of the setting `masterKey`. */
export function parseGivenKeys(text: string, source: string): readonly MasterKey[] {
  return text.split(",").map((part) => parseMasterKey(part.trim(), source));
}

export interface LocatedKey extends MasterKey {
  /** The setting or the file that holds it. */
  readonly source: string;
}

/** Every key of every source, in the order of preference; throws a KeyringError when a source can't be used. */
export function readSources({ given, file, ownFile }: KeySources): readonly LocatedKey[] {
  const fromFile = file === null ? [] : readKeyFile(file);
  if (!fromFile) throw new KeyringError(`REEVE_MASTER_KEY_FILE: there is no file ${file}`);
  if (file !== null && fromFile.length === 0) throw new KeyringError(`REEVE_MASTER_KEY_FILE: ${file} holds no key`);
  const locate = (keys: readonly MasterKey[], source: string) => keys.map((key) => ({ ...key, source }));
  return [
    ...locate(given === null ? [] : parseGivenKeys(given, "REEVE_MASTER_KEY"), "REEVE_MASTER_KEY"),
    ...locate(fromFile, file ?? ""),
    ...locate(readKeyFile(ownFile) ?? [], ownFile),
  ];
}

function keysById(sources: KeySources): ReadonlyMap<string, KeyObject> {
  return new Map(readSources(sources).map(({ id, key }) => [id, key]));
}

/** Reads the keys; throws a KeyringError when one of the sources can't be used. */
export function openKeyring(sources: KeySources): Keyring {
  let keys = keysById(sources);
  const cache = new SealedCache();

  /** Reads the sources again; an invalid file, which somebody may be editing, leaves the keys as they are. */
  function refresh(): void {
    try {
      keys = keysById(sources);
    } catch (error) {
      if (!(error instanceof KeyringError)) throw error;
    }
  }

  /** Finds keys that were added to a file since, too. */
  function getKey(id: string): KeyObject {
    if (!keys.has(id)) refresh();
    const key = keys.get(id);
    if (!key) throw new MissingKeyError(id);
    return key;
  }

  return {
    keyIds: () => [...keys.keys()],
    seal: (plaintext, context, keyId) => ({ ...sealEnvelope(getKey(keyId), plaintext, context), keyId }),
    unseal: (sealed, context) => openEnvelope(getKey(sealed.keyId), sealed, context),
    recall: (name) => cache.get(name),
    remember: (name, plaintext) => cache.set(name, plaintext),
    derive: (keyId, context) => deriveKey(getKey(keyId), context),
    rewrap: ({ wrappedKey, keyId }, context, toId) => ({
      wrappedKey: rewrapKey(getKey(keyId), getKey(toId), wrappedKey, context),
      keyId: toId,
    }),
  };
}
