// Clock-skew repair. Due times, cool-downs and leases that a process set while its clock was ahead would delay deliveries until that
// time comes. Housekeeping finds them and makes the deliveries due.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockSkewedQueue, makeSkewedDue, resetQueue } from "./clock-skew-store.ts";
import { LONGEST_PAUSE_MS } from "./queue.ts";

/** How far the clocks of several processes may differ. */
const TOLERANCE_MS = 5 * MINUTE_MS;
/** Deliveries in a step. */
const STEP = 200;

/** Repairs the times of one queue; returns 0 when none needs it. */
export async function repairDeliveryTimes(tx: Tx, _input: null, now: number): Promise<number> {
  const soon = now + TOLERANCE_MS;
  const queue = await lockSkewedQueue(tx, { soon, latest: soon + LONGEST_PAUSE_MS });
  if (!queue) return 0;
  const repaired = await makeSkewedDue(tx, { ...queue, soon, now, limit: STEP });
  // Until all of its deliveries are repaired, the queue is found again.
  if (repaired.length < STEP) await resetQueue(tx, queue);
  return 1;
}
