// How many streamed answers are being sent: each credential may have some at a time, and so may all together.
import { ApiError } from "../kernel/errors.ts";

const MAX_OF_CREDENTIAL = 10;
const MAX_OPEN = 1_000;
const RETRY_AFTER_S = 5;

export interface StreamCounts {
  /** Takes a place, or refuses; answers how to give it back. */
  take(credentialId: string): () => void;
}

function refuseTooMany(expected: string): never {
  throw new ApiError("too_many_streams", `Too many streamed answers at a time: ${expected}`, {
    retryAfter: RETRY_AFTER_S,
  });
}

export function createStreamCounts(): StreamCounts {
  const open = new Map<string, number>();
  let total = 0;
  return {
    take(credentialId) {
      const count = open.get(credentialId) ?? 0;
      if (count >= MAX_OF_CREDENTIAL) refuseTooMany(`a credential may have ${MAX_OF_CREDENTIAL}`);
      if (total >= MAX_OPEN) refuseTooMany("this server has as many as it takes");
      open.set(credentialId, count + 1);
      total++;
      return () => {
        total--;
        const left = (open.get(credentialId) as number) - 1;
        if (left === 0) open.delete(credentialId);
        else open.set(credentialId, left);
      };
    },
  };
}
