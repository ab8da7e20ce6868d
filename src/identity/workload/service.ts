// The handlers of trust rules.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError, notFound } from "../../platform/kernel/errors.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { isLasting, issuedPermissions } from "../../platform/kernel/issued-keys.ts";
import { areLimitsWithin, hasPlaces, readLimits, shownLimits, storedPlaces } from "../../platform/kernel/limits.ts";
import type { Places } from "../../platform/kernel/limits.ts";
import { canonicalCidrs, storedNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import { paginate, paginationBounds, positionAt } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Permission, TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventType } from "../../events/events/types.ts";
import { paginateKnown } from "../../platform/store/search/find.ts";
import { canonicalPermissions } from "../api-keys/key-permissions.ts";
import { publicKey } from "../api-keys/key-view.ts";
import { requireResponsible } from "../api-keys/responsibility.ts";
import { requireBoundsWithin, requireGivable } from "../api-keys/service.ts";
import type { KeyCall } from "../api-keys/service.ts";
import { findClaimProblem } from "./claim-rules.ts";
import type { ClaimRules } from "./claim-rules.ts";
import { MAX_CLAIMS_BYTES, MAX_TRUST_RULES } from "./contract.ts";
import type { trustRulesContract } from "./contract.ts";
import { requireIssuer } from "./issuer-url.ts";
import {
  deleteIssuedKeys,
  deleteTrustRule,
  findTrustRule,
  insertTrustRule,
  listAllTrustRules,
  listIssuedKeys,
  listTrustRules,
  replaceTrustRule,
} from "./store.ts";
import type { TrustRuleRow } from "./store.ts";
import { describeIssued, explainedTrustRule, publicTrustRule, trustRuleState } from "./trust-rule-view.ts";
import type { TrustRuleAbilities } from "./trust-rule-view.ts";

/** A rule whose keys could do more than a limited caller in what they are limited to does not exist for that caller. */
function isKnown({ caller }: Pick<Call, "caller">, row: TrustRuleRow): boolean {
  return areLimitsWithin(readLimits(row), caller.limits);
}

async function getTrustRule(tx: Tx, call: KeyCall, id: string): Promise<TrustRuleRow> {
  const row = await findTrustRule(tx, { ownerId: call.scope.ownerId, id });
  if (!row || !isKnown(call, row)) throw notFound("Trust rule");
  return row;
}

async function getTrustRuleForChange(tx: Tx, call: KeyCall, id: string): Promise<TrustRuleRow> {
  const row = await getTrustRule(tx, call, id);
  requireBoundsWithin(call, row);
  requireRevision(call, row.revision);
  return row;
}

function readClaims(claims: ClaimRules, issuer: string): string {
  const problem = findClaimProblem(claims, issuer);
  if (problem) throw fieldError("bad_request", ...problem);
  const text = JSON.stringify(claims);
  const size = Buffer.byteLength(text);
  if (size <= MAX_CLAIMS_BYTES) return text;
  throw fieldError("bad_request", "body.claims", `expected at most ${MAX_CLAIMS_BYTES} bytes as JSON, got ${size}`);
}

function readPermissions(role: TeamRole, wanted: readonly Permission[] | undefined): string {
  const at = wanted?.findIndex(isLasting) ?? -1;
  if (at >= 0) {
    const problem = `expected a permission that makes no keys or webhooks and lets nobody in, got ${wanted?.[at]}: issued keys must leave nothing that outlives them`;
    throw fieldError("bad_request", `body.permissions[${at}]`, problem);
  }
  return JSON.stringify(canonicalPermissions(role, wanted) ?? issuedPermissions(role));
}

/** The projects, environments and names of a rule after a change, which leaves as they are those that it does not name. */
function changedPlaces(previous: TrustRuleRow, change: Partial<Places>): string | null {
  const { projects, environments, names } = { ...shownLimits(readLimits(previous)), ...change };
  return storedPlaces({ projects, environments, names });
}

/** Who answers for a rule; refuses a rule that gives more than the caller may do, or that would outlive the caller's credential. */
async function requireMaker(tx: Tx, call: KeyCall, abilities: TrustRuleAbilities): Promise<string | null> {
  requireGivable(call, { ...abilities, expiresAt: null });
  const teamId = call.scope.team?.id ?? null;
  return teamId === null ? null : await requireResponsible(tx, call.caller, teamId, abilities);
}

async function record(
  tx: Tx,
  call: Pick<Call, "caller" | "origin" | "now">,
  type: EventType,
  did: string,
  { previous, next }: { readonly previous?: TrustRuleRow; readonly next?: TrustRuleRow },
): Promise<void> {
  const { id, name, issuer, ownerId, teamId } = (next ?? previous) as TrustRuleRow;
  await emit(tx, call, {
    type,
    ownerId,
    entityId: id,
    text: `${did} the trust rule ${name} for tokens of ${issuer}`,
    payload: { trustId: id, trustName: name, issuer, ...(teamId !== null && { teamId }) },
    ...(previous && { previous: trustRuleState(previous) }),
    ...(next && { next: trustRuleState(next) }),
  });
}

/** Whether a change is of the name alone, after which issued keys are what the rule would issue again. */
function changesIssued(previous: TrustRuleRow, next: object): boolean {
  const { name: _old, ...before } = trustRuleState(previous);
  const { name: _new, ...after } = next as ReturnType<typeof trustRuleState>;
  return JSON.stringify(before) !== JSON.stringify(after);
}

export const trustRulesService: Implements<typeof trustRulesContract> = {
  async createIdentityTrust(tx, call) {
    const { name, issuer, audience, role, singleUse = false, allowedCidrs = [] } = call.body;
    const { scope, caller, now } = call;
    requireIssuer(call, issuer);
    const claims = readClaims(call.body.claims, issuer);
    const permissions = readPermissions(role, call.body.permissions);
    const limits = storedPlaces(call.body);
    const abilities = { role, permissions, limits, allowedCidrs: storedNetworks(canonicalCidrs(allowedCidrs)) };
    const responsibleId = await requireMaker(tx, call, abilities);
    const { ownerId } = scope;
    if ((await listAllTrustRules(tx, { ownerId })).length >= MAX_TRUST_RULES) {
      throw new ApiError("too_many_trusts", `A team or account has at most ${MAX_TRUST_RULES} trust rules`);
    }
    const allows = describeIssued(abilities);
    if (call.query.dryRun) return { allows };
    const id = newId("identityTrust");
    await insertTrustRule(tx, {
      id,
      ownerId,
      teamId: scope.team?.id ?? null,
      userId: scope.team ? null : ownerId,
      name,
      issuer,
      audience,
      claims,
      role,
      permissions,
      limits,
      allowedCidrs: abilities.allowedCidrs,
      isSingleUse: singleUse ? 1 : 0,
      responsibleId,
      createdBy: caller.principalId,
      now,
      position: positionAt(now),
    });
    const next = await getTrustRule(tx, call, id);
    await record(tx, call, "identity-trust-created", "created", { next });
    return { trust: publicTrustRule(next), allows, revision: next.revision };
  },

  async listIdentityTrusts(tx, call) {
    const bounds = paginationBounds(call.query);
    const read = (batch: PageBounds) => listTrustRules(tx, { ownerId: call.scope.ownerId }, batch);
    const { rows, isCut } = hasPlaces(call.caller.limits)
      ? await paginateKnown(bounds, read, (row) => isKnown(call, row))
      : { rows: await read(bounds), isCut: false };
    const { items, page } = paginate(rows, bounds, isCut);
    return { trusts: items.map(publicTrustRule), pagination: page, page };
  },

  async getIdentityTrust(tx, call) {
    const row = await getTrustRule(tx, call, call.params.trustId);
    return { trust: publicTrustRule(row), revision: row.revision };
  },

  async updateIdentityTrust(tx, call) {
    const { body, now } = call;
    const previous = await getTrustRuleForChange(tx, call, call.params.trustId);
    const { id, ownerId } = previous;
    const { issuer = previous.issuer } = body;
    if (body.issuer !== undefined) requireIssuer(call, issuer);
    const role = body.role ?? (previous.role as TeamRole);
    const isBounded = body.role !== undefined || body.permissions !== undefined;
    const permissions = isBounded ? readPermissions(role, body.permissions) : previous.permissions;
    const limits = changedPlaces(previous, body);
    const allowedCidrs =
      body.allowedCidrs === undefined ? previous.allowedCidrs : storedNetworks(canonicalCidrs(body.allowedCidrs ?? []));
    const values = {
      name: body.name ?? previous.name,
      issuer,
      audience: body.audience ?? previous.audience,
      claims:
        body.claims === undefined && body.issuer === undefined
          ? previous.claims
          : readClaims(body.claims ?? (JSON.parse(previous.claims) as ClaimRules), issuer),
      role,
      permissions,
      limits,
      allowedCidrs,
      isSingleUse: body.singleUse === undefined ? previous.isSingleUse : body.singleUse ? 1 : 0,
      responsibleId: await requireMaker(tx, call, { role, permissions, limits, allowedCidrs }),
      suspendedAt: body.adopt === true ? null : previous.suspendedAt,
    };
    await replaceTrustRule(tx, { ownerId, id, ...values, now });
    const next = await getTrustRule(tx, call, id);
    const isOfOther = previous.responsibleId !== next.responsibleId;
    if (isOfOther || changesIssued(previous, trustRuleState(next)))
      await deleteIssuedKeys(tx, { ownerId, trustId: id });
    await record(tx, call, "identity-trust-updated", "changed", { previous, next });
    return { trust: publicTrustRule(next), revision: next.revision };
  },

  async deleteIdentityTrust(tx, call) {
    const previous = await getTrustRuleForChange(tx, call, call.params.trustId);
    const { id, ownerId } = previous;
    await deleteTrustRule(tx, { ownerId, id });
    await deleteIssuedKeys(tx, { ownerId, trustId: id });
    await record(tx, call, "identity-trust-deleted", "deleted", { previous });
    return { id, trustId: id };
  },

  async listIssuedKeys(tx, call) {
    const bounds = paginationBounds(call.query);
    const { id: trustId, ownerId } = await getTrustRule(tx, call, call.params.trustId);
    const { items, page } = paginate(await listIssuedKeys(tx, { ownerId, trustId, now: call.now }, bounds), bounds);
    return { apiKeys: items.map((row) => publicKey(row, call)), pagination: page, page };
  },

  async explainIdentity(tx, call) {
    const { ownerId } = call.scope;
    const rows = (await listAllTrustRules(tx, { ownerId })).filter((row) => isKnown(call, row));
    return { effect: { ownerId, token: call.body.token, trusts: rows.map(explainedTrustRule), now: call.now } };
  },
};
