// Recovery codes: each signs in once. They are shown when they are made, and never again.
import { KeySquare } from "lucide-react";
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

/** With fewer than these it is time for others. */
const FEW = 3;

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

/** In the list of ways to sign in. */
export function RecoveryCodes(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/recovery-codes", {});
  const [isAsking, setAsking] = useState(false);
  const make = useChange("POST /v1/user/recovery-codes", () => setAsking(false));
  const count = data?.value.remaining ?? 0;
  const title = count === 0 ? "Create recovery codes" : "Replace recovery codes";
  return (
    <li>
      <KeySquare className="i" />
      <span className="grow">
        <strong>Recovery codes</strong>
        <span className={data && count < FEW ? "small warn" : "small"}>
          {data ? (count === 0 ? "You have none." : `You have ${count} left.`) : ""}
        </span>
      </span>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={1} />}
      {data && (
        <Button kind="plain" onClick={() => setAsking(true)}>
          {title}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={title}
          what={count === 0 ? WHAT : "The codes that you have now no longer work then."}
          label={title}
          change={make}
          onConfirm={() => make.mutate({})}
          onClose={() => setAsking(false)}
        />
      )}
      {make.data && !isAsking && <Codes codes={make.data.codes} onClose={make.reset} />}
    </li>
  );
}
