// What a fresh proof of who one is would change: what was refused or left out is asked for again when the tab of the proof was closed.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Problem, ProofNeeded, needsProof } from "./problem.tsx";

function useAfterProof(isNeeded: boolean, retry: () => void): void {
  useEffect(() => {
    if (!isNeeded) return;
    window.addEventListener("focus", retry);
    return () => window.removeEventListener("focus", retry);
  }, [isNeeded, retry]);
}

export function Refusal({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  useAfterProof(needsProof(error), retry);
  return <Problem error={error} />;
}

/** In place of a part of a page that the server left out. */
export function LeftOut({ retry }: { readonly retry: () => void }): ReactNode {
  useAfterProof(true, retry);
  return <ProofNeeded role="note" />;
}
