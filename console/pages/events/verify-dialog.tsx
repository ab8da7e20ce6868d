// The whole chain of a team's events, verified in view.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { useTeam } from "../../api/team.ts";
import { canVerify, verifyChain } from "../../api/verify-chain.ts";
import type { ChainResult } from "../../api/verify-chain.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.verify;

function Outcome({ result }: { readonly result: ChainResult }): ReactNode {
  const { events, hash, brokenAt } = result;
  if (brokenAt !== null) {
    return (
      <div className="problem" role="alert">
        <p>{fill(T.broken, { sequence: brokenAt })}</p>
        <p className="small">{T.brokenHint}</p>
      </div>
    );
  }
  return (
    <div className="notice good" aria-live="polite">
      <p>{fill(T.right, { events })}</p>
      {hash !== "" && (
        <p className="small">
          {T.newest} <code>{hash}</code>
        </p>
      )}
    </div>
  );
}

export function VerifyDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeam().data?.value.id;
  const [progress, setProgress] = useState(0);
  const [result, setResult] = useState<ChainResult | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (teamId === undefined || !canVerify()) return;
    const stop = new AbortController();
    verifyChain(teamId, stop.signal, setProgress)
      .then(setResult)
      .catch((reason: unknown) => {
        if (!stop.signal.aborted) setError(reason as Error);
      });
    return () => stop.abort();
  }, [teamId]);
  return (
    <Dialog title={T.title} onClose={onClose}>
      <p>{T.what}</p>
      {!canVerify() && <p className="notice">{T.insecure}</p>}
      {error && <Problem error={error} />}
      {result && <Outcome result={result} />}
      {canVerify() && !result && !error && <p aria-live="polite">{fill(T.progress, { events: progress })}</p>}
    </Dialog>
  );
}
