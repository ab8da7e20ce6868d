// The handlers of the endpoints of checkpoints.
import type { Implements } from "../../platform/kernel/contract.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { checkpointsContract } from "./contract.ts";
import { checkpointHead } from "./make.ts";
import { listPage } from "./store.ts";

export const checkpointsService: Implements<typeof checkpointsContract> = {
  async createCheckpoint(tx, { scope: { ownerId }, keyring, now }) {
    const made = await checkpointHead(tx, keyring, ownerId, now);
    if (!made) throw new Error(`the chain of ${ownerId} lacks its first event`);
    return { checkpoint: made.checkpoint };
  },

  async listCheckpoints(tx, { scope: { ownerId }, query }) {
    const bounds = paginationBounds(query);
    const { items, page } = paginate(await listPage(tx, { ownerId }, bounds), bounds);
    return { checkpoints: items, pagination: page, page };
  },
};
