// When something ends: it stands out once that is near.
import { CircleX, Clock } from "lucide-react";
import type { ReactNode } from "react";
import { Time, useNow } from "./time.tsx";

export const NEAR_MS = 7 * 86_400_000;

export function Ends({ at }: { readonly at: number | null | undefined }): ReactNode {
  const now = useNow();
  if (at === null || at === undefined) return <span className="quiet">Never</span>;
  if (at > now + NEAR_MS) return <Time at={at} />;
  const hasEnded = at <= now;
  return (
    <span className={hasEnded ? "badge bad" : "badge warn"}>
      {hasEnded ? <CircleX className="i i-s" /> : <Clock className="i i-s" />}
      {hasEnded && "Ended "}
      <Time at={at} />
    </span>
  );
}
