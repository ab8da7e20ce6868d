// `reeve keys status` and `reeve keys retire`: the master keys that the store needs, and those that this keyring has.
import { keySources } from "../config/data-paths.ts";
import { withExistingDatabase } from "../server/open-database.ts";
import { Failure } from "../cli/failure.ts";
import type { KeyRetirement, KeyStatus } from "../cli/reeve.ts";
import type { Settings } from "../config/config.ts";
import { INSTANCE_ID } from "../kernel/caller.ts";
import type { Tx } from "../kernel/tx.ts";
import { removeKey } from "../keyring/key-file.ts";
import { readSources } from "../keyring/keyring.ts";
import type { KeySources } from "../keyring/keyring.ts";
import { countValues, neededKeys } from "../resources/key-use/key-use.ts";
import { activeKeyId } from "../resources/master-keys/active-key.ts";

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

/** Removes a key that nothing needs from Reeve's own file, or says where the operator may remove it. */
export async function retireKey(settings: Settings, id: string): Promise<KeyRetirement> {
  const sources = keySources(settings);
  return await withExistingDatabase(settings, (database) =>
    database.transaction(async (tx) => {
      // The lock keeps others from activating it meanwhile.
      await tx.lockOwner(INSTANCE_ID);
      const key = (await describeKeys(tx, sources)).find((candidate) => candidate.id === id);
      if (!key) throw new Failure("refused", `the keyring has no key ${id}; \`reeve keys status\` shows the keys`);
      if (key.active) {
        throw new Failure(
          "refused",
          `${id} is the active master key: \`reeve keys rotate\` changes to another one first`,
        );
      }
      if (key.values > 0) {
        throw new Failure(
          "refused",
          `${key.values} stored values still need the master key ${id}: \`reeve keys rotate\` brings them under the active one`,
        );
      }
      const isRemoved = removeKey(sources.ownFile, id);
      return {
        id,
        removedFrom: isRemoved ? sources.ownFile : null,
        remainsIn: key.sources.filter((source) => source !== sources.ownFile),
      };
    }),
  );
}
