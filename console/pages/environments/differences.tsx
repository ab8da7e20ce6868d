// What differs between two versions, without values.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";

const ASPECTS = { value: "another value", comment: "another comment" };
const KINDS = { added: "Added", changed: "Changed", removed: "Removed" };
const COLOURS = { added: "good", changed: "warn", removed: "bad" } as const;

type Diff = Pick<Output<"GET /v1/environments/:project/:environment/diff">, "added" | "changed" | "removed">;
type Masked = Diff["added"][number];

function wordsOf({ kind, secret, isSensitive }: Masked): string {
  if (kind === "value") return "a plain value";
  const name = secret?.name ?? secret?.uid ?? "";
  const words = secret?.state === "new" ? `a new secret, ${name}` : `the secret ${name}`;
  return isSensitive ? `${words} (sensitive)` : words;
}

function changeOf({ before, after, changes }: Diff["changed"][number]): string {
  const [old, next] = [wordsOf(before), wordsOf(after)];
  const others = changes.flatMap((one) => (one === "value" || one === "comment" ? [ASPECTS[one]] : []));
  return [old === next ? next : `${old} becomes ${next}`, ...others].join(", ");
}

export function Differences({ of: { added, changed, removed } }: { readonly of: Diff }): ReactNode {
  const lines = [
    ...added.map((entry) => ["added", entry.key, wordsOf(entry)] as const),
    ...changed.map((change) => ["changed", change.key, changeOf(change)] as const),
    ...removed.map((entry) => ["removed", entry.key, wordsOf(entry)] as const),
  ];
  if (lines.length === 0) return <p>No entry differs.</p>;
  return (
    <ul className="plain-list differences">
      {lines.map(([kind, key, words]) => (
        <li key={key}>
          <span className={`badge ${COLOURS[kind]}`}>{KINDS[kind]}</span> <code>{key}</code>:{" "}
          <span className="quiet">{words}</span>
        </li>
      ))}
    </ul>
  );
}
