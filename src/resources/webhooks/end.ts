// The webhooks of an owner that is deleted: their rows go with the owner's, what waits for them is cleared away.
import type { Tx } from "../../kernel/tx.ts";
import type { Act } from "../events/emit.ts";
import { retireQueues } from "../../delivery/queue/queue-store.ts";
import { forgetCount } from "./store.ts";

/** Ends every delivery of the owner, after its last event. */
export async function endWebhooks(tx: Tx, { now }: Pick<Act, "now">, ownerId: string): Promise<void> {
  await retireQueues(tx, { ownerId, now });
  await forgetCount(tx, { ownerId });
}
