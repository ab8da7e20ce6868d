// A time as people say it, with the exact one as its tip.
import { useSyncExternalStore } from "react";
import type { ReactNode } from "react";

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const EXACT = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "long" });

/** `at` and `now` in ms. */
export function formatRelative(at: number, now: number): string {
  const [unit, ms] = STEPS.find(([, size]) => Math.abs(at - now) >= size) ?? (["second", 1000] as const);
  return unit === "second" ? RELATIVE.format(0, "second") : RELATIVE.format(Math.round((at - now) / ms), unit);
}

const TICK_MS = 15_000;
let now = Date.now();

/** Tells all times on the page that time goes on. */
function onTick(tell: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    tell();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** The time in ms, a quarter of a minute old at most. */
export function useNow(): number {
  return useSyncExternalStore(onTick, () => now);
}

export function Time({ at }: { readonly at: number }): ReactNode {
  const date = new Date(at);
  const shownAt = useNow();
  return (
    <time dateTime={date.toISOString()} aria-description={EXACT.format(date)}>
      {formatRelative(at, shownAt)}
    </time>
  );
}
