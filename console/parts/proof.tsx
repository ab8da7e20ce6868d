// What a change or a value needs that wants a fresh proof of who one is. The proof is given in a tab of its own, so that nothing
// that was typed here is lost.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { isRefusal } from "../api/call.ts";
import { TEXTS } from "../texts.ts";
import { Problem } from "./problem.tsx";

function needsProof(error: Error): boolean {
  return isRefusal(error) && error.code === "proof_required";
}

/** A refusal; one that a proof would change says how to give it, and tries again when one comes back. */
export function Refusal({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  const isProof = needsProof(error);
  useEffect(() => {
    if (!isProof) return;
    window.addEventListener("focus", retry);
    return () => window.removeEventListener("focus", retry);
  }, [isProof, retry]);
  if (!isProof) return <Problem error={error} />;
  return (
    <div className="notice" role="alert">
      <p>{TEXTS.proof.needed}</p>
      <a className="button" href="prove?return=you" target="_blank" rel="opener">
        {TEXTS.proof.prove}
      </a>
    </div>
  );
}
