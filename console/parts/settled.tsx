// What is below something that is still read.
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import type { Query } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";

const FIRST_READS = { predicate: ({ state }: Query) => state.status === "pending" };

/** Shown once everything on the page has been read for the first time, so that nothing moves under the reader's eyes. */
export function Settled({ children }: { readonly children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const reads = useIsFetching(FIRST_READS);
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (reads > 0) return undefined;
    // What the page around it begins to read is not among `reads` yet.
    const timer = setTimeout(() => {
      if (client.isFetching(FIRST_READS) === 0) setSettled(true);
    });
    return () => clearTimeout(timer);
  }, [client, reads]);
  return (
    <div className="settled" hidden={!isSettled}>
      {children}
    </div>
  );
}
