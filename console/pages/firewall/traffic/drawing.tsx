// Draws the bars of the plot, stacked, as wide as there is room.
import { useLayoutEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { Plotted } from "./series.ts";

const HEIGHT = 240;
/** Left of the bars and below them, px. */
const [LEFT, BELOW] = [56, 24];
/** So much room has a name of a moment, px. */
const NAME_WIDTH = 72;
const MAX_LINES = 5;
const MAX_BAR = 60;

const TWO_DAYS = 172_800_000;
const HOURS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAYS = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });

interface Props {
  readonly plotted: Plotted;
  readonly formatCount: (count: number) => string;
  /** The bucket under the pointer; null: none. */
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

export function Drawing({ plotted: { buckets, series, peak }, formatCount, onPoint, onPress }: Props): ReactNode {
  const [place, width] = useWidth();
  const [first = 0] = buckets;
  const span = Math.min(...buckets.slice(1).map((start, at) => start - (buckets[at] ?? 0)), TWO_DAYS);
  const places = Math.round(((buckets.at(-1) ?? first) - first) / span) + 1;
  const room = Math.max(0, width - LEFT) / places;
  const bar = Math.min(MAX_BAR, room * 0.8);
  const y = (count: number): number => (HEIGHT - BELOW) * (1 - count / (peak * 1.05));
  const names = places * span > TWO_DAYS ? DAYS : HOURS;
  const every = Math.max(1, Math.ceil(NAME_WIDTH / Math.max(1, room)));
  return (
    <div ref={place} className="plot-bars">
      <svg width={width} height={HEIGHT} onPointerLeave={() => onPoint(null)}>
        {linesTo(peak).map((count) => (
          <g key={count} className="plot-line">
            <path d={`M${LEFT} ${y(count)}H${width}`} />
            <text x={LEFT - 8} y={y(count)} dy="0.35em" textAnchor="end">
              {formatCount(count)}
            </text>
          </g>
        ))}
        {buckets.map((start, at) => {
          const from = LEFT + Math.round((start - first) / span) * room;
          let below = 0;
          return (
            <g key={start} className="plot-bar" onPointerEnter={() => onPoint(at)} onClick={() => onPress(at)}>
              <rect className="hit" x={from} width={room} height={HEIGHT - BELOW} />
              {series.map(({ counts }, look) => {
                const top = below + (counts[at] ?? 0);
                const height = y(below) - y(top);
                below = top;
                return (
                  <rect
                    key={look}
                    className={`series-${look}`}
                    x={from + (room - bar) / 2}
                    y={y(top)}
                    width={bar}
                    height={height}
                  />
                );
              })}
              {at % every === 0 && from + NAME_WIDTH / 2 < width && (
                <text x={from + room / 2} y={HEIGHT - 6} textAnchor="middle">
                  {names.format(start)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
