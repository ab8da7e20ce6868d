// The version of a thing that a form is about: the one that was shown when it was opened, also when a newer one is read meanwhile.
import { useState } from "react";
import { isRefusal } from "./call.ts";

/** Whether somebody else changed the thing meanwhile. */
export function isOutdated(error: unknown): boolean {
  return isRefusal(error) && ["revision_mismatch", "version_conflict"].includes(error.code);
}

/** Returns what to expect at the next try: after a refusal, which tells of the newer version, that one. `V` is a number or an `ETag`. */
export function useSeenVersion<V>(current: V, error: Error | null): () => V {
  const [seen, setSeen] = useState(current);
  return () => {
    const expected = isOutdated(error) ? current : seen;
    setSeen(expected);
    return expected;
  };
}
