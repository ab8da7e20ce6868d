// What went wrong, with what an operator needs to find it.
import type { ReactNode } from "react";
import { isRefusal, isUnreachable } from "../api/call.ts";
import { signInAddress } from "../api/session-end.ts";
import { TEXTS, fill } from "../texts.ts";

/** A session that ended while something was typed: whoever signs in, in another tab, sends it from here. */
function Ended(): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>{TEXTS.problem.ended}</p>
      <a className="button" href={signInAddress()} target="_blank" rel="opener">
        {TEXTS.problem.signIn}
      </a>
    </div>
  );
}

/** What needs a proof, which is given in a tab of its own, so that nothing that was typed here is lost. */
export function ProofNeeded({ role }: { readonly role: "alert" | "note" }): ReactNode {
  return (
    <div className="notice" role={role}>
      <p>{TEXTS.proof.needed}</p>
      <a className="button" href="prove?return=you" target="_blank" rel="opener">
        {TEXTS.proof.prove}
      </a>
    </div>
  );
}

export function needsProof(error: Error): boolean {
  return isRefusal(error) && error.code === "proof_required";
}

export function Problem({ error, retry }: { readonly error: Error; readonly retry?: () => void }): ReactNode {
  if (isRefusal(error) && error.status === 401) return <Ended />;
  if (needsProof(error)) return <ProofNeeded role="alert" />;
  const parts = isRefusal(error)
    ? [
        error.code && fill(TEXTS.problem.code, { code: error.code }),
        error.requestId && fill(TEXTS.problem.request, { id: error.requestId }),
      ].filter(Boolean)
    : [];
  return (
    <div className="problem" role="alert">
      <p>{isUnreachable(error) ? TEXTS.problem.unreachable : error.message}</p>
      {parts.length > 0 && <p className="small">{parts.join(", ")}</p>}
      {retry && (
        <button type="button" className="plain" onClick={retry}>
          {TEXTS.problem.again}
        </button>
      )}
    </div>
  );
}
