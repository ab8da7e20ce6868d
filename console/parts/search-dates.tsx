// A filter by time that is part of the page's address, as `since` and `until`: a usual span, or two times of one's choice.
import { useState } from "react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { Field } from "./field.tsx";
import { problemWith } from "./form.tsx";
import { fieldTime, timeOfField } from "./local-time.ts";
import { Filter } from "./select.tsx";

const HOUR_MS = 3_600_000;
const CHOICES = [
  [String(HOUR_MS), "Last hour"],
  [String(24 * HOUR_MS), "Last 24 hours"],
  [String(168 * HOUR_MS), "Last 7 days"],
  [String(720 * HOUR_MS), "Last 30 days"],
  ["own", "Between two times"],
] as const;
const BOUNDS = { since: "From", until: "Until" } as const;
type Bound = keyof typeof BOUNDS;
const SHORT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** In the address times have no zone of a browser, so that a link means the same everywhere. */
function isoOf(at: number | undefined): string {
  return at === undefined ? "" : new Date(at).toISOString();
}

function textOf(since: number | undefined, until: number | undefined): string {
  if (since === undefined) return until === undefined ? "" : `until ${SHORT.format(until)}`;
  return until === undefined ? `since ${SHORT.format(since)}` : SHORT.formatRange(since, until);
}

export function SearchDates({ error }: { readonly error: Error | null }): ReactNode {
  const [params, setParams] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const atOf = (bound: Bound): number | undefined => timeOfField(params.get(bound) ?? "");
  const set = (bounds: Readonly<Partial<Record<Bound, string>>>): void =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [bound, time] of Object.entries(bounds))
          if (time === "") next.delete(bound);
          else next.set(bound, time);
        return next;
      },
      { replace: true },
    );
  const clear = (): void => {
    setOpen(false);
    set({ since: "", until: "" });
  };
  const choose = (value: string): void => {
    if (value === "") return clear();
    setOpen(value === "own");
    if (value !== "own") set({ since: isoOf(Date.now() - Number(value)), until: "" });
  };
  return (
    <>
      <Filter label="Dates" choices={CHOICES} value={textOf(atOf("since"), atOf("until"))} onChange={choose} />
      {isOpen &&
        (["since", "until"] as const).map((bound) => {
          const at = atOf(bound);
          return (
            <Field key={bound} label={BOUNDS[bound]} problem={problemWith(error, bound)}>
              {(control) => (
                <input
                  {...control}
                  type="datetime-local"
                  step={1}
                  value={at === undefined ? "" : fieldTime(at, "second")}
                  onChange={({ target }) => set({ [bound]: isoOf(timeOfField(target.value)) })}
                />
              )}
            </Field>
          );
        })}
    </>
  );
}
