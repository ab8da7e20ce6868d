// What an event changed: each field before and after, or the event's payload.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Event } from "../../api/objects.ts";
import { Segment } from "../../parts/segment.tsx";

type Fields = Readonly<Record<string, unknown>>;

/** The fields that differ, with their values as text; undefined: absent. */
export function findChanges(
  previous: Fields,
  next: Fields,
): (readonly [name: string, before: string | undefined, after: string | undefined])[] {
  const names = [...new Set([...Object.keys(previous), ...Object.keys(next)])];
  return names
    .map((name) => [name, JSON.stringify(previous[name]), JSON.stringify(next[name])] as const)
    .filter(([, before, after]) => before !== after);
}

const VIEWS = ["Diff", "JSON"] as const;

export function Changes({ event: { previous, next, payload } }: { readonly event: Event }): ReactNode {
  const [view, setView] = useState<(typeof VIEWS)[number]>("Diff");
  const changes = findChanges(previous ?? {}, next ?? {});
  if (changes.length === 0 && payload === undefined) return null;
  return (
    <section>
      <header>
        <h3>{changes.length > 0 ? "Changes" : "Payload"}</h3>
        {changes.length > 0 && <Segment label="View of the changes" values={VIEWS} value={view} onChange={setView} />}
      </header>
      {changes.length > 0 && view === "Diff" ? (
        <div className="value fields-diff">
          {changes.map(([name, before, after]) => (
            <div key={name}>
              <b>{name}</b>
              {before !== undefined && <del>{before}</del>}
              {after !== undefined && <ins>{after}</ins>}
            </div>
          ))}
        </div>
      ) : (
        <pre className="value">{JSON.stringify(changes.length > 0 ? { previous, next } : payload, null, 2)}</pre>
      )}
    </section>
  );
}
