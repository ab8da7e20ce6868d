// What a rule may do that was not meant.
import type { ReactNode } from "react";

export function Doubts({ doubts }: { readonly doubts: readonly string[] }): ReactNode {
  if (doubts.length === 0) return null;
  return (
    <div className="doubts">
      <strong>Check this rule</strong>
      <ul>
        {doubts.map((doubt) => (
          <li key={doubt}>{doubt}</li>
        ))}
      </ul>
    </div>
  );
}
