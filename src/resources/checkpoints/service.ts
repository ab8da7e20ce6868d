// What the calls about checkpoints do.
import type { Implements } from "../../kernel/contract.ts";
import { cutPage, pageBounds } from "../../kernel/pagination.ts";
import type { checkpointsContract } from "./contract.ts";
import { checkpointHead } from "./make.ts";
import { listPage } from "./store.ts";

export const checkpointsService: Implements<typeof checkpointsContract> = {
  createCheckpoint: async (tx, { scope: { ownerId }, keyring, now }) => ({
    checkpoint: await checkpointHead(tx, keyring, ownerId, now),
  }),

  async listCheckpoints(tx, { scope: { ownerId }, query }) {
    const bounds = pageBounds(query);
    const { items, page } = cutPage(await listPage(tx, { ownerId }, bounds), bounds);
    return { checkpoints: items, pagination: page, page };
  },
};
