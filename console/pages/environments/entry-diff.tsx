// What a text would change, entry by entry: the line before, and the line after.
import { Pencil, Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { renderLine } from "./entry-text.ts";
import type { Line } from "./entry-text.ts";

export interface EntryChange {
  readonly key: string;
  /** Null: it is new. */
  readonly before: Line["set"] | null;
  /** Null: it is removed. */
  readonly after: Line["set"] | null;
}

const KINDS = { added: ["good", Plus], changed: ["warn", Pencil], removed: ["bad", X] } as const;

function kindOf({ before, after }: EntryChange): keyof typeof KINDS {
  return before === null ? "added" : after === null ? "removed" : "changed";
}

/** How many entries are added, changed and removed. */
export function EntryCounts({ changes }: { readonly changes: readonly EntryChange[] }): ReactNode {
  const counts = Map.groupBy(changes, kindOf);
  return (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => {
    const [colour, Icon] = KINDS[kind];
    const count = counts.get(kind)?.length ?? 0;
    return (
      count > 0 && (
        <span key={kind} className={`badge ${colour}`}>
          <Icon className="i i-s" />
          {count} {kind}
        </span>
      )
    );
  });
}

export function EntryDiff({ changes }: { readonly changes: readonly EntryChange[] }): ReactNode {
  return (
    <ul className="entry-diff" aria-label="Changes">
      {changes.map(({ key, before, after }) => (
        <li key={key}>
          {before && <del>{renderLine(key, before).trimEnd()}</del>}
          {after && <ins>{renderLine(key, after).trimEnd()}</ins>}
        </li>
      ))}
    </ul>
  );
}
