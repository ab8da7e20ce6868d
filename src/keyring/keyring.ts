// The master keys of this process, from the settings and from files.
import type { KeyObject } from "node:crypto";
import { MissingKeyError } from "../kernel/keyring.ts";
import type { Keyring } from "../kernel/keyring.ts";
import { openEnvelope, rewrapKey, sealEnvelope } from "./envelope.ts";
import { readKeyFile } from "./key-file.ts";
import { KeyringError, parseMasterKey } from "./master-key.ts";
import type { MasterKey } from "./master-key.ts";

/** Where master keys come from, in the order of preference. Plain data, so that it can cross a thread. */
export interface KeySources {
  /** Keys themselves, separated by commas. */
  readonly given: string | null;
  /** A file that the operator keeps; it must exist. */
  readonly file: string | null;
  /** The file that Reeve keeps itself where nothing else was given; it may be missing. */
  readonly ownFile: string;
}

/** The keys of a text of the settings. */
export function parseGivenKeys(text: string, source: string): readonly MasterKey[] {
  return text.split(",").map((part) => parseMasterKey(part.trim(), source));
}

function readSources({ given, file, ownFile }: KeySources): ReadonlyMap<string, KeyObject> {
  const fromFile = file === null ? [] : readKeyFile(file);
  if (!fromFile) throw new KeyringError(`REEVE_MASTER_KEY_FILE: there is no file ${file}`);
  const all = [
    ...(given === null ? [] : parseGivenKeys(given, "REEVE_MASTER_KEY")),
    ...fromFile,
    ...(readKeyFile(ownFile) ?? []),
  ];
  return new Map(all.map(({ id, key }) => [id, key]));
}

/** Reads the keys; throws a KeyringError when one of the sources can't be used. */
export function openKeyring(sources: KeySources): Keyring {
  let keys = readSources(sources);

  /** A key that was added to a file since is found there. */
  function getKey(id: string): KeyObject {
    const known = keys.get(id);
    if (known) return known;
    keys = readSources(sources);
    const added = keys.get(id);
    if (!added) throw new MissingKeyError(id);
    return added;
  }

  return {
    keyIds: () => [...keys.keys()],
    seal: (plaintext, context, keyId) => ({ ...sealEnvelope(getKey(keyId), plaintext, context), keyId }),
    unseal: (sealed, context) => openEnvelope(getKey(sealed.keyId), sealed, context),
    rewrap: ({ wrappedKey, keyId }, context, toId) => ({
      wrappedKey: rewrapKey(getKey(keyId), getKey(toId), wrappedKey, context),
      keyId: toId,
    }),
  };
}
