// The time until attack mode ends, by the second.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";

const SECOND_MS = 1_000;

/** `1 d 2 h 3 min 4 s`, without the parts before the first that counts. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first === -1 ? parts.length - 1 : first)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/** `onEnd` is called when nothing is left. */
export function Countdown({ until, onEnd }: { readonly until: number; readonly onEnd: () => void }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  const isOver = now >= until;
  useEffect(() => {
    if (isOver) {
      onEnd();
      return undefined;
    }
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- told once, whatever is told
  }, [isOver]);
  return (
    <span role="timer" className="countdown">
      {formatLeft(until - now)}
    </span>
  );
}
