// Secrets that are made for entries: values that a change stores as secrets.
import type { Tx } from "../../platform/kernel/tx.ts";
import { randomBase62 } from "../../platform/kernel/ids.ts";
import { addVersion } from "../secrets/change.ts";
import { requireRoom, storeSecret } from "../secrets/create.ts";
import { findSecret } from "../secrets/find.ts";
import { isFreeName } from "../secrets/names.ts";
import { decodeValue, nameKey } from "../secrets/rules.ts";
import { wiped } from "../secrets/value.ts";
import type { SetEntry } from "./change-input.ts";
import type { ChangeCall, ProjectState } from "./project.ts";

type SecretRow = NonNullable<Awaited<ReturnType<typeof findSecret>>>;

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
  /** The secret that gets a new version; null: it is to be made. */
  readonly row: SecretRow | null;
}

/**
 * A free name for the secret of an entry: readable, and no id. Keys of one change may differ in case alone, in which names of secrets
 * may not: `planned` are the keys of the names that the change gives to others.
 */
function freeName({ whole, isFree }: NameOfEntry, planned: ReadonlySet<string>): string {
  if (isFree && !planned.has(nameKey(whole))) return whole;
  return `${whole.slice(0, MAX_NAME_LENGTH)}.${randomBase62(SUFFIX_LENGTH)}`;
}

interface NameOfEntry {
  readonly whole: string;
  readonly isFree: boolean;
}

async function findName(
  tx: Tx,
  { ownerId, projectId }: ProjectState,
  { environment, key }: SetEntry,
): Promise<NameOfEntry> {
  const plain = `${projectId}.${environment}.${key}`;
  const whole = plain.toLowerCase().startsWith("sec_") ? `_${plain}` : plain;
  if (whole.length > MAX_NAME_LENGTH) return { whole, isFree: false };
  return { whole, isFree: await isFreeName(tx, ownerId, whole) };
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
): Promise<SecretRow | undefined> {
  const isSet = ({ environment, key }: Place) =>
    entries.some((entry) => entry.environment === environment && entry.key === key);
  for (const { environment, key } of entries) {
    const entry = state.environments.get(environment)?.content.entries.get(key);
    if (entry?.secret === undefined || !entry.isOwn) continue;
    const { secret } = entry;
    if (places.get(secret)?.some((place) => !isSet(place))) continue;
    const row = await findSecret(tx, state.ownerId, secret);
    if (row && row.decryptable === 1) return row;
  }
  return undefined;
}

/** The members of a secret that was stored for entries. Its value can be read. */
export interface StoredSecret {
  readonly uid: string;
  readonly name: string;
  readonly version: number;
  readonly expiresAt: number | null;
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
  // Together, because statements travel to PostgreSQL.
  const found = await Promise.all(
    Array.from(groups.values(), async (entries) => {
      const known = await findOwnSecret(tx, state, entries, places);
      return { entries, known, name: known ? undefined : await findName(tx, state, entries[0] as SetEntry) };
    }),
  );
  for (const { entries, known, name } of found) {
    const first = entries[0] as SetEntry;
    const value = first.secretValue as string;
    if (known !== undefined && !taken.has(known.id)) {
      taken.add(known.id);
      planned.push({ entries, value, id: known.id, newName: null, row: known });
    } else {
      const newName = freeName(name ?? (await findName(tx, state, first)), names);
      names.add(nameKey(newName));
      planned.push({ entries, value, id: `planned ${planned.length}`, newName, row: null });
    }
    // The size is the secret's to refuse, before anything is stored.
    decodeValue(value, "utf8", first.field).fill(0);
  }
  return planned;
}

/** Makes the secrets, or their new versions. Returns them by what the groups have as their ids. */
export async function storeSecrets(
  tx: Tx,
  call: ChangeCall,
  groups: readonly ValueGroup[],
): Promise<ReadonlyMap<string, StoredSecret>> {
  await requireRoom(tx, call, groups.filter(({ row }) => !row).length);
  const stored = new Map<string, StoredSecret>();
  for (const { entries, value, id, newName, row } of groups) {
    const { field } = entries[0] as SetEntry;
    await wiped(decodeValue(value, "utf8", field), async (bytes) => {
      const given = { bytes, encoding: "utf8" } as const;
      const secret = { name: newName ?? "", settings: { decryptable: true }, field, isOfEntry: true };
      stored.set(
        id,
        row
          ? await addVersion(tx, call, row, { ...given, restoredFrom: null })
          : await storeSecret(tx, call, secret, given),
      );
    });
  }
  return stored;
}
