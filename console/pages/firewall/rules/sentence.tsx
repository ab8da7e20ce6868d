// A sentence about a rule, with its values and its action set apart.
import type { ReactNode } from "react";
import type { Piece } from "./rule-words.ts";

export function Sentence({ of: pieces }: { readonly of: readonly Piece[] }): ReactNode {
  return pieces.map(({ text, kind }, at) =>
    kind ? (
      <b key={at} className={kind === "value" ? "mono" : undefined}>
        {text}
      </b>
    ) : (
      text
    ),
  );
}
