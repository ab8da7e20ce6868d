// What went wrong, with what an operator needs to find it.
import type { ReactNode } from "react";
import { isRefusal, isUnreachable } from "../api/call.ts";
import { signInAddress } from "../api/session-end.ts";
import { ProofNeeded } from "./prove.tsx";

/** A session that ended while something was typed: anyone who signs in, in another tab, sends it from here. */
function Ended(): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>Your session has ended. Sign in, then come back here: what you have typed is still here.</p>
      <a className="button" href={signInAddress()} target="_blank" rel="opener">
        Sign in in another tab
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
    ? [error.code && `Code ${error.code}`, error.requestId && `request ${error.requestId}`].filter(Boolean)
    : [];
  return (
    <div className="problem" role="alert">
      <p>
        {isUnreachable(error)
          ? "The server cannot be reached. What is shown may be old; it is read again when the server is back."
          : error.message}
      </p>
      {parts.length > 0 && <p className="small">{parts.join(", ")}</p>}
      {retry && (
        <button type="button" className="plain" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
