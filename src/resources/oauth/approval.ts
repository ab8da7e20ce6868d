// What a person approves: which program may act for them, where, and until when. A grant holds it until the program takes its token.
import type { Origin } from "../../kernel/caller.ts";
import { createSecretCode, hashCredential } from "../../kernel/credential.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { findTeamAccess } from "../members/team-access.ts";
import { actAs } from "../sign-in/account.ts";
import { requireRoom } from "../tokens/room.ts";
import { API_SCOPE, findClient } from "./clients.ts";
import { endOf } from "./rules.ts";
import { decideRecord, findRecordByLookup, lockRecordByLookup, upsertRecord } from "./store.ts";
import type { RecordRow } from "./store.ts";

/** A program that waits for a person to approve it. */
export interface DeviceRequest {
  readonly clientId: string;
  /** What the program says that it runs on. */
  readonly deviceName: string | null;
  /** The source of the request. */
  readonly ip: string;
  readonly userAgent: string | null;
  /** ms */
  readonly requestedAt: number;
  readonly expiresAt: number;
}

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

/** The part of a device code's payload that is read here; the library writes it. */
interface DevicePayload {
  readonly clientId: string;
  readonly params?: { readonly device_name?: string };
  readonly deviceInfo: Pick<DeviceRequest, "ip" | "userAgent" | "requestedAt">;
}

const DEVICE_CODE = "DeviceCode";

/** The payload of a device code that nobody has decided about; undefined for any other. */
function pendingPayload(row: RecordRow | undefined, now: number): DevicePayload | undefined {
  const isPending = row && row.user_id === null && row.consumed_at === null && row.expires_at > now;
  return isPending ? (JSON.parse(row.payload) as DevicePayload) : undefined;
}

export function unknownDeviceCode(): ApiError {
  return new ApiError("device_code_unknown", "This code is not waiting for approval: it is mistyped, used or expired");
}

export async function findDeviceRequest(
  reader: Tx,
  lookupHash: string,
  now: number,
): Promise<DeviceRequest | undefined> {
  const row = await findRecordByLookup(reader, { model: DEVICE_CODE, lookupHash });
  const payload = pendingPayload(row, now);
  if (!row || !payload) return undefined;
  const { clientId, params, deviceInfo } = payload;
  return { clientId, deviceName: params?.device_name ?? null, ...deviceInfo, expiresAt: row.expires_at };
}

/** The team that a token is to be limited to; only its confirmed members may ask for that. */
async function requireMember(tx: Tx, { caller }: Act, teamId: string): Promise<void> {
  const team = await findTeamAccess(tx, caller, teamId);
  if (!team || team.role === null) throw notFound("Team");
}

/** Stores a grant for the account that acts, records the event, and returns the grant's id. */
async function addGrant(
  tx: Tx,
  act: Act,
  {
    clientId,
    name,
    choice,
    expiresAt,
  }: {
    readonly clientId: string;
    readonly name: string;
    readonly choice: Choice;
    /** ms; after it the program can no longer take its token. */
    readonly expiresAt: number;
  },
): Promise<string> {
  const { value: grantId, hash } = createSecretCode();
  const userId = act.caller.principalId;
  const { teamId, lifetimeDays } = choice;
  const approval: Approval = { userId, teamId, endsAt: endOf(lifetimeDays, act.now), name };
  await upsertRecord(tx, {
    model: "Grant",
    hash,
    lookupHash: null,
    grantHash: hash,
    address: null,
    userId,
    payload: JSON.stringify({
      kind: "Grant",
      accountId: userId,
      clientId,
      openid: { scope: API_SCOPE },
      approval,
    }),
    expiresAt,
  });
  await emit(tx, act, {
    type: "oauth-app-connection-created",
    ownerId: userId,
    entityId: userId,
    text: `approved ${name}`,
    payload: {
      clientId,
      scope: teamId === null ? "user" : "team",
      ...(teamId === null ? {} : { teamId }),
      ...(approval.endsAt === null ? {} : { expiresAt: approval.endsAt }),
    },
  });
  return grantId;
}

/** The name of a token: which program, and where it runs. */
function nameToken(clientId: string, deviceName: string | null): string {
  const prefix = findClient(clientId)?.tokenName ?? clientId;
  return deviceName === null ? prefix : `${prefix} on ${deviceName}`;
}

/** A program takes its token within this time after the code itself expired: it asks every few seconds. */
const TAKE_MS = MINUTE_MS;

export interface DeviceDecision {
  readonly lookupHash: string;
  readonly userId: string;
  readonly origin: Origin;
  /** null: the person refused. */
  readonly choice: Choice | null;
  /** `REEVE_MAX_TOKENS` */
  readonly maxTokens: number;
}

/** Internal command: a person approves or refuses a device code, once. They have proved who they are. */
export async function decideDevice(
  tx: Tx,
  { lookupHash, userId, origin, choice, maxTokens }: DeviceDecision,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  const row = await lockRecordByLookup(tx, { model: DEVICE_CODE, lookupHash });
  const payload = pendingPayload(row, now);
  if (!row || !payload) throw unknownDeviceCode();
  const key = { model: DEVICE_CODE, hash: row.hash, userId };
  if (choice === null) {
    const refusal = { error: "access_denied", errorDescription: "the person refused the request" };
    await decideRecord(tx, { ...key, grantHash: null, payload: JSON.stringify({ ...payload, ...refusal }) });
    return;
  }
  if (choice.teamId !== null) await requireMember(tx, act, choice.teamId);
  await requireRoom(tx, { userId, maxTokens, now });
  const { clientId, params } = payload;
  const name = nameToken(clientId, params?.device_name ?? null);
  const grantId = await addGrant(tx, act, { clientId, name, choice, expiresAt: row.expires_at + TAKE_MS });
  const approved = { ...payload, accountId: userId, grantId, scope: API_SCOPE };
  await decideRecord(tx, { ...key, grantHash: hashCredential(grantId), payload: JSON.stringify(approved) });
}
