// What a person has granted to a program: a record holds it until the program takes its token.
import { createSecretCode } from "../../platform/kernel/credential.ts";
import { teamNotFound } from "../../platform/kernel/errors.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { findTeamAccess } from "../team-access/team-access.ts";
import { requireRoom } from "../tokens/room.ts";
import { API_SCOPE, findClient } from "./clients.ts";
import { endOf } from "./rules.ts";
import { upsertRecord } from "./store.ts";

/** What a person chose. */
export interface Choice {
  /** The one team that the token is limited to; null: the whole account. */
  readonly teamId: string | null;
  /** null: without an end. */
  readonly lifetimeDays: number | null;
}

/** A choice as the record of a grant keeps it. */
export interface Approval {
  readonly userId: string;
  readonly teamId: string | null;
  /** ms; null: never. */
  readonly endsAt: number | null;
  /** Name of the token. */
  readonly name: string;
}

/** The program that gets a grant. */
export interface Grantee {
  readonly clientId: string;
  readonly deviceName: string | null;
  /** When its code expires, ms. */
  readonly expiresAt: number;
}

/** A program takes its token within this time after the code itself expired: it asks every few seconds. */
const TAKE_MS = MINUTE_MS;

/** Which program, and where it runs. */
function nameToken({ clientId, deviceName }: Grantee): string {
  const prefix = findClient(clientId)?.tokenName ?? clientId;
  return deviceName === null ? prefix : `${prefix} on ${deviceName}`;
}

/** Only a confirmed member may limit a token to a team. */
async function requireMember(tx: Tx, { caller }: EventContext, teamId: string): Promise<void> {
  const team = await findTeamAccess(tx, caller, teamId);
  if (!team || team.role === null) throw teamNotFound();
}

/**
 * Stores a grant of the account that acts, whose lock the caller holds, and records the event. Refuses what the account may not
 * grant. Returns the grant's id.
 */
export async function addGrant(
  tx: Tx,
  act: EventContext,
  grantee: Grantee,
  { teamId, lifetimeDays }: Choice,
  maxTokens: number,
): Promise<{ readonly grantId: string; readonly grantHash: string }> {
  const userId = act.caller.principalId;
  if (teamId !== null) await requireMember(tx, act, teamId);
  await requireRoom(tx, { userId, maxTokens, now: act.now });
  const { value: grantId, hash: grantHash } = createSecretCode();
  const { clientId, expiresAt } = grantee;
  const approval: Approval = { userId, teamId, endsAt: endOf(lifetimeDays, act.now), name: nameToken(grantee) };
  const payload = { kind: "Grant", accountId: userId, clientId, openid: { scope: API_SCOPE }, approval };
  await upsertRecord(tx, {
    model: "Grant",
    hash: grantHash,
    lookupHash: null,
    grantHash,
    address: null,
    userId,
    payload: JSON.stringify(payload),
    expiresAt: expiresAt + TAKE_MS,
  });
  await emit(tx, act, {
    type: "oauth-app-connection-created",
    ownerId: userId,
    entityId: userId,
    text: `approved ${approval.name}`,
    payload: {
      clientId,
      scope: teamId === null ? "user" : "team",
      ...(teamId === null ? {} : { teamId }),
      ...(approval.endsAt === null ? {} : { expiresAt: approval.endsAt }),
    },
  });
  return { grantId, grantHash };
}
