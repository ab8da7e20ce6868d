// The webhooks of an owner that is deleted: their rows go with the owner's, what waits for them is cleared away.
import type { RemovalHook } from "../removals/remove.ts";
import { retireQueues } from "../../delivery/queue/queue-store.ts";
import { forgetCount } from "./store.ts";

/** Ends every delivery of the owner, after its last event. */
export const webhooksRemoval: RemovalHook = {
  async end(tx, { ownerId }, now) {
    await retireQueues(tx, { ownerId, now });
    await forgetCount(tx, { ownerId });
  },
};
