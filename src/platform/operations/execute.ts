// Executes one operation against the store. A read runs directly. A mutation runs in one transaction, which takes the owner's lock and
// commits the change, its events and the idempotency record. Requests are plain data, so the writer thread can execute them.
import type { Caller, Origin, Scope } from "../kernel/caller.ts";
import type { CredentialKind } from "../kernel/credential.ts";
import type { OperationRegistry, Operation } from "../kernel/operation-registry.ts";
import type { Call, Instance } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { ChunkRequest } from "../kernel/stream.ts";
import type { Tx } from "../kernel/tx.ts";
import { LostRaceError } from "../kernel/tx.ts";
import type { WriteTx } from "../store/database.ts";
import { giftOf } from "../kernel/gifts.ts";
import { requireFreshProof } from "../kernel/giving.ts";
import { resolveScope } from "./authorize.ts";
import type { ScopeReference } from "./authorize.ts";
import { explainNotFound } from "./explain-not-found.ts";
import { findStoredResult, storeResult } from "./idempotency.ts";
import type { IdempotencyRequest } from "./idempotency.ts";
import { TrackedCall } from "./dependency-tracking.ts";

/** The caller of a request: a credential, which is looked up again, or a caller that a trusted process (the command line) passes. */
export type Identity =
  | { readonly credential: { readonly kind: CredentialKind; readonly hash: string } }
  | { readonly caller: Caller };

/** One call whose input was validated. */
export interface OperationRequest {
  readonly operation: string;
  readonly identity: Identity;
  readonly scope: ScopeReference;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly now: number;
  readonly ifMatch: string | null;
  readonly ifNoneMatch?: string | null;
  readonly origin: Origin;
  readonly instance: Instance;
  readonly idempotency: IdempotencyRequest | null;
  /** Of a streamed response. */
  readonly chunk?: ChunkRequest;
}

export interface Outcome {
  readonly result: unknown;
  /** An earlier request with the same idempotency key stored the response. */
  readonly isReplay?: boolean;
  /** The handler refused the call; what it recorded is committed. */
  readonly refusal?: Pick<ApiError, "code" | "message" | "details" | "hint">;
  /** Of a read: an equal request of the same caller gets the same result until somebody changes what it depends on. */
  readonly isCacheable?: boolean;
  /** Of such a read: the owner whose rows it depends on; absent: on rows of others too. Of a mutation: the owner that it has locked. */
  readonly ownerId?: string;
}

/** The result. Throws the refusal that the handler returned. */
export function resultOf({ result, refusal }: Outcome): unknown {
  if (refusal) throw new ApiError(refusal.code, refusal.message, refusal.details, refusal.hint);
  return result;
}

export function unauthorized(): ApiError {
  const problem = "the credential is unknown, expired, revoked, or may not be used from this address";
  const advice = "sign in again, or make another one in the console";
  return new ApiError("not_authorized", `Not authorized: ${problem}; ${advice}`, { invalidToken: true });
}

async function findCaller(registry: OperationRegistry, tx: Tx, request: OperationRequest): Promise<Caller> {
  const { identity, now, origin } = request;
  if ("caller" in identity) return identity.caller;
  const caller = await registry.directory.findCaller(tx, identity.credential, now, origin.ip);
  if (!caller) throw unauthorized();
  return caller;
}

function operationOf(registry: OperationRegistry, request: OperationRequest): Operation {
  const operation = registry.operations.get(request.operation);
  if (!operation) throw new Error(`unknown operation ${request.operation}`);
  return operation;
}

function createCall(request: OperationRequest, caller: Caller, scope: Scope, keyring: Keyring): Call {
  const { params, query, body, now, ifMatch, ifNoneMatch = null, origin, instance } = request;
  return { caller, scope, params, query, body, instance, now, ifMatch, ifNoneMatch, origin, keyring };
}

async function invoke({ operations }: OperationRegistry, { id, handler, endpoint }: Operation, tx: Tx, call: Call) {
  if (!handler) throw new Error(`${id} has no response other than a stream`);
  try {
    const result = await handler(tx, call);
    return result instanceof ApiError ? explainNotFound(result, endpoint, call.scope, operations) : result;
  } catch (error) {
    throw explainNotFound(error, endpoint, call.scope, operations);
  }
}

/** Executes a read. The HTTP layer found `caller` for this request. */
export async function executeQuery(
  registry: OperationRegistry,
  tx: Tx,
  request: OperationRequest,
  caller: Caller,
): Promise<Outcome> {
  const operation = operationOf(registry, request);
  const scope = await resolveScope(tx, registry.directory, operation.endpoint, caller, request);
  const call = createCall(request, caller, scope, registry.keyring);
  const { chunk } = request;
  if (chunk && operation.readChunk) return { result: await operation.readChunk(tx, { ...call, chunk }) };
  const tracked = new TrackedCall(call);
  const result = await invoke(registry, operation, tx, tracked);
  if (result instanceof ApiError) throw result;
  const outcome = { result, isCacheable: tracked.isCacheable };
  return operation.endpoint.readsOwnerOnly ? { ...outcome, ownerId: scope.ownerId } : outcome;
}

/** What of a result is stored for replays. */
function replayable({ notReplayed }: Operation["endpoint"], result: unknown): unknown {
  if (notReplayed === undefined) return result;
  return Object.fromEntries(Object.entries(result as object).filter(([name]) => !notReplayed.includes(name)));
}

/** Executes a mutation inside `tx`. It has no effect outside the transaction, so it can run again after a lost race. */
export async function executeMutation(
  registry: OperationRegistry,
  tx: WriteTx,
  request: OperationRequest,
  onAuthorized: (scope: Scope) => void = () => undefined,
): Promise<Outcome> {
  const operation = operationOf(registry, request);
  const { endpoint } = operation;
  let caller = await findCaller(registry, tx, request);
  if (giftOf(endpoint)?.isAlways) requireFreshProof(caller, request.now);
  let scope = await resolveScope(tx, registry.directory, endpoint, caller, request);
  if (await tx.lockOwner(scope.ownerId)) {
    // A permission may have been revoked while this transaction waited for the lock.
    caller = await findCaller(registry, tx, request);
    const lockedId = scope.ownerId;
    scope = await resolveScope(tx, registry.directory, endpoint, caller, request);
    // The slug now belongs to another team, whose lock is not held. Taking a second lock would break the lock order.
    if (scope.ownerId !== lockedId) throw new LostRaceError("the name was given to another team meanwhile");
  }
  const { ownerId } = scope;
  onAuthorized(scope);
  if (request.idempotency && caller.credentialId !== null) {
    const stored = await findStoredResult(tx, caller.credentialId, request.idempotency, request.now);
    if (stored) return { result: stored.result, isReplay: true, ownerId };
  }
  if (endpoint.changesOwnerOnly) tx.changesOnly(ownerId);
  const call = createCall(request, caller, scope, registry.keyring);
  const result = await invoke(registry, operation, tx, call);
  if (result instanceof ApiError) {
    const { code, message, details, hint } = result;
    return { result: null, ownerId, refusal: { code, message, details, hint } };
  }
  if (request.idempotency && caller.credentialId !== null) {
    await storeResult(tx, caller.credentialId, request.idempotency, request.now, replayable(endpoint, result));
  }
  return { result, ownerId };
}
