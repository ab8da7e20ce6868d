// The version of a thing that a form is about: the one that was shown when it was opened, also when a newer one is read meanwhile.
import { useState } from "react";
import { isRefusal } from "./call.ts";

/** Returns what to expect at the next try: after a refusal, which tells of the newer version, that one. */
export function useSeenVersion(current: number, error: Error | null): () => number {
  const [seen, setSeen] = useState(current);
  return () => {
    const isTold = isRefusal(error) && error.code === "version_conflict";
    const expected = isTold ? current : seen;
    setSeen(expected);
    return expected;
  };
}
