// Issuing an access token: for its user, for a client that its user approved, for the first start, and for the command line.
import { createCredential } from "../../platform/kernel/credential.ts";
import type { NewCredential } from "../../platform/kernel/credential.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { limitOf, readLimits, shownLimits } from "../../platform/kernel/limits.ts";
import { readNetworks } from "../../platform/kernel/network/allowed-networks.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { insertToken } from "./store.ts";
import type { TokenRow } from "./store.ts";

/** How a token came to be, in public words: its user made it, or a program asked for it. */
export type TokenOrigin = "manual" | "app";

/** The columns that limit a token. */
export type TokenAbilities = Pick<TokenRow, "permissions" | "limits" | "allowedCidrs">;

const NO_LIMITS: TokenAbilities = { permissions: null, limits: null, allowedCidrs: null };

/** What an event tells of the limits of a token. */
function limitState(name: string, abilities: TokenAbilities, expiresAt: number | null) {
  const limits = readLimits(abilities);
  const allowedCidrs = readNetworks(abilities.allowedCidrs) ?? [];
  return { name, ...shownLimits(limits), expiresAt, allowedCidrs };
}

export interface TokenOrder {
  readonly userId: string;
  readonly name: string;
  /** The one team that the token is limited to. */
  readonly teamId?: string | null;
  /** ms; null or absent: never. */
  readonly expiresAt?: number | null;
  /** What else it is limited to, as it is stored; absent: nothing. */
  readonly abilities?: TokenAbilities;
  /** A credential that was made elsewhere; otherwise a new one. */
  readonly credential?: NewCredential;
  /** The OAuth client that it is issued to, and the grant for which. */
  readonly client?: { readonly id: string; readonly grantHash: string } | null;
}

/** Stores a new token and records the event; `value` is shown once and never again. */
export async function issueToken(
  tx: Tx,
  act: EventContext,
  order: TokenOrder,
): Promise<{ readonly id: string; readonly value: string }> {
  const { userId, name, teamId = null, expiresAt = null, client = null, abilities = NO_LIMITS } = order;
  const { hash, prefix, suffix, value } = order.credential ?? createCredential("token");
  const origin: TokenOrigin = client === null ? "manual" : "app";
  const id = newId("token");
  await insertToken(tx, {
    id,
    userId,
    hash,
    name,
    prefix,
    suffix,
    origin,
    teamId,
    expiresAt,
    clientId: client?.id ?? null,
    grantHash: client?.grantHash ?? null,
    permissions: abilities.permissions,
    limits: abilities.limits,
    allowedCidrs: abilities.allowedCidrs,
    now: act.now,
    position: positionAt(act.now),
  });
  await emit(tx, act, {
    type: "user-token-created",
    ownerId: userId,
    entityId: id,
    text: `created access token ${name}`,
    payload: {
      tokenId: id,
      tokenName: name,
      scope: limitOf(readLimits(abilities), "project") !== null ? "project" : teamId === null ? "user" : "team",
      origin,
      ...(client && { clientId: client.id }),
      tokenPrefix: prefix,
      tokenSuffix: suffix,
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(teamId === null ? {} : { teamId }),
    },
    next: limitState(name, abilities, expiresAt),
  });
  return { id, value };
}
