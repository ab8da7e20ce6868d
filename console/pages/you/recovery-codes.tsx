// Recovery codes: each signs in once. They are shown when they are made, and never again.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi, useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SHOWN_ONCE } from "../../parts/shown-once.tsx";

export const WHAT = "Each signs you in once when nothing else does. Keep them where your devices are not.";

function Codes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }): ReactNode {
  const text = codes.join("\n");
  return (
    <Dialog title="Your recovery codes" onClose={onClose}>
      <div className="notice" aria-live="polite">
        <p>{SHOWN_ONCE}</p>
        <div className="value">{text}</div>
        <CopyButton text={text} />
      </div>
    </Dialog>
  );
}

export function RecoveryCodes(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/recovery-codes", {});
  const [isAsking, setAsking] = useState(false);
  const make = useChange("POST /v1/user/recovery-codes", () => setAsking(false));
  const count = data?.value.remaining ?? 0;
  return (
    <section className="panel">
      <h2>Recovery codes</h2>
      <p>{WHAT}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      {data && (
        <>
          <p>{count === 0 ? "You have none." : `You have ${count} left.`}</p>
          <Button kind="plain" onClick={() => setAsking(true)}>
            {count === 0 ? "Make ten codes" : "Replace the codes"}
          </Button>
        </>
      )}
      {isAsking && (
        <Confirm
          title={count === 0 ? "Make ten codes" : "Replace the codes"}
          what={count === 0 ? WHAT : "The codes that you have now no longer work then."}
          label={count === 0 ? "Make ten codes" : "Replace the codes"}
          change={make}
          onConfirm={() => make.mutate({})}
          onClose={() => setAsking(false)}
        />
      )}
      {make.data && !isAsking && <Codes codes={make.data.codes} onClose={make.reset} />}
    </section>
  );
}
