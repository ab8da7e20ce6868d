// Draws the areas of the plot, stacked, as wide as there is room.
import { useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { formatCount } from "../../../parts/numbers.ts";
import { lookOf } from "./series.ts";
import type { Plotted } from "./series.ts";

const HEIGHT = 240;
/** Left of the areas, above and below them, px. */
const [LEFT, ABOVE, BELOW] = [48, 8, 24];
/** So much room has a name of a moment, px. */
const NAME_WIDTH = 96;
const MAX_LINES = 5;

const TWO_DAYS = 172_800_000;
const HOURS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAYS = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });

interface Props {
  readonly plotted: Plotted;
  /** The bucket under the pointer; null: none. */
  readonly at: number | null;
  readonly onPoint: (at: number | null) => void;
  /** The bucket that is pressed, from 0. */
  readonly onPress: (at: number) => void;
}

/** Round numbers up to the peak. */
function linesTo(peak: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(peak / MAX_LINES));
  const round = [1, 2, 5, 10].map((times) => times * power).find((step) => peak / step <= MAX_LINES) ?? peak;
  const step = Math.max(1, round);
  return Array.from({ length: Math.floor(peak / step) + 1 }, (_, at) => at * step);
}

/** Each series on those before it. */
function stack({ buckets, series }: Plotted) {
  let below: readonly number[] = buckets.map(() => 0);
  return series.map((one) => {
    const top = below.map((count, bucket) => count + (one.counts[bucket] ?? 0));
    const area = { one, below, top };
    below = top;
    return area;
  });
}

function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  return [place, width] as const;
}

export function Drawing({ plotted, at, onPoint, onPress }: Props): ReactNode {
  const { buckets, peak } = plotted;
  const [place, width] = useWidth();
  const [first = 0] = buckets;
  const last = buckets.at(-1) ?? first;
  const room = Math.max(0, width - LEFT);
  const x = (bucket: number): number => LEFT + (room * bucket) / Math.max(1, buckets.length - 1);
  const y = (count: number): number => ABOVE + (HEIGHT - ABOVE - BELOW) * (1 - count / (peak * 1.05));
  const half = room / Math.max(1, buckets.length - 1) / 2;
  const names = last - first > TWO_DAYS ? DAYS : HOURS;
  const every = Math.max(1, Math.ceil(NAME_WIDTH / Math.max(1, 2 * half)));
  const areas = stack(plotted).map(({ one, below, top }, look) => {
    const line = (counts: readonly number[]) => counts.map((count, bucket) => `${x(bucket)} ${y(count)}`);
    const path = `M${line(top).join("L")}L${line(below).toReversed().join("L")}Z`;
    return <path key={look} className={`area ${lookOf(one, look)}`} d={path} />;
  });
  return (
    <div ref={place} className="plot-areas">
      <svg width={width} height={HEIGHT} onPointerLeave={() => onPoint(null)}>
        {linesTo(peak).map((count) => (
          <g key={count} className="plot-line">
            <path d={`M${LEFT} ${y(count)}H${width}`} />
            <text x={LEFT - 8} y={y(count)} dy="0.35em" textAnchor="end">
              {formatCount(count)}
            </text>
          </g>
        ))}
        {areas}
        {at !== null && <path className="cursor" d={`M${x(at)} ${ABOVE}V${HEIGHT - BELOW}`} />}
        {buckets.map((start, bucket) => {
          const [from, to] = [Math.max(LEFT, x(bucket) - half), Math.min(width, x(bucket) + half)];
          const isLast = bucket === buckets.length - 1;
          const isNamed = isLast || (bucket % every === 0 && x(bucket) + NAME_WIDTH < width);
          return (
            <g key={start} onPointerEnter={() => onPoint(bucket)} onClick={() => onPress(bucket)}>
              <rect className="hit" x={from} width={Math.max(0, to - from)} height={HEIGHT - BELOW} />
              {isNamed && (
                <text
                  x={x(bucket)}
                  y={HEIGHT - 6}
                  textAnchor={bucket === 0 && !isLast ? "start" : isLast ? "end" : "middle"}
                >
                  {isLast ? "now" : names.format(start)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
