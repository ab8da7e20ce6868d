// Reads the values of an environment, all or none, and records that.
import type { Call } from "../../../platform/kernel/contract.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import { isWithin } from "../../../platform/kernel/limits.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { findReferenced, openReferenced, stateOf } from "../../secrets/references.ts";
import type { ReferencedSecret } from "../../secrets/references.ts";
import { resolveEntries } from "../document-rules.ts";
import type { Entry, Resolved } from "../document-rules.ts";
import { loadLine } from "../project.ts";
import type { Environment } from "../project.ts";

type ReadCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "keyring">;
export type Secrets = ReadonlyMap<string, ReferencedSecret>;

/** An entry that keeps the values from being complete. */
interface Missing {
  readonly key: string;
  readonly secret: string | null;
  readonly reason: string;
}

/** An entry whose value is read. */
interface Chosen {
  readonly key: string;
  readonly entry: Entry;
}

/** The entries of an environment whose values can be read. */
export interface Readable {
  readonly project: string;
  readonly environment: string;
  readonly version: number;
  /** The environment and those that it inherits from. */
  readonly line: readonly Environment[];
  readonly chosen: readonly Resolved[];
  readonly secrets: Secrets;
}

const REASONS: Readonly<Record<string, string>> = {
  no_entry: "there is no such entry",
  missing: "its secret was destroyed",
  deleted: "its secret is deleted",
  not_decryptable: "its secret is not decryptable",
  expired: "its secret has expired",
};

/** The entries whose secret cannot be read now. */
export function unreadableOf(chosen: readonly Chosen[], secrets: Secrets, now: number): Missing[] {
  return chosen.flatMap(({ key, entry }): Missing[] => {
    if (entry.secret === undefined) return [];
    const secret = secrets.get(entry.secret);
    const reason = stateOf(secret, now);
    return reason === "ready" ? [] : [{ key, secret: secret?.name ?? null, reason }];
  });
}

/** Throws when values of the entries cannot be read, and names each. */
export function refuseMissing(what: string, missing: readonly Missing[]): void {
  if (missing.length === 0) return;
  const told = missing.slice(0, 10).map(({ key, reason }) => `${key} (${REASONS[reason]})`);
  const more = missing.length > told.length ? ` and ${missing.length - told.length} more` : "";
  const restore = missing.some(({ reason }) => reason === "deleted")
    ? "; POST /v2/secrets/{name}/restore brings a deleted secret back"
    : "";
  throw new ApiError("environment_incomplete", `${what}: ${told.join(", ")}${more}${restore}`, { entries: missing });
}

/** Finds the entries that apply in an environment, of `names` alone unless it is null. Throws when one cannot be read. */
export async function findReadable(
  tx: Tx,
  { scope: { ownerId }, caller, now }: Pick<Call, "scope" | "caller" | "now">,
  { project, environment }: { readonly project: string; readonly environment: string },
  names: ReadonlySet<string> | null = null,
): Promise<Readable> {
  const line = await loadLine(tx, ownerId, project, environment);
  const [{ version }] = line;
  const chosen = resolveEntries(line).filter(
    ({ key }) => (names === null || names.has(key)) && isWithin(caller, "name", key),
  );
  const secrets = await findReferenced(tx, ownerId, new Set(chosen.flatMap(({ entry: { secret } }) => secret ?? [])));
  const keys = new Set(chosen.map(({ key }) => key));
  const absent = [...(names ?? [])].filter((name) => !keys.has(name));
  refuseMissing(`The values of ${environment} of ${project} cannot be read completely`, [
    ...absent.map((key): Missing => ({ key: key.slice(0, 256), secret: null, reason: "no_entry" })),
    ...unreadableOf(chosen, secrets, now),
  ]);
  return { project, environment, version, line, chosen, secrets };
}

/** Records that the values of entries of an environment were read. */
export async function emitValuesRead(
  tx: Tx,
  call: ReadCall,
  {
    project: projectId,
    environment,
    version,
    chosen,
    secrets,
  }: Omit<Readable, "line" | "chosen" | "secrets"> & {
    readonly chosen: readonly Chosen[];
    readonly secrets: Secrets;
  },
): Promise<void> {
  await emit(tx, call, {
    type: "environment-values-read",
    ownerId: call.scope.ownerId,
    entityId: projectId,
    text: `read ${chosen.length === 1 ? "a value" : `${chosen.length} values`} of the environment ${environment} of ${projectId}`,
    payload: {
      projectId,
      projectName: projectId,
      environment,
      version,
      names: chosen.map(({ key }) => key),
      secrets: chosen.flatMap(({ key, entry }) => {
        const secret = entry.secret === undefined ? undefined : secrets.get(entry.secret);
        return secret ? [{ key, uid: secret.id, name: secret.name, version: secret.version }] : [];
      }),
    },
  });
}

/** The values by key, after recording the read; or the refusal to return, when one does not open. */
export async function openValues(
  tx: Tx,
  call: ReadCall,
  readable: Readable,
): Promise<readonly (readonly [key: string, value: string])[] | ApiError> {
  const opened = await openReferenced(tx, call, [...readable.secrets.values()]);
  if (opened instanceof ApiError) return opened;
  const values = readable.chosen.map(({ key, entry }): [string, string] => [
    key,
    entry.secret === undefined ? (entry.value ?? "") : (opened.get(entry.secret) as string),
  ]);
  if (values.length > 0) await emitValuesRead(tx, call, readable);
  return values;
}
