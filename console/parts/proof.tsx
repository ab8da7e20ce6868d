// What a fresh proof of who one is would change: what was refused or left out is asked for again after the proof.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Problem, needsProof } from "./problem.tsx";
import { PROVED, ProofNeeded } from "./prove.tsx";

function useAfterProof(isNeeded: boolean, retry: () => void): void {
  useEffect(() => {
    if (!isNeeded) return;
    // Here, or in a tab that was closed.
    for (const event of [PROVED, "focus"]) window.addEventListener(event, retry);
    return () => {
      for (const event of [PROVED, "focus"]) window.removeEventListener(event, retry);
    };
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
