// What a rule may do that was not meant.
import type { ReactNode } from "react";
import { TEXTS } from "../../../texts.ts";

export function Doubts({ doubts }: { readonly doubts: readonly string[] }): ReactNode {
  if (doubts.length === 0) return null;
  return (
    <div className="doubts">
      <strong>{TEXTS.firewallRules.doubts}</strong>
      <ul>
        {doubts.map((doubt) => (
          <li key={doubt}>{doubt}</li>
        ))}
      </ul>
    </div>
  );
}
