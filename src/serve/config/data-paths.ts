// The locations of an instance's data, according to its settings.
import { join } from "node:path";
import type { Settings } from "./config.ts";
import type { KeySources } from "../../platform/keyring/keyring.ts";

const OWN_KEY_FILE = "master.key";

/** The file of the embedded store. */
export function sqliteFile({ dataDir }: Settings): string {
  return join(dataDir, "reeve.db");
}

/** The sources of master keys. */
export function keySources({ masterKey, masterKeyFile, dataDir }: Settings): KeySources {
  return { given: masterKey, file: masterKeyFile, ownFile: join(dataDir, OWN_KEY_FILE) };
}

/** The data's location for people: the folder, or the database's address without its password. */
export function describeData({ databaseUrl, dataDir }: Settings): string {
  if (databaseUrl === null) return dataDir;
  // Up to the last `@`: no part of a password may show, however it was written.
  const [, scheme = "", login, address = ""] = /^(\w+:\/\/)(?:(.*)@)?([^?]*)/s.exec(databaseUrl) ?? [];
  return `${scheme}${login === undefined ? "" : `${login.split(":")[0]}@`}${address}`;
}
