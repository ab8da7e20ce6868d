// The whole chain of a team's events, verified in view.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { useTeam } from "../../api/team.ts";
import { canVerify, verifyChain } from "../../api/verify-chain.ts";
import type { ChainResult } from "../../api/verify-chain.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";

export const CANNOT_VERIFY =
  "Browsers compute hashes on pages of https and localhost only. On the server: reeve events verify.";

function Outcome({ result }: { readonly result: ChainResult }): ReactNode {
  const { events, hash, brokenAt } = result;
  if (brokenAt !== null) {
    return (
      <div className="problem" role="alert">
        <p>Event {brokenAt} is not what was recorded, or one before it is missing.</p>
        <p className="small">The operator of the server can look closer: reeve events verify.</p>
      </div>
    );
  }
  return (
    <div className="notice good" aria-live="polite">
      <p>
        All {events} events are what they were when they were recorded, in their order, and none is missing between
        them.
      </p>
      {hash !== "" && (
        <p className="small">
          Hash of the newest: <code>{hash}</code>
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
    <Dialog title="Verify the chain" onClose={onClose}>
      <p>
        Each event has a hash over itself and the hash of the event before it. Your browser reads the whole chain and
        computes every hash anew.
      </p>
      {!canVerify() && <p className="notice">{CANNOT_VERIFY}</p>}
      {error && <Problem error={error} />}
      {result && <Outcome result={result} />}
      {canVerify() && !result && !error && <p aria-live="polite">{progress} events so far</p>}
    </Dialog>
  );
}
