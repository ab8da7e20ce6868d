// What is below something that is still read.
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import type { Query } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";

const LOOK_AGAIN_MS = 50;
const FIRST_READS = { predicate: ({ state }: Query) => state.status === "pending" };

/** Whether everything on the page has been read for the first time. */
export function useSettled(): boolean {
  const client = useQueryClient();
  const reads = useIsFetching(FIRST_READS);
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (reads > 0) return undefined;
    // What the page around it begins to read is not among `reads` yet, and what ends at once never is.
    let timer = setTimeout(look);
    function look(): void {
      if (client.isFetching(FIRST_READS) === 0) setSettled(true);
      else timer = setTimeout(look, LOOK_AGAIN_MS);
    }
    return () => clearTimeout(timer);
  }, [client, reads]);
  return isSettled;
}

/** Shown once everything on the page has been read for the first time, so that nothing moves under the reader's eyes. */
export function Settled({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="settled" hidden={!useSettled()}>
      {children}
    </div>
  );
}
