// Finds a secret by the id, name or alias in a path, and its versions.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError, notFound } from "../../platform/kernel/errors.ts";
import { isWithin } from "../../platform/kernel/limits.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { isSecretId, nameKey } from "./rules.ts";
import { findSecretById, findSecretByName } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { findVersion } from "./versions/versions-store.ts";
import type { VersionRow } from "./versions/versions-store.ts";

type SecretCall = Pick<Call, "scope" | "caller" | "ifMatch">;

interface Found {
  readonly row: SecretRow;
  readonly isAlias: boolean;
}

async function findAny(tx: Tx, ownerId: string, idOrName: string): Promise<Found | undefined> {
  if (!isSecretId(idOrName)) {
    const found = await findSecretByName(tx, { ownerId, nameKey: nameKey(idOrName) });
    return found && { row: found, isAlias: found.knownAs === "alias" };
  }
  const row = await findSecretById(tx, { ownerId, id: idOrName });
  return row && row.deletedAt === null ? { row, isAlias: false } : undefined;
}

/** The same, if the caller may know of it by its present name. */
async function findExisting(
  tx: Tx,
  { scope, caller }: Pick<Call, "scope" | "caller">,
  idOrName: string,
): Promise<Found | undefined> {
  const found = await findAny(tx, scope.ownerId, idOrName);
  return found && isWithin(caller, "name", found.row.name) ? found : undefined;
}

function refusalAt(field: string | undefined, refusal: ApiError): ApiError {
  if (field === undefined) return refusal;
  const { code, message, details } = refusal;
  return fieldError(code, field, message, details);
}

/** The secret with this id, name or alias, no matter who may know of it; undefined: there is none, or it is deleted. */
export async function findSecret(tx: Tx, ownerId: string, idOrName: string): Promise<SecretRow | undefined> {
  return (await findAny(tx, ownerId, idOrName))?.row;
}

/** The secret with this id, name or alias; a deleted one is not found. */
export async function getSecret(tx: Tx, call: SecretCall, idOrName: string): Promise<SecretRow> {
  const found = await findExisting(tx, call, idOrName);
  if (!found) throw notFound("Secret");
  return found.row;
}

/**
 * The secret to change, by its id or current name only; undefined: there is none, or it is `hidden`, one that the caller may not know.
 * `field` as below.
 */
export async function findSecretForChange(
  tx: Tx,
  { scope, caller }: Pick<Call, "scope" | "caller">,
  idOrName: string,
  field?: string,
): Promise<{ readonly row?: SecretRow; readonly hidden?: Found }> {
  const found = await findAny(tx, scope.ownerId, idOrName);
  if (!found) return {};
  const { row, isAlias } = found;
  if (!isWithin(caller, "name", row.name)) return { hidden: found };
  if (isAlias) {
    const refusal = new ApiError(
      "secret_is_alias",
      `${idOrName} is a former name that is kept for reading; the secret is called ${row.name} now`,
      { name: row.name },
    );
    throw refusalAt(field, refusal);
  }
  return { row };
}

/**
 * The same, which must be there, at the revision of `If-Match`. `field` names the place of the name in the body, when it was not in
 * the path.
 */
export async function getSecretForChange(
  tx: Tx,
  call: SecretCall,
  idOrName: string,
  field?: string,
): Promise<SecretRow> {
  const { row } = await findSecretForChange(tx, call, idOrName, field);
  if (!row) throw refusalAt(field, notFound("Secret"));
  requireRevision(call, row.revision);
  return row;
}

/** A row as a change has left it. Nobody else changes a secret while its owner is locked, so it need not be read again. */
export function changedRow(row: SecretRow, act: Pick<Call, "caller" | "now">, columns: Partial<SecretRow>): SecretRow {
  const { now, updaterId } = updating(act);
  return { ...row, ...columns, updatedAt: now, updaterId, revision: row.revision + 1 };
}

/** When and by whom a secret is changed, as statements store it. */
export function updating({ caller, now }: Pick<Call, "caller" | "now">) {
  return { now, updaterId: caller.account?.id ?? null };
}

/** The secret as it is stored. */
export async function reread(tx: Tx, { id, ownerId }: Pick<SecretRow, "id" | "ownerId">): Promise<SecretRow> {
  return (await findSecretById(tx, { ownerId, id })) as SecretRow;
}

/** A stored version. */
export async function getVersion(tx: Tx, { ownerId, id }: SecretRow, version: number): Promise<VersionRow> {
  const row = await findVersion(tx, { ownerId, secretId: id, version });
  if (!row) throw notFound(`Version ${version}`);
  return row;
}

/** Refuses a change when the secret has another version by now than the request expects. */
export function requireVersion(expected: number | undefined, current: number, field = "body.expectedVersion"): void {
  if (expected === undefined || expected === current) return;
  throw fieldError("version_conflict", field, `expected ${current}, the current one, got ${expected}`, {
    currentVersion: current,
  });
}
