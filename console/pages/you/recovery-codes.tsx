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
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.signInMethods;

function Codes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }): ReactNode {
  const text = codes.join("\n");
  return (
    <Dialog title={T.codesTitle} onClose={onClose}>
      <div className="notice" aria-live="polite">
        <p>{TEXTS.shownOnce}</p>
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
      <h2>{T.codes}</h2>
      <p>{T.codesWhat}</p>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      {data && (
        <>
          <p>{count === 0 ? T.noCodes : fill(T.codesLeft, { count })}</p>
          <Button kind="plain" onClick={() => setAsking(true)}>
            {count === 0 ? T.makeCodes : T.replaceCodes}
          </Button>
        </>
      )}
      {isAsking && (
        <Confirm
          title={count === 0 ? T.makeCodes : T.replaceCodes}
          what={count === 0 ? T.codesWhat : T.replaceWhat}
          label={count === 0 ? T.makeCodes : T.replaceCodes}
          change={make}
          onConfirm={() => make.mutate({})}
          onClose={() => setAsking(false)}
        />
      )}
      {make.data && !isAsking && <Codes codes={make.data.codes} onClose={make.reset} />}
    </section>
  );
}
