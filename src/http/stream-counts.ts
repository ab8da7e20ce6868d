// How many streamed answers are being sent: each principal may have some at a time, and so may all together.
import { ApiError } from "../kernel/errors.ts";
import { createPlaces } from "../kernel/places.ts";
import type { Places } from "../kernel/places.ts";

const LIMITS = { each: 10, all: 1_000 } as const;
const RETRY_AFTER_S = 5;

/** By principal: over all of its credentials. */
export function createStreamCounts(): Places {
  return createPlaces(LIMITS, (limit) => {
    const expected =
      limit === "each"
        ? `a user, or a team's API keys, may have ${LIMITS.each}`
        : "this server has as many as it takes";
    return new ApiError("too_many_streams", `Too many streamed answers at a time: ${expected}`, {
      retryAfter: RETRY_AFTER_S,
    });
  });
}
