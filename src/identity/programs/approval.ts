// The requests of programs that wait for a person, and the person's decision about them: by a user code that the program shows, or in
// the browser that the program has opened.
import type { Origin } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { actAs } from "../methods/account.ts";
import { API_SCOPE } from "./clients.ts";
import { addGrant } from "./grant.ts";
import type { Choice } from "./grant.ts";
import { decideRecord, findRecord, findRecordByLookup, lockRecord, lockRecordByLookup } from "./store.ts";
import type { RecordRow } from "./store.ts";

/** The two ways in which programs ask, by the model of their records. */
export type RequestModel = "DeviceCode" | "Interaction";

/** A program that waits for a person. */
export interface WaitingRequest {
  readonly clientId: string;
  /** What the program says that it runs on. */
  readonly deviceName: string | null;
  /** The source of the request. */
  readonly ip: string;
  /** ms */
  readonly requestedAt: number;
  /** Where the answer goes; null: the program asks for it. */
  readonly redirectUri: string | null;
}

/** The part of a payload that is read here; the library writes it. */
interface PendingPayload {
  readonly params: {
    readonly client_id: string;
    readonly device_name?: string;
    readonly redirect_uri?: string;
  };
  /** Added by the adapter. */
  readonly source: { readonly ip: string; readonly requestedAt: number };
}

/** A record by what leads to it: the hash of the user code, or of the interaction's own id. */
interface RecordKey {
  readonly model: RequestModel;
  readonly hash: string;
}

async function findRow(tx: Tx, { model, hash }: RecordKey): Promise<RecordRow | undefined> {
  return await (model === "DeviceCode"
    ? findRecordByLookup(tx, { model, lookupHash: hash })
    : findRecord(tx, { model, hash }));
}

/** The same, locked: of two decisions one comes first. */
async function lockRow(tx: Tx, { model, hash }: RecordKey): Promise<RecordRow | undefined> {
  return await (model === "DeviceCode"
    ? lockRecordByLookup(tx, { model, lookupHash: hash })
    : lockRecord(tx, { model, hash }));
}

/** The payload of a request that nobody has decided about; undefined for any other. */
function pendingPayload(row: RecordRow | undefined, now: number): PendingPayload | undefined {
  const isPending = row && row.userId === null && row.consumedAt === null && row.expiresAt > now;
  return isPending ? (JSON.parse(row.payload) as PendingPayload) : undefined;
}

export function unknownRequest(): ApiError {
  const problem = "No program is waiting with this code: it is mistyped, was used before, or has expired";
  return new ApiError("device_code_unknown", problem);
}

export async function findRequest(reader: Tx, key: RecordKey, now: number): Promise<WaitingRequest | undefined> {
  const payload = pendingPayload(await findRow(reader, key), now);
  if (!payload) return undefined;
  const { params, source } = payload;
  return {
    clientId: params.client_id,
    deviceName: params.device_name ?? null,
    ...source,
    redirectUri: params.redirect_uri ?? null,
  };
}

export interface Decision {
  readonly request: RecordKey;
  readonly userId: string;
  readonly origin: Origin;
  /** null: the person refused. */
  readonly choice: Choice | null;
  /** `REEVE_MAX_TOKENS` */
  readonly maxTokens: number;
}

const REFUSED = "the person refused the request";

/** What the library finds in the payload of a request that was approved or refused. */
function decisionOf(model: RequestModel, userId: string, grantId: string | null): Readonly<Record<string, unknown>> {
  if (model === "DeviceCode") {
    return grantId === null
      ? { error: "access_denied", errorDescription: REFUSED }
      : { accountId: userId, grantId, scope: API_SCOPE };
  }
  const result =
    grantId === null
      ? { error: "access_denied", error_description: REFUSED }
      : { login: { accountId: userId, remember: false }, consent: { grantId } };
  return { result };
}

/** Internal change: a person approves or refuses a request, once. They have proved who they are. */
export async function decideRequest(
  tx: Tx,
  { request, userId, origin, choice, maxTokens }: Decision,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  const row = await lockRow(tx, request);
  const payload = pendingPayload(row, now);
  if (!row || !payload) throw unknownRequest();
  const { client_id: clientId, device_name: deviceName = null } = payload.params;
  const grantee = { clientId, deviceName, expiresAt: row.expiresAt };
  const grant = choice && (await addGrant(tx, act, grantee, choice, maxTokens));
  const decision = decisionOf(request.model, userId, grant?.grantId ?? null);
  await decideRecord(tx, {
    model: request.model,
    hash: row.hash,
    userId,
    grantHash: grant?.grantHash ?? null,
    payload: JSON.stringify({ ...payload, ...decision }),
  });
}
