// Runs one request against the store: reads directly, mutations as one transaction that holds the owner's lock, the
// change, its events and the idempotency record. Works on plain data, so the writer thread can run it.
import type { Caller, Origin, Scope } from "../kernel/caller.ts";
import type { OperationRegistry, Operation } from "../kernel/operation-registry.ts";
import type { Call, Instance } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { ChunkRequest } from "../kernel/stream.ts";
import type { Tx } from "../kernel/tx.ts";
import { LostRaceError } from "../store/database.ts";
import type { WriteTx } from "../store/database.ts";
import { resolveScope } from "./authorize.ts";
import type { ScopeReference } from "./authorize.ts";
import { recallAnswer, recordAnswer } from "./idempotency.ts";
import type { IdempotencyRequest } from "./idempotency.ts";
import { TrackedCall } from "./dependency-tracking.ts";

/** How the caller is known: by a credential that is looked up anew, or given by a trusted process (the command line). */
export type Identity =
  | { readonly credential: { readonly kind: "token" | "key"; readonly hash: string } }
  | { readonly caller: Caller };

/** One call, after its input was validated. */
export interface OperationRequest {
  readonly operation: string;
  readonly identity: Identity;
  readonly scope: ScopeReference;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly now: number;
  readonly ifMatch: string | null;
  readonly origin: Origin;
  readonly instance: Instance;
  readonly idempotency: IdempotencyRequest | null;
  /** Of a streamed answer. */
  readonly chunk?: ChunkRequest;
}

export interface Outcome {
  readonly result: unknown;
  /** The answer was stored by an earlier request with the same idempotency key. */
  readonly isReplay: boolean;
  /** The call is refused, and what its verb recorded is kept. */
  readonly refusal?: Pick<ApiError, "code" | "message" | "details" | "hint">;
  /** Of a read: the same caller's next request for the same is answered the same, until something is committed. */
  readonly isCacheable?: boolean;
}

/** The result; throws the refusal that the verb returned. */
export function resultOf({ result, refusal }: Outcome): unknown {
  if (refusal) throw new ApiError(refusal.code, refusal.message, refusal.details, refusal.hint);
  return result;
}

export function unauthorized(): ApiError {
  return new ApiError("not_authorized", "Not authorized: the credential is unknown, expired or revoked", {
    invalidToken: true,
  });
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

/** What a verb sees of a request. */
function createCall(request: OperationRequest, caller: Caller, scope: Scope, keyring: Keyring): Call {
  const { params, query, body, now, ifMatch, origin, instance } = request;
  return { caller, scope, params, query, body, instance, now, ifMatch, origin, keyring };
}

async function invoke({ id, handler }: Operation, tx: Tx, call: Call) {
  if (!handler) throw new Error(`${id} answers in parts alone`);
  return await handler(tx, call);
}

/** Answers a read. `caller` was found by the edge for this very request. */
export async function executeQuery(
  registry: OperationRegistry,
  tx: Tx,
  request: OperationRequest,
  caller: Caller,
): Promise<Outcome> {
  const operation = operationOf(registry, request);
  const scope = await resolveScope(tx, registry.directory, operation.endpoint, caller, request.scope);
  const call = createCall(request, caller, scope, registry.keyring);
  const { chunk } = request;
  if (chunk && operation.readChunk)
    return { result: await operation.readChunk(tx, { ...call, chunk }), isReplay: false };
  const watched = new TrackedCall(call);
  const result = await invoke(operation, tx, watched);
  if (result instanceof ApiError) throw result;
  return { result, isReplay: false, isCacheable: watched.isCacheable };
}

/** Carries out a mutation inside `tx`. Has no effect outside it, so it may run again after a lost race. */
export async function executeCommand(
  registry: OperationRegistry,
  tx: WriteTx,
  request: OperationRequest,
): Promise<Outcome> {
  const operation = operationOf(registry, request);
  const { endpoint } = operation;
  let caller = await findCaller(registry, tx, request);
  let scope = await resolveScope(tx, registry.directory, endpoint, caller, request.scope);
  if (await tx.lockOwner(scope.ownerId)) {
    // A right may have been taken away while this transaction waited for the lock.
    caller = await findCaller(registry, tx, request);
    const lockedId = scope.ownerId;
    scope = await resolveScope(tx, registry.directory, endpoint, caller, request.scope);
    // The slug has passed to another team, whose lock is not held; taking a second one would break the order of locks.
    if (scope.ownerId !== lockedId) throw new LostRaceError("the name was given to another team meanwhile");
  }
  if (request.idempotency && caller.credentialId !== null) {
    const answer = await recallAnswer(tx, caller.credentialId, request.idempotency, request.now);
    if (answer) return { result: answer.result, isReplay: true };
  }
  const call = createCall(request, caller, scope, registry.keyring);
  const result = await invoke(operation, tx, call);
  if (result instanceof ApiError) {
    const { code, message, details, hint } = result;
    return { result: null, isReplay: false, refusal: { code, message, details, hint } };
  }
  if (request.idempotency && caller.credentialId !== null) {
    await recordAnswer(tx, caller.credentialId, request.idempotency, request.now, result);
  }
  return { result, isReplay: false };
}
