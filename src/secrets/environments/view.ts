// Environments and their entries in responses.
import type { Static } from "typebox";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findReferenced, stateOf } from "../secrets/references.ts";
import type { ReferencedSecret } from "../secrets/references.ts";
import type { Differences, Entry } from "./document-rules.ts";
import type { StoredSecret } from "./entry-secrets.ts";
import { isBuiltIn } from "./project.ts";
import type { EnvironmentRow } from "./store.ts";
import type { Environment } from "./environment-schema.ts";

export function publicEnvironment(
  project: string,
  name: string,
  row: EnvironmentRow | null,
): Static<typeof Environment> {
  return {
    project,
    name,
    isBuiltIn: isBuiltIn(name),
    inheritsFrom: row?.inheritsFrom ?? null,
    version: row?.version ?? 0,
    entryCount: row?.entryCount ?? 0,
    createdAt: row?.createdAt ?? null,
    updatedAt: row?.updatedAt ?? null,
  };
}

type ShownSecret = Pick<ReferencedSecret, "name" | "version" | "deletedAt" | "decryptable" | "expiresAt">;

/** What responses show of the secrets of entries. */
export interface SecretNames {
  readonly known: ReadonlyMap<string, ShownSecret>;
  /** The names of secrets that a dry run would create, by what stands for their ids. */
  readonly planned: ReadonlyMap<string, string>;
  readonly now: number;
}

/** Reads the secrets of the entries. */
export async function readSecretNames(
  tx: Tx,
  ownerId: string,
  entries: Iterable<Entry>,
  now: number,
  planned: ReadonlyMap<string, string> = new Map(),
): Promise<SecretNames> {
  const ids = new Set<string>();
  for (const { secret } of entries) if (secret !== undefined && !planned.has(secret)) ids.add(secret);
  return { known: await findReferenced(tx, ownerId, ids), planned, now };
}

/** The same after secrets were stored, by their ids or what stood for them. */
export function withStored({ known, now }: SecretNames, stored: ReadonlyMap<string, StoredSecret>): SecretNames {
  const shown = Array.from(stored.values(), ({ uid, name, version, expiresAt }): [string, ShownSecret] => [
    uid,
    { name, version, expiresAt, deletedAt: null, decryptable: 1 },
  ]);
  return { known: new Map([...known, ...shown]), planned: new Map(), now };
}

function publicSecret(id: string, { known, planned, now }: SecretNames) {
  const name = planned.get(id);
  if (name !== undefined) return { uid: null, name, version: null, state: "new" } as const;
  const secret = known.get(id);
  return { uid: id, name: secret?.name ?? null, version: secret?.version ?? null, state: stateOf(secret, now) };
}

/** An entry without its value. */
export function maskedEntry(key: string, { id, secret, isSensitive, comment }: Entry, names: SecretNames) {
  const about = { key, id, ...(isSensitive ? { isSensitive } : {}), comment: comment ?? null };
  return secret === undefined
    ? ({ ...about, kind: "value" } as const)
    : ({ ...about, kind: "secret", secret: publicSecret(secret, names) } as const);
}

/** An entry with its plain value. */
export function ownEntry(key: string, entry: Entry, names: SecretNames) {
  const { value, createdAt, updatedAt } = entry;
  return { ...maskedEntry(key, entry, names), ...(value === undefined ? {} : { value }), createdAt, updatedAt };
}

type Entries = ReadonlyMap<string, Entry>;

/** Differences without values. */
export function maskedDifferences(differences: Differences, before: Entries, after: Entries, names: SecretNames) {
  const of = (entries: Entries, key: string) => maskedEntry(key, entries.get(key) as Entry, names);
  return {
    added: differences.added.map((key) => of(after, key)),
    changed: differences.changed.map(({ key, changes }) => ({
      key,
      before: of(before, key),
      after: of(after, key),
      changes: [...changes],
    })),
    removed: differences.removed.map((key) => of(before, key)),
  };
}

/** The entries that differ, before and after: those whose secrets differences show. */
export function* differing(differences: Differences, before: Entries, after: Entries): Generator<Entry> {
  for (const key of [...differences.removed, ...differences.changed.map((one) => one.key)]) {
    yield before.get(key) as Entry;
  }
  for (const key of [...differences.added, ...differences.changed.map((one) => one.key)]) {
    yield after.get(key) as Entry;
  }
}
