// How many access tokens a user may have at a time.
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "../../events/events/emit.ts";
import { listLiveTokens } from "./store.ts";

export interface TokenRoom {
  readonly userId: string;
  /** `REEVE_MAX_TOKENS` */
  readonly maxTokens: number;
  readonly now: number;
}

/** Refuses a token above the limit: the rate limit counts per user, but each token is a row and a secret that can leak. */
export async function requireRoom(tx: Tx, { userId, maxTokens, now }: TokenRoom): Promise<void> {
  // A token of a team is made under the team's lock: others may be made at the same time.
  await lockOwner(tx, userId);
  if ((await listLiveTokens(tx, { userId, now, limit: maxTokens })).length < maxTokens) return;
  throw new ApiError(
    "too_many_tokens",
    `A user has at most ${maxTokens} access tokens at a time: delete one, or raise REEVE_MAX_TOKENS`,
    { limit: maxTokens },
  );
}
