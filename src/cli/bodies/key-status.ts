// `reeve keys status` and `reeve keys retire`: the master keys that the store needs, and those that this keyring has.
import { keySources } from "../../serve/config/data-paths.ts";
import { withExistingDatabase } from "../../serve/open-database.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { Settings } from "../../serve/config/config.ts";
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { setKeyAside } from "../../platform/keyring/key-file.ts";
import { readSources } from "../../platform/keyring/keyring.ts";
import type { KeySources } from "../../platform/keyring/keyring.ts";
import { countValues, neededKeys } from "../../serve/master-keys/key-use.ts";
import { activatedAt, activeKeyId } from "../../platform/keyring/sealing/active-key.ts";
import type { KeyUse } from "../../serve/master-keys/key-use.ts";

export interface KeyStatus extends KeyUse {
  readonly active: boolean;
  /** Settings and files that hold the key; none when this keyring lacks it. */
  readonly sources: readonly string[];
}

export interface KeyRetirement {
  readonly id: string;
  /** The file that it was removed from. */
  readonly removedFrom: string | null;
  /** The file where it is kept for backups that need it. */
  readonly keptIn: string | null;
  /** When the active key took its place, ms: backups from before need it. Null: no key is active. */
  readonly since: number | null;
  /** Settings and files of the operator that still hold it. */
  readonly remainsIn: readonly string[];
}

/** Is told when the active key took the place of the one to retire, and rejects to keep that. */
export type ApproveRetirement = (retiring: Pick<KeyRetirement, "since">) => Promise<void>;

/** Every key that the store needs or the keyring has, the active one first. */
export async function describeKeys(tx: Tx, sources: KeySources): Promise<readonly KeyStatus[]> {
  const located = readSources(sources);
  const active = await activeKeyId(tx);
  const ids = new Set([...(await neededKeys(tx)), ...located.map(({ id }) => id)]);
  const keys: KeyStatus[] = [];
  for (const id of ids) {
    keys.push({
      id,
      active: id === active,
      values: await countValues(tx, id),
      sources: located.filter((key) => key.id === id).map(({ source }) => source),
    });
  }
  return keys;
}

export async function listKeys(settings: Settings): Promise<readonly KeyStatus[]> {
  return await withExistingDatabase(settings, ({ reader }) => describeKeys(reader, keySources(settings)));
}

/** The key, where it may be retired; throws a Failure that says why not. */
async function requireRetirable(tx: Tx, sources: KeySources, id: string): Promise<KeyStatus> {
  const key = (await describeKeys(tx, sources)).find((candidate) => candidate.id === id);
  if (!key) throw new Failure("absent", `the keyring has no key ${id}; \`reeve keys status\` shows the keys`);
  if (key.active) {
    throw new Failure("refused", `${id} is the active master key: \`reeve keys rotate\` changes to another one first`);
  }
  if (key.values > 0) {
    throw new Failure(
      "refused",
      `${key.values} stored values still need the master key ${id}: \`reeve keys rotate\` brings them under the active one`,
    );
  }
  return key;
}

/** Takes a key that nothing needs out of Reeve's own file and keeps it aside, or says where the operator may remove it. */
export async function retireKey(settings: Settings, id: string, approve: ApproveRetirement): Promise<KeyRetirement> {
  const sources = keySources(settings);
  return await withExistingDatabase(settings, async (database) => {
    await requireRetirable(database.reader, sources, id);
    const since = await activatedAt(database.reader);
    // A person answers before the lock is taken: others wait for that.
    await approve({ since });
    return await database.transaction(async (tx) => {
      // The lock keeps others from activating it meanwhile.
      await tx.lockOwner(INSTANCE_ID);
      const key = await requireRetirable(tx, sources, id);
      const keptIn = setKeyAside(sources.ownFile, id);
      return {
        id,
        removedFrom: keptIn === null ? null : sources.ownFile,
        keptIn,
        since,
        remainsIn: key.sources.filter((source) => source !== sources.ownFile),
      };
    });
  });
}
