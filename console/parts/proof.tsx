// A refusal that a fresh proof of who one is would change: what was refused is tried again when the tab of the proof was closed.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Problem, needsProof } from "./problem.tsx";

export function Refusal({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  const isProof = needsProof(error);
  useEffect(() => {
    if (!isProof) return;
    window.addEventListener("focus", retry);
    return () => window.removeEventListener("focus", retry);
  }, [isProof, retry]);
  return <Problem error={error} />;
}
