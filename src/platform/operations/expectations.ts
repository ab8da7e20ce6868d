// What a request will lock and read: the owner that the last request of its credential for the same team has locked, and what its operation
// read before. PostgreSQL does both with the begin of the transaction. A request that then finds another owner runs again
// without the expectation, so it does no harm when a slug was given to another team.
import type { Caller, Scope } from "../kernel/caller.ts";
import type { CredentialKind } from "../kernel/credential.ts";
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { TransactionOptions } from "../store/database.ts";
import type { OperationRequest } from "./execute.ts";
import { LearnedReads } from "./read-plans.ts";

/** Requests that are known, a few MB. */
const CAPACITY = 10_000;

export interface Expectations {
  /** Empty for a request that is not known. */
  of(request: OperationRequest): Pick<TransactionOptions, "ownerId" | "isShared" | "plan">;
  learn(request: OperationRequest, caller: Caller, scope: Scope): void;
  /** The request was refused: the next one locks nothing before it is authorised. */
  forget(request: OperationRequest): void;
}

interface Known {
  readonly caller: Caller;
  readonly scope: Pick<Scope, "ownerId">;
}

/** `peek`: the caller of a credential, if it is known without asking the store. */
export function createExpectations(
  { operations }: Pick<OperationRegistry, "operations">,
  peek: (credential: { readonly kind: CredentialKind; readonly hash: string }) => Caller | undefined,
): Expectations {
  const known = new Map<string, Known>();
  const reads = new Map<string, LearnedReads>();

  function keyOf({ operation, identity, scope }: OperationRequest): string | undefined {
    const endpoint = operations.get(operation)?.endpoint;
    if (!endpoint || "caller" in identity) return undefined;
    const team = scope.pathTeam ?? scope.teamId ?? scope.slug ?? (scope.isInstance ? "instance" : "");
    return `${identity.credential.hash} ${endpoint.access.kind} ${team}`;
  }

  /** What a person changes of their own account. */
  function ownOf({ operation, identity, scope }: OperationRequest): Known | undefined {
    const kind = operations.get(operation)?.endpoint.access.kind;
    const isOwn = (scope.pathTeam ?? scope.teamId ?? scope.slug) === null && !scope.isInstance;
    if (!isOwn || (kind !== "user" && kind !== "owner") || "caller" in identity) return undefined;
    const caller = peek(identity.credential);
    return caller?.account && caller.teamId === null ? { caller, scope: { ownerId: caller.account.id } } : undefined;
  }

  return {
    of(request) {
      const key = keyOf(request);
      const found = (key === undefined ? undefined : known.get(key)) ?? ownOf(request);
      if (!found) return {};
      const { operation, idempotency } = request;
      let learned = reads.get(operation);
      if (!learned) reads.set(operation, (learned = new LearnedReads()));
      // The record of an idempotency key is the credential's, whatever the owner.
      const isShared = operations.get(operation)?.endpoint.sharesTransaction === true && !idempotency;
      const { body, ...rest } = request;
      return { ownerId: found.scope.ownerId, isShared, plan: learned.planFor({ request: rest, ...found, body }) };
    },
    learn(request, caller, scope) {
      const key = keyOf(request);
      if (key === undefined) return;
      if (known.size >= CAPACITY && !known.has(key)) known.clear();
      known.set(key, { caller, scope });
    },
    forget(request) {
      const key = keyOf(request);
      if (key !== undefined) known.delete(key);
    },
  };
}
