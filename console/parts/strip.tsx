// How deliveries went, period by period: a bar for each, oldest first.
import type { ReactNode } from "react";

export interface Period {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
}

const [STEP, BAR, HEIGHT] = [5, 3, 16];

/** The state that people need to know of; a period without deliveries has a low bar. */
function stateOf({ delivered, failed, pending }: Period): "failed" | "pending" | "delivered" | "none" {
  if (failed > 0) return "failed";
  if (pending > 0) return "pending";
  return delivered > 0 ? "delivered" : "none";
}

/** Two periods a bar, so that a day fits beside a name. */
function inPairs(periods: readonly Period[]): readonly Period[] {
  return periods.flatMap((one, at) => {
    const next = periods[at + 1];
    if (at % 2 === 1) return [];
    const sum = (name: keyof Period) => one[name] + (next?.[name] ?? 0);
    return [{ delivered: sum("delivered"), failed: sum("failed"), pending: sum("pending") }];
  });
}

interface Props {
  readonly periods: readonly Period[];
  readonly label: string;
  /** As wide as its card, with a bar for each period. */
  readonly isWide?: true;
}

export function Strip({ periods, label, isWide }: Props): ReactNode {
  const bars = isWide ? periods : inPairs(periods);
  return (
    <svg
      className={isWide ? "strip wide" : "strip"}
      viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
      preserveAspectRatio={isWide && "none"}
    >
      <title>{label}</title>
      {bars.map((period, at) => {
        const state = stateOf(period);
        // Failures are higher, so that colour does not speak alone.
        const height = { failed: HEIGHT, pending: 13, delivered: 10, none: 3 }[state];
        return <rect key={at} className={state} x={at * STEP} y={HEIGHT - height} width={BAR} height={height} rx={1} />;
      })}
    </svg>
  );
}
