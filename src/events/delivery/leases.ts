// The leases of this process: claims webhooks, renews their leases, and undoes claims whose result was lost. The store may have
// committed such a claim before the connection broke, and nobody would deliver to its webhooks until the lease ends.
import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findValidLeases, leaseKey } from "../queue/queue.ts";
import type { ClaimRequest, Lease, LeasedQueue, queueChanges } from "../queue/queue.ts";

/** Webhooks of one claim. */
export interface Claim {
  readonly leaseId: string;
  readonly queues: readonly LeasedQueue[];
}

export interface Leases {
  claim(request: Omit<ClaimRequest, "leaseId">): Promise<Claim>;
  /** Undoes the claims that failed; to be called before the next claim. */
  undoFailed(): Promise<void>;
  /** Renews the current leases. Never rejects. */
  renew(): Promise<void>;
}

/** `current` returns the lease of a webhook, and of all of them, as they are at the time of the call. */
export function createLeases(
  changes: ChangeRunner<typeof queueChanges>,
  current: { all(): readonly Lease[]; of(webhookId: string): Lease | undefined },
  { clock, logger }: { readonly clock: Clock; readonly logger: FastifyBaseLogger },
): Leases {
  const failedClaims = new Set<string>();
  return {
    async claim(request) {
      const leaseId = randomUUID();
      try {
        return { leaseId, queues: await changes.claimWebhooks({ ...request, leaseId }, clock()) };
      } catch (error) {
        failedClaims.add(leaseId);
        throw error;
      }
    },
    async undoFailed() {
      for (const leaseId of failedClaims) {
        await changes.undoClaim(leaseId, clock());
        failedClaims.delete(leaseId);
      }
    },
    async renew() {
      const leases = current.all();
      if (leases.length === 0) return;
      try {
        for (const webhookId of await changes.renewLeases(leases, clock())) {
          const lease = current.of(webhookId);
          if (lease) await changes.renewLeases([lease], clock());
        }
      } catch (error) {
        const effect = "another process may deliver to these webhooks too";
        logger.warn({ err: error }, `the leases of webhooks could not be renewed: ${effect}`);
      }
    },
  };
}

/** Returns a function that tells whether a lease is valid. One read serves all that ask in the same turn of the event loop. */
export function createLeaseCheck(reader: Tx): (lease: Lease) => Promise<boolean> {
  let asked = new Map<string, Lease>();
  let answer: Promise<ReadonlySet<string>> | undefined;

  async function ask(): Promise<ReadonlySet<string>> {
    await setImmediate();
    const leases = [...asked.values()];
    asked = new Map();
    answer = undefined;
    return await findValidLeases(reader, leases);
  }

  return async (lease) => {
    const key = leaseKey(lease);
    asked.set(key, lease);
    return (await (answer ??= ask())).has(key);
  };
}
