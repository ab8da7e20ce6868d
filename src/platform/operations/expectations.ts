// What a request will lock and read: the owner that the last request of its credential for the same team has locked, else that of its scope
// as far as is known outside of its transaction, and what its operation read before. PostgreSQL does both with the begin of the
// transaction. A request that then finds another owner runs again without the expectation, so it does no harm when a slug was given to
// another team.
import type { Caller, Scope } from "../kernel/caller.ts";
import { ApiError } from "../kernel/errors.ts";
import type { Operation, OperationRegistry } from "../kernel/operation-registry.ts";
import type { Tx } from "../kernel/tx.ts";
import type { TransactionOptions } from "../store/database.ts";
import { resolveScope } from "./authorize.ts";
import type { OperationRequest } from "./execute.ts";
import { LearnedReads } from "./read-plans.ts";

/** Requests that are known, a few MB. */
const CAPACITY = 10_000;

export interface Expectations {
  /** Empty for a request that is refused, or whose caller was not found before. */
  of(request: OperationRequest, caller: Caller | undefined): Promise<Expected>;
  learn(request: OperationRequest, scope: Scope): void;
  /** The request was refused: the next one locks nothing before it is authorised. */
  forget(request: OperationRequest): void;
}

type Expected = Pick<TransactionOptions, "ownerId" | "isShared" | "plan">;

/** `reader` and the directory serve reads outside of transactions. */
export function createExpectations(
  { operations, directory }: Pick<OperationRegistry, "operations" | "directory">,
  reader: Tx,
): Expectations {
  const known = new Map<string, Scope>();
  const reads = new Map<string, LearnedReads>();

  function keyOf({ operation, identity, scope }: OperationRequest): string | undefined {
    const endpoint = operations.get(operation)?.endpoint;
    if (!endpoint || "caller" in identity) return undefined;
    const team = scope.pathTeam ?? scope.teamId ?? scope.slug ?? (scope.isInstance ? "instance" : "");
    return `${identity.credential.hash} ${endpoint.access.kind} ${team}`;
  }

  async function findScope({ endpoint }: Operation, request: OperationRequest, caller: Caller) {
    try {
      return await resolveScope(reader, directory, endpoint, caller, request);
    } catch (error) {
      if (error instanceof ApiError) return undefined;
      throw error;
    }
  }

  return {
    async of(request, caller) {
      const key = keyOf(request);
      const operation = operations.get(request.operation);
      if (key === undefined || !operation || !caller) return {};
      const scope = known.get(key) ?? (await findScope(operation, request, caller));
      if (!scope) return {};
      let learned = reads.get(operation.id);
      if (!learned) reads.set(operation.id, (learned = new LearnedReads()));
      // The record of an idempotency key is the credential's, whatever the owner.
      const isShared = operation.endpoint.sharesTransaction === true && !request.idempotency;
      const { body, ...rest } = request;
      return { ownerId: scope.ownerId, isShared, plan: learned.planFor({ request: rest, caller, scope, body }) };
    },
    learn(request, scope) {
      const key = keyOf(request);
      if (key === undefined) return;
      if (known.size >= CAPACITY && !known.has(key)) known.clear();
      known.set(key, scope);
    },
    forget(request) {
      const key = keyOf(request);
      if (key !== undefined) known.delete(key);
    },
  };
}
