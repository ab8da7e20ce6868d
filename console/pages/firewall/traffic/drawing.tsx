// Draws the bars of the plot, stacked, with uPlot.
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { ReactNode } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Plotted } from "./series.ts";

const HEIGHT = 240;
const SECOND_MS = 1_000;
const AXIS_WIDTH = 60;
const HALF_HOUR = 1_800;

const IS_DARK = matchMedia("(prefers-color-scheme: dark)");

interface Options {
  readonly plotted: Plotted;
  readonly formatCount: (count: number) => string;
  /** The bucket under the pointer; null: none. */
  readonly onPoint: (at: number | null) => void;
  /** The bucket that is pressed, from 0. */
  readonly onPress: (at: number) => void;
}

const TWO_DAYS = 2 * 86_400;
const HOURS = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAYS = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });

/** The names of moments, in seconds. */
function nameMoments(_plot: UPlot, moments: readonly number[]): string[] {
  const isLong = (moments.at(-1) ?? 0) - (moments[0] ?? 0) > TWO_DAYS;
  return moments.map((moment) => (isLong ? DAYS : HOURS).format(moment * SECOND_MS));
}

/** Each series on top of those before it. */
function stack({ series, buckets }: Plotted): number[][] {
  const below = buckets.map(() => 0);
  return series.map(({ counts }) =>
    counts.map((count, at) => {
      below[at] = (below[at] ?? 0) + count;
      return below[at];
    }),
  );
}

/** A canvas knows no CSS variables. */
function coloursOf(place: HTMLElement, count: number) {
  const probe = place.appendChild(document.createElement("span"));
  const read = (name: string): string => {
    probe.className = name;
    return getComputedStyle(probe).color;
  };
  const colours = {
    series: Array.from({ length: count }, (_, look) => read(`series-${look}`)),
    ink: read("plot-ink"),
    grid: read("plot-grid"),
  };
  probe.remove();
  return colours;
}

/** Draws into an element, as wide as that is. Returns what ends it. */
function drawPlot(place: HTMLElement, { plotted, formatCount, onPoint, onPress }: Options): () => void {
  const colours = coloursOf(place, plotted.series.length);
  const bars = UPlot.paths.bars?.({ size: [0.8, 60] });
  const axis = { stroke: colours.ink, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false } };
  const moments = plotted.buckets.map((start) => start / SECOND_MS);
  // The first and the last bar are shown whole.
  const half = ((moments[1] ?? 0) - (moments[0] ?? 0)) / 2 || HALF_HOUR;
  const plot = new UPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { range: (_plot, from, to) => [from - half, to + half] }, y: { range: [0, plotted.peak * 1.05] } },
      axes: [
        { ...axis, values: nameMoments },
        { ...axis, size: AXIS_WIDTH, values: (_plot, splits) => splits.map(formatCount) },
      ],
      series: [
        {},
        // The highest stack is drawn first, and the others over it.
        ...colours.series
          .toReversed()
          .map((fill) => ({ fill, width: 0, points: { show: false }, ...(bars && { paths: bars }) })),
      ],
      hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
    },
    [moments, ...stack(plotted).toReversed()],
    place,
  );
  plot.over.addEventListener("click", () => {
    const { idx } = plot.cursor;
    if (typeof idx === "number") onPress(idx);
  });
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  observer.observe(place);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/** Draws anew when the plot or the colors change. */
export function Drawing({ plotted, formatCount, onPoint, onPress }: Options): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [isDark, setDark] = useState(IS_DARK.matches);
  const press = useEffectEvent(onPress);
  useEffect(() => {
    const change = (): void => setDark(IS_DARK.matches);
    IS_DARK.addEventListener("change", change);
    return () => IS_DARK.removeEventListener("change", change);
  }, []);
  useEffect(() => {
    if (!place.current) return undefined;
    place.current.dataset["scheme"] = isDark ? "dark" : "light";
    return drawPlot(place.current, { plotted, formatCount, onPoint, onPress: press });
  }, [plotted, isDark, formatCount, onPoint]);
  return <div ref={place} />;
}
