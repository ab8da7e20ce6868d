// Reserves and frees names. A secret's name and its aliases are reserved per owner; one unique index decides between two
// secrets that want the same name.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { requireFreshProof } from "../../platform/kernel/giving.ts";
import { requireNewName } from "../../platform/kernel/limits.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { updating } from "./find.ts";
import { countAliases, endAlias, endCurrentName, findReservation, insertName } from "./names-store.ts";
import { MAX_ALIASES, nameKey, requireName } from "./rules.ts";
import { changeName } from "./store.ts";
import type { SecretRow } from "./store.ts";
import { eventPayload } from "./view.ts";

export interface NameClaim {
  readonly ownerId: string;
  readonly secretId: string;
  readonly name: string;
  /** The field of the request that holds the name. */
  readonly field: string;
  readonly now: number;
}

export function nameTaken(name: string, field: string, isAlias: boolean): ApiError {
  const how = isAlias ? "is an alias of another secret" : "is taken by another secret";
  return fieldError("secret_name_taken", field, `the name ${name} ${how}; choose another, or change that secret`, {
    name,
  });
}

/** Whether no secret of the owner has the name, nor had it as an alias. */
export async function isFreeName(tx: Tx, ownerId: string, name: string): Promise<boolean> {
  return (await findReservation(tx, { ownerId, nameKey: nameKey(name) })) === undefined;
}

/** Reserves a name as the current one of a secret; refuses a name that another secret of the owner has. */
export async function claimName(tx: Tx, { field, ...claim }: NameClaim): Promise<void> {
  const { ownerId, secretId, name } = claim;
  const key = nameKey(name);
  const holder = await findReservation(tx, { ownerId, nameKey: key });
  if (holder && holder.secretId !== secretId) throw nameTaken(name, field, holder.kind === "alias");
  // A secret that returns to a former name must not be its own alias.
  if (holder) await endAlias(tx, { ownerId, secretId, nameKey: key });
  await insertCurrentName(tx, claim);
}

/** Reserves a name that no secret of the owner has. */
export async function insertCurrentName(
  tx: Tx,
  { ownerId, secretId, name, now }: Omit<NameClaim, "field">,
): Promise<void> {
  await insertName(tx, {
    ownerId,
    secretId,
    name,
    nameKey: nameKey(name),
    kind: "current",
    isReserved: 1,
    begunAt: now,
    endedAt: null,
    position: positionAt(now),
  });
}

export interface Rename {
  readonly row: SecretRow;
  readonly to: string;
  readonly keepAlias: boolean;
  /** The field of the request that holds the new name. */
  readonly field: string;
}

async function releaseName(tx: Tx, { row, keepAlias }: Rename, now: number): Promise<void> {
  const { ownerId, nameKey: key } = row;
  const kind = keepAlias ? "alias" : "former";
  await endCurrentName(tx, { ownerId, nameKey: key, kind, isReserved: keepAlias ? 1 : 0, now });
}

/**
 * Refuses new names that others have once all have released theirs, or that two get. Returns the secrets whose new name is an alias of
 * theirs.
 */
async function requireClaims(tx: Tx, renames: readonly Rename[]): Promise<ReadonlySet<SecretRow>> {
  const holders = await Promise.all(
    renames.map(async ({ row: { ownerId }, to }) => await findReservation(tx, { ownerId, nameKey: nameKey(to) })),
  );
  /** By the names that are released, whether they stay as an alias. */
  const released = new Map(renames.map(({ row, keepAlias }) => [row.nameKey, keepAlias]));
  const aliases = new Set<SecretRow>();
  const claimed = new Set<string>();
  for (const [at, { row, to, field }] of renames.entries()) {
    const key = nameKey(to);
    if (claimed.has(key)) throw nameTaken(to, field, false);
    claimed.add(key);
    const holder = holders[at];
    const isKept = holder?.kind === "current" ? released.get(key) : undefined;
    if (!holder || isKept === false) continue;
    if (holder.secretId !== row.id) throw nameTaken(to, field, holder.kind === "alias" || isKept === true);
    aliases.add(row);
  }
  return aliases;
}

/** Runs after the new name is claimed, since the new name may have been an alias. */
async function refuseTooManyAliases(tx: Tx, { id: secretId, ownerId, name }: SecretRow): Promise<void> {
  const aliases = await countAliases(tx, { ownerId, secretId });
  if (!aliases || aliases.count <= MAX_ALIASES) return;
  throw new ApiError("too_many_aliases", `${name} has ${MAX_ALIASES} aliases already; give one up first`, {
    limit: MAX_ALIASES,
  });
}

/**
 * Refuses another name of a secret to a caller who may set no reference to it: credentials that are limited to names know secrets by the
 * present one, so a name hands a secret to them.
 */
export function requireRenaming(call: Pick<Call, "caller" | "scope" | "now">): void {
  requireFreshProof(call.caller, call.now);
  requirePermission(call.scope, "secret:read");
}

/**
 * Renames all or none. Every current name is released before the first new one is claimed, so secrets can exchange names. An
 * unchanged name is no change.
 */
export async function rename(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "scope" | "now">,
  renames: readonly Rename[],
): Promise<void> {
  const { now } = call;
  for (const { to, field } of renames) {
    requireName(to, field);
    requireNewName(call.caller, to, field);
  }
  const made = renames
    .filter(({ row, to }) => row.name !== to)
    // A name that only changes its case must not become an alias of itself.
    .map((one) => ({ ...one, keepAlias: one.keepAlias && nameKey(one.to) !== one.row.nameKey }));
  if (made.length > 0) requireRenaming(call);
  // Before anything is stored: on PostgreSQL all of that is sent together.
  const aliases = await requireClaims(tx, made);
  for (const one of made) await releaseName(tx, one, now);
  for (const { row, to } of made) {
    const { ownerId, id: secretId } = row;
    // A secret that returns to a former name must not be its own alias.
    if (aliases.has(row)) await endAlias(tx, { ownerId, secretId, nameKey: nameKey(to) });
    await insertCurrentName(tx, { ownerId, secretId, name: to, now });
    await changeName(tx, { ownerId, id: secretId, name: to, nameKey: nameKey(to), ...updating(call) });
  }
  await Promise.all(made.filter(({ keepAlias }) => keepAlias).map(({ row }) => refuseTooManyAliases(tx, row)));
  for (const { row, to, keepAlias } of made) {
    const { name: oldName, ...about } = eventPayload(row);
    await emit(tx, call, {
      type: "secret-rename",
      ownerId: row.ownerId,
      entityId: row.id,
      text: `renamed secret ${row.name} to ${to}`,
      payload: { oldName, newName: to, ...about },
      previous: { name: row.name },
      next: { name: to, ...(keepAlias ? { alias: row.name } : {}) },
    });
  }
}
