// The handlers of API keys.
import type { Call, Implements } from "../../kernel/contract.ts";
import { createCredential } from "../../kernel/credential.ts";
import { ApiError, fieldError, notFound } from "../../kernel/errors.ts";
import { endAhead, requireEndWithin, requireFuture } from "../../kernel/expiry.ts";
import { newId } from "../../kernel/ids.ts";
import { cutPage, pageBounds, positionAt } from "../../kernel/pagination.ts";
import { requireRevision } from "../../kernel/revision.ts";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { canonicalCidrs } from "./allowed-cidrs.ts";
import type { apiKeysContract } from "./contract.ts";
import { canonicalPermissions, listedPermissions, maskOfKey, nameBounds } from "./key-permissions.ts";
import type { KeyBounds } from "./key-permissions.ts";
import { findOwnKey, requireResponsible } from "./responsibility.ts";
import { adoptKey, deleteKey, findKey, insertKey, listKeys, replaceKeyValue } from "./store.ts";
import type { KeyRow } from "./store.ts";

export type KeyCall = Pick<Call, "scope" | "caller" | "ifMatch" | "now">;

/** The networks that a key works from; null: from everywhere. */
function networksOf({ allowed_cidrs }: KeyRow): string[] | null {
  return allowed_cidrs === null ? null : (JSON.parse(allowed_cidrs) as string[]);
}

function publicKey(row: KeyRow, call: Pick<Call, "now">) {
  return {
    id: row.id,
    name: row.name,
    ownerId: row.owner_id,
    role: row.role as TeamRole,
    permissions: listedPermissions(row),
    prefix: row.prefix,
    suffix: row.suffix,
    allowedCidrs: networksOf(row) ?? [],
    expiresAt: row.expires_at,
    activeAt: row.active_at,
    createdBy: row.created_by,
    createdAt: row.created_at,
    previousExpiresAt: endAhead(row.previous_expires_at, call),
    responsibleId: row.user_id ?? row.responsible_id,
    suspendedAt: row.suspended_at,
  };
}

async function getKey(tx: Tx, { scope }: KeyCall, id: string): Promise<KeyRow> {
  const row = await findKey(tx, { ownerId: scope.ownerId, id });
  if (!row) throw notFound("API key");
  return row;
}

/** Refuses to create, rotate, adopt or delete a key that may do more than the caller. */
export function requireBoundsWithin({ scope }: KeyCall, bounds: KeyBounds): void {
  if ((maskOfKey(bounds) & ~scope.permissions) === 0) return;
  const { role } = bounds;
  const message = `Not authorized: ${nameBounds(bounds)} may do more than you may here`;
  throw new ApiError("role_exceeds_creator", message, { role });
}

/** A credential with an expiry or allowed networks creates no key that outlives it or works from other networks. */
export async function requireLimitsWithin(
  tx: Tx,
  { caller }: KeyCall,
  wanted: { readonly expiresAt: number | null; readonly cidrs: readonly string[] },
): Promise<void> {
  requireEndWithin(caller, wanted.expiresAt);
  const own = await findOwnKey(tx, caller);
  const networks = own ? networksOf(own) : null;
  if (networks !== null && (wanted.cidrs.length === 0 || wanted.cidrs.some((cidr) => !networks.includes(cidr)))) {
    throw fieldError(
      "forbidden",
      "body.allowedCidrs",
      `expected some of ${networks.join(", ")}, to which the key of this request is limited`,
    );
  }
}

async function getKeyForChange(tx: Tx, call: KeyCall, id: string): Promise<KeyRow> {
  const row = await getKey(tx, call, id);
  requireBoundsWithin(call, row);
  requireRevision(call, row.revision);
  return row;
}

/** A key that a trust rule issued ends with its 15 minutes, whatever its holder or anybody else does. */
function refuseIssued({ trust_id }: KeyRow): void {
  if (trust_id === null) return;
  throw new ApiError(
    "forbidden",
    `This key was issued for a token, by the trust rule ${trust_id}: exchange a token again`,
  );
}

/** The public payload of a key that was created or rotated. */
function createdPayload({ id, name, team_id, prefix, suffix, expires_at }: KeyRow) {
  return {
    tokenId: id,
    tokenName: name,
    scope: team_id === null ? "user" : "team",
    origin: "manual",
    tokenPrefix: prefix,
    tokenSuffix: suffix,
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
    ...(team_id === null ? {} : { teamId: team_id }),
  };
}

export const apiKeysService: Implements<typeof apiKeysContract> = {
  async createApiKey(tx, call) {
    const { name, role, expiresAt = null, allowedCidrs = [] } = call.body;
    const { scope, caller, now } = call;
    const permissions = canonicalPermissions(role, call.body.permissions);
    const bounds: KeyBounds = { role, permissions: permissions && JSON.stringify(permissions) };
    requireBoundsWithin(call, bounds);
    requireFuture(expiresAt, now);
    const cidrs = canonicalCidrs(allowedCidrs);
    await requireLimitsWithin(tx, call, { expiresAt, cidrs });
    const teamId = scope.team?.id ?? null;
    const responsibleId = teamId === null ? null : await requireResponsible(tx, caller, teamId, bounds);
    const id = newId("apiKey");
    const { value, hash, prefix, suffix } = createCredential("key");
    await insertKey(tx, {
      id,
      ownerId: scope.ownerId,
      teamId,
      userId: scope.team ? null : scope.ownerId,
      name,
      ...bounds,
      hash,
      prefix,
      suffix,
      allowedCidrs: cidrs.length > 0 ? JSON.stringify(cidrs) : null,
      expiresAt,
      createdBy: caller.principalId,
      responsibleId,
      trustId: null,
      now,
      position: positionAt(now),
    });
    const row = await getKey(tx, call, id);
    await emit(tx, call, {
      type: "user-token-created",
      ownerId: scope.ownerId,
      entityId: id,
      text: `created API key ${name}`,
      payload: createdPayload(row),
      next: { name, role, permissions, expiresAt, allowedCidrs: cidrs },
    });
    return { apiKey: publicKey(row, call), value, revision: row.revision };
  },

  async listApiKeys(tx, call) {
    const bounds = pageBounds(call.query);
    const { items, page } = cutPage(await listKeys(tx, { ownerId: call.scope.ownerId }, bounds), bounds);
    return { apiKeys: items.map((row) => publicKey(row, call)), pagination: page, page };
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
    await requireLimitsWithin(tx, call, { expiresAt: old.expires_at, cidrs: networksOf(old) ?? [] });
    const { id, owner_id: ownerId, team_id: teamId } = old;
    // The person who is shown the new value is responsible for it.
    const responsibleId = teamId === null ? null : await requireResponsible(tx, call.caller, teamId, old);
    const pendingUntil = endAhead(old.previous_expires_at, call);
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
      previousHash: overlapMs > 0 ? old.hash : null,
      previousExpiresAt: overlapMs > 0 ? now + overlapMs : null,
      previousResponsibleId: overlapMs > 0 ? old.responsible_id : null,
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
      next: { suffix, previousExpiresAt: row.previous_expires_at },
    });
    return { apiKey: publicKey(row, call), value, revision: row.revision };
  },

  async adoptApiKey(tx, call) {
    const old = await getKeyForChange(tx, call, call.params.keyId);
    refuseIssued(old);
    const { id, name, owner_id: ownerId, team_id: teamId } = old;
    const role = old.role as TeamRole;
    if (teamId === null) return { apiKey: publicKey(old, call), revision: old.revision };
    const responsibleId = await requireResponsible(tx, call.caller, teamId, old);
    if (old.responsible_id === responsibleId && old.suspended_at === null) {
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
      previous: { responsibleId: old.responsible_id, suspendedAt: old.suspended_at },
      next: { responsibleId, suspendedAt: null },
    });
    return { apiKey: publicKey(row, call), revision: row.revision };
  },

  async deleteApiKey(tx, call) {
    const { id, owner_id: ownerId, name, role, expires_at } = await getKeyForChange(tx, call, call.params.keyId);
    await deleteKey(tx, { ownerId, id });
    await emit(tx, call, {
      type: "user-token-deleted",
      ownerId,
      entityId: id,
      text: `deleted API key ${name}`,
      payload: { tokenId: id, tokenName: name, tokenType: "api-key", actorTokenId: call.caller.credentialId },
      previous: { name, role, expiresAt: expires_at },
    });
    return { keyId: id };
  },
};
