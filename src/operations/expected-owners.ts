// Which owner a request will lock: the one that the last request of its credential for the same team has locked. PostgreSQL takes the
// lock with the begin of a transaction that several requests share. Whoever expects another owner than the request then finds runs it
// again by itself, so it does no harm when a slug was given to another team.
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { OperationRequest, Outcome } from "./execute.ts";

/** Requests that are known, a few MB. */
const CAPACITY = 10_000;

export interface ExpectedOwners {
  /** Undefined for a request that is not known, or that shares no transaction. */
  of(request: OperationRequest): string | undefined;
  learn(request: OperationRequest, outcome: Outcome): void;
}

export function createExpectedOwners({ operations }: Pick<OperationRegistry, "operations">): ExpectedOwners {
  const known = new Map<string, string>();

  function keyOf({ operation, identity, scope, idempotency }: OperationRequest): string | undefined {
    const endpoint = operations.get(operation)?.endpoint;
    // The record of an idempotency key is the credential's, whatever the owner.
    if (!endpoint?.sharesTransaction || idempotency || "caller" in identity) return undefined;
    const team = scope.pathTeam ?? scope.teamId ?? scope.slug ?? (scope.isInstance ? "instance" : "");
    return `${identity.credential.hash} ${endpoint.access.kind} ${team}`;
  }

  return {
    of(request) {
      const key = keyOf(request);
      return key === undefined ? undefined : known.get(key);
    },
    learn(request, { ownerId }) {
      const key = keyOf(request);
      if (key === undefined || ownerId === undefined || known.get(key) === ownerId) return;
      if (known.size >= CAPACITY) known.clear();
      known.set(key, ownerId);
    },
  };
}
