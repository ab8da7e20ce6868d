// Ends the webhooks of a deleted owner: their rows are deleted with the owner's, and their deliveries are pruned.
import type { RemovalHook } from "../../platform/store/removals/remove.ts";
import { retireQueues } from "../queue/queue-store.ts";
import { resetCount } from "./store.ts";

export const webhooksRemoval: RemovalHook = {
  async end(tx, { ownerId }, now) {
    await retireQueues(tx, { ownerId, now });
    await resetCount(tx, { ownerId });
  },
};
