// The tags that people gave to a thing.
import type { ReactNode } from "react";

export function Tags({ of: tags }: { readonly of: readonly string[] }): ReactNode {
  return tags.map((tag) => (
    <span key={tag} className="tag">
      {tag}
    </span>
  ));
}
