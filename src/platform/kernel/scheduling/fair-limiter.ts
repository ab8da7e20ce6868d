// Limits concurrent long-running work that several tenants share. As long as there is room, a tenant takes what it wants; when all slots are
// taken, a tenant that holds less than its share displaces the newest work of the tenant that holds most.

/** The part of all slots that a tenant keeps while others wait. */
const SHARE = 1 / 4;

export interface FairLimits {
  /** The slots of one key. */
  readonly each: number;
  readonly all: number;
}

export interface FairSlot {
  readonly key: string;
  /** Who answers for the key, and for how many others. */
  readonly tenant: string;
  /** Called when the slot was given to another tenant: the work must end. */
  displace(): void;
}

export interface FairLimiter {
  /** Takes a slot, or throws when there is none. Returns a function that releases it. */
  take(slot: FairSlot): () => void;
}

/** `refuse` creates the error to throw when a limit is reached. */
export function createFairLimiter({ each, all }: FairLimits, refuse: (limit: keyof FairLimits) => Error): FairLimiter {
  const share = Math.floor(all * SHARE);
  const byKey = new Map<string, number>();
  /** The oldest comes first. */
  const byTenant = new Map<string, Set<FairSlot>>();
  let total = 0;

  function release(slot: FairSlot): void {
    const slots = byTenant.get(slot.tenant);
    if (!slots?.delete(slot)) return;
    if (slots.size === 0) byTenant.delete(slot.tenant);
    total--;
    const left = (byKey.get(slot.key) as number) - 1;
    if (left === 0) byKey.delete(slot.key);
    else byKey.set(slot.key, left);
  }

  /** Frees a slot of the tenant that holds most, for one that holds less than its share. Returns whether there was one. */
  function displaceFor(tenant: string): boolean {
    if ((byTenant.get(tenant)?.size ?? 0) >= share) return false;
    const [largest] = [...byTenant.values()].toSorted((one, other) => other.size - one.size);
    if (!largest || largest.size <= share) return false;
    const newest = [...largest].at(-1) as FairSlot;
    release(newest);
    newest.displace();
    return true;
  }

  return {
    take(slot) {
      if ((byKey.get(slot.key) ?? 0) >= each) throw refuse("each");
      if (total >= all && !displaceFor(slot.tenant)) throw refuse("all");
      total++;
      byKey.set(slot.key, (byKey.get(slot.key) ?? 0) + 1);
      const slots = byTenant.get(slot.tenant);
      if (slots) slots.add(slot);
      else byTenant.set(slot.tenant, new Set([slot]));
      return () => release(slot);
    },
  };
}
