// Secrets that are made for entries: values that a change stores as secrets.
import type { Tx } from "../../platform/kernel/tx.ts";
import { randomBase62 } from "../../platform/kernel/ids.ts";
import { addVersion } from "../secrets/change.ts";
import { addSecret } from "../secrets/create.ts";
import { findSecret } from "../secrets/find.ts";
import { decodeValue, nameKey } from "../secrets/rules.ts";
import { wiped } from "../secrets/value.ts";
import type { SetEntry } from "./change-input.ts";
import type { ChangeCall, ProjectState } from "./project.ts";

const MAX_NAME_LENGTH = 90;
const SUFFIX_LENGTH = 8;

/** Entries of one key that a change sets to one value: they share a secret. */
export interface ValueGroup {
  readonly entries: readonly SetEntry[];
  readonly value: string;
  /** Of the secret, or what stands for it until it is made. */
  readonly id: string;
  /** The name of the secret that is to be made; null: it gets a new version. */
  readonly newName: string | null;
}

/**
 * A free name for the secret of an entry: readable, and no id. Keys of one change may differ in case alone, in which names of secrets
 * may not: `planned` are the keys of the names that the change gives to others.
 */
async function freeName(
  tx: Tx,
  { ownerId, projectId }: ProjectState,
  { environment, key }: SetEntry,
  planned: ReadonlySet<string>,
): Promise<string> {
  const plain = `${projectId}.${environment}.${key}`;
  const whole = plain.toLowerCase().startsWith("sec_") ? `_${plain}` : plain;
  const isShort = whole.length <= MAX_NAME_LENGTH;
  if (isShort && !planned.has(nameKey(whole)) && !(await findSecret(tx, ownerId, whole))) return whole;
  return `${whole.slice(0, MAX_NAME_LENGTH)}.${randomBase62(SUFFIX_LENGTH)}`;
}

interface Place {
  readonly environment: string;
  readonly key: string;
}

/** Where entries have a secret as their own, by its id. */
function placesOfOwn({ environments }: ProjectState): ReadonlyMap<string, readonly Place[]> {
  const places = new Map<string, Place[]>();
  for (const { name: environment, content } of environments.values()) {
    for (const [key, { secret, isOwn }] of content.entries) {
      if (secret === undefined || !isOwn) continue;
      const known = places.get(secret);
      if (known) known.push({ environment, key });
      else places.set(secret, [{ environment, key }]);
    }
  }
  return places;
}

/**
 * The secret that was made for the entries of a group and that no other entry of the project has as its own: a new value of it changes
 * no other.
 */
async function findOwnSecret(
  tx: Tx,
  state: ProjectState,
  entries: readonly SetEntry[],
  places: ReadonlyMap<string, readonly Place[]>,
): Promise<string | undefined> {
  const isSet = ({ environment, key }: Place) =>
    entries.some((entry) => entry.environment === environment && entry.key === key);
  for (const { environment, key } of entries) {
    const entry = state.environments.get(environment)?.content.entries.get(key);
    if (entry?.secret === undefined || !entry.isOwn) continue;
    const { secret } = entry;
    if (places.get(secret)?.some((place) => !isSet(place))) continue;
    const row = await findSecret(tx, state.ownerId, secret);
    if (row && row.decryptable === 1) return secret;
  }
  return undefined;
}

/** Plans the secrets of the values that a change stores as such. */
export async function planSecrets(tx: Tx, state: ProjectState, set: readonly SetEntry[]): Promise<ValueGroup[]> {
  const groups = Map.groupBy(
    set.filter((entry) => entry.secretValue !== undefined),
    ({ key, secretValue }) => `${key}=${secretValue}`,
  );
  const planned: ValueGroup[] = [];
  const taken = new Set<string>();
  const names = new Set<string>();
  const places = placesOfOwn(state);
  for (const entries of groups.values()) {
    const first = entries[0] as SetEntry;
    const value = first.secretValue as string;
    const known = await findOwnSecret(tx, state, entries, places);
    if (known !== undefined && !taken.has(known)) {
      taken.add(known);
      planned.push({ entries, value, id: known, newName: null });
    } else {
      const newName = await freeName(tx, state, first, names);
      names.add(nameKey(newName));
      planned.push({ entries, value, id: `planned ${planned.length}`, newName });
    }
    // The size is the secret's to refuse, before anything is stored.
    decodeValue(value, "utf8", first.field).fill(0);
  }
  return planned;
}

/** Makes the secrets, or their new versions. Returns the ids of made secrets by what stood for them. */
export async function storeSecrets(
  tx: Tx,
  call: ChangeCall,
  groups: readonly ValueGroup[],
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const { entries, value, id, newName } of groups) {
    const { field } = entries[0] as SetEntry;
    await wiped(decodeValue(value, "utf8", field), async (bytes) => {
      if (newName !== null) {
        const settings = { decryptable: true };
        const isOfEntry = true;
        const secret = await addSecret(
          tx,
          call,
          { name: newName, settings, field, isOfEntry },
          { bytes, encoding: "utf8" },
        );
        made.set(id, secret.uid);
        return;
      }
      const row = await findSecret(tx, call.scope.ownerId, id);
      if (!row) throw new Error(`no secret ${id} after it was found`);
      await addVersion(tx, call, row, { bytes, encoding: "utf8", restoredFrom: null });
    });
  }
  return made;
}
