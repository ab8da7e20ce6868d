// The handlers of access tokens.
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { hasFilter, isFound } from "../../platform/kernel/credential-filter.ts";
import { ApiError, fieldError, notFound } from "../../platform/kernel/errors.ts";
import { requireFuture } from "../../platform/kernel/expiry.ts";
import { requireWithinCaller } from "../../platform/kernel/giving.ts";
import { describeLimits } from "../../platform/kernel/limit-words.ts";
import { readLimits, shownLimits, storedPlaces } from "../../platform/kernel/limits.ts";
import { canonicalCidrs, readNetworks, storedNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { paginateKnown } from "../../platform/store/search/find.ts";
import { requireAccount } from "../accounts/service.ts";
import type { tokensContract } from "./contract.ts";
import { issueToken } from "./issue.ts";
import type { TokenAbilities, TokenOrigin } from "./issue.ts";
import { revokeToken } from "./revoke.ts";
import { requireRoom } from "./room.ts";
import { findToken, listTokens } from "./store.ts";
import type { TokenRow } from "./store.ts";

function describeToken(row: TokenAbilities & { readonly expiresAt: number | null }): string {
  return describeLimits({
    role: null,
    limits: readLimits(row),
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    expiresAt: row.expiresAt,
  });
}

function publicToken(row: TokenRow) {
  const { id, name, prefix, suffix, teamId, createdAt, activeAt, expiresAt } = row;
  const team = teamId === null ? {} : { teamId };
  const expiry = expiresAt === null ? {} : { expiresAt };
  const origin = row.origin as TokenOrigin;
  const limits = readLimits(row);
  const type = teamId === null ? ("user" as const) : ("team" as const);
  return {
    id,
    name,
    type: "token" as const,
    prefix,
    suffix,
    origin,
    scopes: [{ type, ...team, origin, createdAt, ...expiry }],
    ...team,
    ...(limits?.projects?.length === 1 ? { projectId: limits.projects[0] as string } : {}),
    ...shownLimits(limits),
    allowedCidrs: readNetworks(row.allowedCidrs) ?? [],
    allows: describeToken(row),
    createdAt: createdAt,
    activeAt: activeAt,
    ...expiry,
  };
}

/**
 * One of the caller's tokens, by id or as `current`. A token limited to a team sees only tokens with the same limit, and one with
 * other limits only itself.
 */
async function getToken(tx: Tx, call: { readonly caller: Caller }, idOrCurrent: string): Promise<TokenRow> {
  const { id: userId } = requireAccount(call);
  const id = idOrCurrent === "current" ? call.caller.credentialId : idOrCurrent;
  const row = await findToken(tx, { userId, id: id as string, teamId: call.caller.teamId });
  const isKnown = call.caller.limits === null || id === call.caller.credentialId;
  if (!row || !isKnown) throw notFound("Access token");
  return row;
}

/** The public command line gives special help for messages that begin so. */
function outOfScope(slug: string): ApiError {
  return new ApiError("forbidden", `To create a token you must be authenticated to scope "${slug}"`, { scope: slug });
}

/** The team that a new token is to be limited to; only its confirmed members may ask for that. */
function requestedTeam({ caller, scope }: Pick<Call, "caller" | "scope">): string | null {
  const { username } = requireAccount({ caller });
  if (caller.teamId !== null) throw outOfScope(username);
  if (scope.team && scope.team.role === null) throw outOfScope(scope.team.slug);
  return scope.team?.id ?? null;
}

/** What the body limits the token to, in the form in which it is stored. */
function requestedLimits({ body }: Call<typeof tokensContract.createToken>): TokenAbilities {
  const { permissions, projectId, projects, allowedCidrs = [] } = body;
  if (projectId !== undefined && projects !== undefined) {
    throw fieldError("bad_request", "body.projectId", "expected without projects, which can name it");
  }
  return {
    permissions: permissions ? JSON.stringify(PERMISSIONS.filter((one) => permissions.includes(one))) : null,
    limits: storedPlaces(projectId === undefined ? body : { ...body, projects: [projectId] }),
    allowedCidrs: storedNetworks(canonicalCidrs(allowedCidrs)),
  };
}

export const tokensService: Implements<typeof tokensContract> = {
  async createToken(tx, call) {
    const { id: userId } = requireAccount(call);
    const teamId = requestedTeam(call);
    const { name, expiresAt = null } = call.body;
    requireFuture(expiresAt, call.now);
    const abilities = requestedLimits(call);
    const networks = readNetworks(abilities.allowedCidrs) ?? [];
    requireWithinCaller(call, { endsAt: expiresAt, networks, places: readLimits(abilities) });
    await requireRoom(tx, { userId, maxTokens: call.instance.maxTokens, now: call.now });
    const allows = describeToken({ ...abilities, expiresAt });
    if (call.query.dryRun) return { allows };
    const { id, value } = await issueToken(tx, call, { userId, name, teamId, expiresAt, abilities });
    return { token: publicToken(await getToken(tx, call, id)), bearerToken: value, allows };
  },

  async listTokens(tx, call) {
    const { id: userId } = requireAccount(call);
    const bounds = paginationBounds(call.query);
    const { caller, query } = call;
    const read = (batch: PageBounds) => listTokens(tx, { userId, teamId: caller.teamId }, batch);
    // An account has few enough that those which are found need no index.
    const { rows, isCut } = hasFilter(query)
      ? await paginateKnown(bounds, read, (row) => isFound(row, query, call.now))
      : { rows: await read(bounds), isCut: false };
    const { items, page } = paginate(rows, bounds, isCut);
    return { tokens: items.map(publicToken), pagination: page, page };
  },

  async getToken(tx, call) {
    return { token: publicToken(await getToken(tx, call, call.params.tokenId)) };
  },

  async deleteToken(tx, call) {
    const token = await getToken(tx, call, call.params.tokenId);
    await revokeToken(tx, call, token);
    return { tokenId: token.id };
  },
};
