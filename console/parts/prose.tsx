// A text of the server: what is between backticks is code.
import type { ReactNode } from "react";

export function Prose({ text }: { readonly text: string }): ReactNode {
  return text.split("`").map((part, at) => (at % 2 === 1 ? <code key={`${at}-${part}`}>{part}</code> : part));
}
