// When a clock was ahead and went back, what it put off (first tries, later ones, rests, the hold of a process that is gone)
// would wait for that time to come. Here it is found and made due.
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { Tx } from "../../kernel/tx.ts";
import { bringForward, letGo, lockPutOff } from "./clock-skew-store.ts";
import { LONGEST_PAUSE_MS } from "./queue.ts";

/** By so much clocks of several processes may differ, and rests may seem longer than they are. */
const TOLERANCE_MS = 5 * MINUTE_MS;
/** Deliveries in a step. */
const STEP = 200;

/** Makes some of what was put off due; answers 0 when there is nothing left. */
export async function bringDeliveriesForward(tx: Tx, _input: null, now: number): Promise<number> {
  const soon = now + TOLERANCE_MS;
  const queue = await lockPutOff(tx, { soon, latest: soon + LONGEST_PAUSE_MS });
  if (!queue) return 0;
  const brought = await bringForward(tx, { ...queue, soon, now, limit: STEP });
  // Until there are no more it is found again.
  if (brought.length < STEP) await letGo(tx, queue);
  return 1;
}
