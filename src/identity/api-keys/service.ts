// The handlers of API keys.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { createCredential } from "../../platform/kernel/credential.ts";
import { hasFilter, isFound } from "../../platform/kernel/credential-filter.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { endAhead, requireFuture } from "../../platform/kernel/expiry.ts";
import { requireWithinCaller } from "../../platform/kernel/giving.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { areLimitsWithin, hasPlaces, readLimits, shownLimits, storedPlaces } from "../../platform/kernel/limits.ts";
import { canonicalCidrs, readNetworks, storedNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import { paginate, paginationBounds, positionAt } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { limitReached } from "../../platform/kernel/storage-limits.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { paginateKnown } from "../../platform/store/search/find.ts";
import type { apiKeysContract } from "./contract.ts";
import { canonicalPermissions, maskOfKey, nameBounds } from "./key-permissions.ts";
import type { KeyBounds } from "./key-permissions.ts";
import { createdPayload, describeKey, publicKey } from "./key-view.ts";
import type { KeyAbilities } from "./key-view.ts";
import { requireResponsible } from "./responsibility.ts";
import { adoptKey, countKeys, deleteKey, findKey, insertKey, listKeys, replaceKeyValue } from "./store.ts";
import type { KeyRow } from "./store.ts";

export type KeyCall = Pick<Call, "scope" | "caller" | "ifMatch" | "now">;

/** A key that could do more than a limited caller in what they are limited to does not exist for that caller. */
function isKnown({ caller }: Pick<Call, "caller">, row: KeyRow): boolean {
  return areLimitsWithin(readLimits(row), caller.limits);
}

async function getKey(tx: Tx, call: KeyCall, id: string): Promise<KeyRow> {
  const row = await findKey(tx, { ownerId: call.scope.ownerId, id });
  if (!row || !isKnown(call, row)) throw notFound("API key");
  return row;
}

/** Refuses to create, rotate, adopt or delete a key that may do more than the caller. */
export function requireBoundsWithin({ scope }: KeyCall, bounds: KeyBounds): void {
  if ((maskOfKey(bounds) & ~scope.permissions) === 0) return;
  const { role } = bounds;
  const message = `Not authorized: ${nameBounds(bounds)} may do more than you may here`;
  throw new ApiError("role_exceeds_creator", message, { role });
}

/** Refuses a key or trust rule that may do more than the caller, outlives the caller's credential or works from other networks. */
export function requireGivable(call: KeyCall, wanted: KeyAbilities): void {
  requireBoundsWithin(call, wanted);
  requireWithinCaller(call, {
    endsAt: wanted.expiresAt,
    networks: readNetworks(wanted.allowedCidrs) ?? [],
    places: readLimits({ permissions: null, limits: wanted.limits }),
  });
}

async function getKeyForChange(tx: Tx, call: KeyCall, id: string): Promise<KeyRow> {
  const row = await getKey(tx, call, id);
  requireBoundsWithin(call, row);
  requireRevision(call, row.revision);
  return row;
}

/** A key that a trust rule issued ends with its 15 minutes, whatever its holder or anybody else does. */
function refuseIssued({ trustId }: KeyRow): void {
  if (trustId === null) return;
  throw new ApiError(
    "forbidden",
    `This key was issued for a token, by the trust rule ${trustId}: exchange a token again`,
  );
}

type NewKey = Omit<Parameters<typeof insertKey>[1], "id" | "hash" | "prefix" | "suffix" | "position">;

/** Stores a key with a fresh value. The caller has checked what it may do. */
export async function createKey(tx: Tx, key: NewKey): Promise<{ readonly id: string; readonly value: string }> {
  const id = newId("apiKey");
  const { value, ...stored } = createCredential("key");
  await insertKey(tx, { ...key, id, ...stored, position: positionAt(key.now) });
  return { id, value };
}

export const apiKeysService: Implements<typeof apiKeysContract> = {
  async createApiKey(tx, call) {
    const { name, role, expiresAt = null, allowedCidrs = [] } = call.body;
    const { scope, caller, now } = call;
    const permissions = canonicalPermissions(role, call.body.permissions);
    const bounds: KeyBounds = { role, permissions: permissions && JSON.stringify(permissions) };
    requireFuture(expiresAt, now);
    const cidrs = canonicalCidrs(allowedCidrs);
    const limits = storedPlaces(call.body);
    const abilities = { ...bounds, limits, allowedCidrs: storedNetworks(cidrs), expiresAt };
    requireGivable(call, abilities);
    const teamId = scope.team?.id ?? null;
    const responsibleId = teamId === null ? null : await requireResponsible(tx, caller, teamId, bounds);
    const allows = describeKey(abilities);
    if (call.query.dryRun) return { allows };
    const { storageLimits } = call.instance;
    const keys = await countKeys(tx, { ownerId: scope.ownerId, limit: storageLimits["api-keys"] });
    if ((keys?.count ?? 0) >= storageLimits["api-keys"]) throw limitReached(storageLimits, "api-keys", "delete one");
    const { id, value } = await createKey(tx, {
      ownerId: scope.ownerId,
      teamId,
      userId: scope.team ? null : scope.ownerId,
      name,
      ...bounds,
      limits,
      allowedCidrs: abilities.allowedCidrs,
      expiresAt,
      createdBy: caller.principalId,
      responsibleId,
      trustId: null,
      now,
    });
    const row = await getKey(tx, call, id);
    await emit(tx, call, {
      type: "user-token-created",
      ownerId: scope.ownerId,
      entityId: id,
      text: `created API key ${name}`,
      payload: createdPayload(row),
      next: { name, role, ...shownLimits(readLimits(row)), expiresAt, allowedCidrs: cidrs },
    });
    return { apiKey: publicKey(row, call), value, allows, revision: row.revision };
  },

  async listApiKeys(tx, call) {
    const bounds = paginationBounds(call.query);
    const read = (batch: PageBounds) => listKeys(tx, { ownerId: call.scope.ownerId }, batch);
    // An owner has few enough that those which are found need no index.
    const { rows, isCut } =
      hasPlaces(call.caller.limits) || hasFilter(call.query)
        ? await paginateKnown(bounds, read, (row) => isKnown(call, row) && isFound(row, call.query, call.now))
        : { rows: await read(bounds), isCut: false };
    const { items, page } = paginate(rows, bounds, isCut);
    return { apiKeys: items.map((row) => publicKey(row, call)), pagination: page, page };
  },

  async getCurrentApiKey(tx, call) {
    const { caller, scope } = call;
    const row = await findKey(tx, { ownerId: scope.ownerId, id: caller.principalId });
    if (!row) throw notFound("API key");
    return { apiKey: publicKey({ ...row, expiresAt: caller.expiresAt }, call) };
  },

  async getApiKey(tx, call) {
    const row = await getKey(tx, call, call.params.keyId);
    return { apiKey: publicKey(row, call), revision: row.revision };
  },

  async rotateApiKey(tx, call) {
    const { overlapMs = 0, force = false } = call.body ?? {};
    const { now } = call;
    const old = await getKeyForChange(tx, call, call.params.keyId);
    refuseIssued(old);
    requireGivable(call, old);
    const { id, ownerId, teamId } = old;
    // The person who is shown the new value is responsible for it.
    const responsibleId = teamId === null ? null : await requireResponsible(tx, call.caller, teamId, old);
    const pendingUntil = endAhead(old.previousExpiresAt, call);
    if (pendingUntil !== null && !force) {
      throw new ApiError(
        "rotation_pending",
        "The value before this one is still valid; wait for previousExpiresAt, or send force: true to stop it now",
        { previousExpiresAt: pendingUntil },
      );
    }
    const { value, hash, suffix } = createCredential("key");
    await replaceKeyValue(tx, {
      ownerId,
      id,
      hash,
      suffix,
      ...(overlapMs > 0
        ? { previousHash: old.hash, previousExpiresAt: now + overlapMs, previousResponsibleId: old.responsibleId }
        : { previousHash: null, previousExpiresAt: null, previousResponsibleId: null }),
      responsibleId,
    });
    const row = await getKey(tx, call, id);
    await emit(tx, call, {
      type: "user-token-created",
      ownerId,
      entityId: id,
      text: `rotated API key ${row.name}`,
      payload: createdPayload(row),
      previous: { suffix: old.suffix, previousExpiresAt: pendingUntil },
      next: { suffix, previousExpiresAt: row.previousExpiresAt },
    });
    return { apiKey: publicKey(row, call), value, revision: row.revision };
  },

  async adoptApiKey(tx, call) {
    const old = await getKeyForChange(tx, call, call.params.keyId);
    refuseIssued(old);
    requireGivable(call, old);
    const { id, name, ownerId, teamId } = old;
    const role = old.role as TeamRole;
    if (teamId === null) return { apiKey: publicKey(old, call), revision: old.revision };
    const responsibleId = await requireResponsible(tx, call.caller, teamId, old);
    if (old.responsibleId === responsibleId && old.suspendedAt === null) {
      return { apiKey: publicKey(old, call), revision: old.revision };
    }
    await adoptKey(tx, { ownerId, id, responsibleId });
    const row = await getKey(tx, call, id);
    await emit(tx, call, {
      type: "api-key-adopted",
      ownerId,
      entityId: id,
      text: `adopted API key ${name}`,
      payload: { teamId, uid: responsibleId, tokenId: id, tokenName: name, role },
      previous: { responsibleId: old.responsibleId, suspendedAt: old.suspendedAt },
      next: { responsibleId, suspendedAt: null },
    });
    return { apiKey: publicKey(row, call), revision: row.revision };
  },

  async deleteApiKey(tx, call) {
    const { id, ownerId, name, role, expiresAt } = await getKeyForChange(tx, call, call.params.keyId);
    await deleteKey(tx, { ownerId, id });
    await emit(tx, call, {
      type: "user-token-deleted",
      ownerId,
      entityId: id,
      text: `deleted API key ${name}`,
      payload: { tokenId: id, tokenName: name, tokenType: "api-key", actorTokenId: call.caller.credentialId },
      previous: { name, role, expiresAt },
    });
    return { id, keyId: id };
  },
};
