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

/** Reserves a name as the current one of a secret; refuses a name that another secret of the owner has. */
export async function claimName(tx: Tx, { ownerId, secretId, name, field, now }: NameClaim): Promise<void> {
  const key = nameKey(name);
  const holder = await findReservation(tx, { ownerId, nameKey: key });
  if (holder && holder.secretId !== secretId) {
    const how = holder.kind === "alias" ? "is an alias of another secret" : "is taken by another secret";
    throw fieldError("secret_name_taken", field, `the name ${name} ${how}`, { name });
  }
  // A secret that returns to a former name must not be its own alias.
  if (holder) await endAlias(tx, { ownerId, secretId, nameKey: key });
  await insertName(tx, {
    ownerId,
    secretId,
    name,
    nameKey: key,
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
  for (const one of made) await releaseName(tx, one, now);
  for (const { row, to, keepAlias, field } of made) {
    await claimName(tx, { ownerId: row.ownerId, secretId: row.id, name: to, field, now });
    await changeName(tx, { ownerId: row.ownerId, id: row.id, name: to, nameKey: nameKey(to), ...updating(call) });
    if (keepAlias) await refuseTooManyAliases(tx, row);
  }
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
