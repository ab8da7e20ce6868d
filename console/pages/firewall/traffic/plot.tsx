// A plot of requests over time: one bar for each bucket, stacked by group, with the numbers of the one under the pointer.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Drawing } from "./drawing.tsx";
import type { Plotted, Series } from "./series.ts";
import "../../../style/plot.css";

const COUNT = new Intl.NumberFormat("en");
const MOMENT = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

export function formatCount(count: number): string {
  return COUNT.format(count);
}

export function formatMoment(at: number): string {
  return MOMENT.format(at);
}

interface Props {
  readonly plotted: Plotted;
  /** What the groups are, in words. */
  readonly by: string;
  readonly nameOf: (series: Series) => string;
  /** The list behind a group; null: there is none. */
  readonly hrefOf: (series: Series) => string | null;
  /** The list behind the bar that begins then. */
  readonly barHref: (start: number) => string | null;
}

function GroupName({ name, href }: { readonly name: string; readonly href: string | null }): ReactNode {
  return href === null ? name : <Link href={href}>{name}</Link>;
}

/** The groups with their colors and counts: all together, or those of one bucket. */
function Legend({
  plotted,
  nameOf,
  hrefOf,
  at,
}: Omit<Props, "by" | "barHref"> & { readonly at: number | null }): ReactNode {
  return (
    <ul className="legend">
      {plotted.series.map((one, look) => (
        <li key={look}>
          <svg viewBox="0 0 10 10" aria-hidden="true">
            <rect className={`series-${look}`} width="10" height="10" rx="2" />
          </svg>{" "}
          <GroupName name={nameOf(one)} href={hrefOf(one)} />{" "}
          <span className="quiet">{formatCount(at === null ? one.total : (one.counts[at] ?? 0))}</span>
        </li>
      ))}
    </ul>
  );
}

export function Plot({ plotted, by, nameOf, hrefOf, barHref }: Props): ReactNode {
  const { buckets, peak } = plotted;
  const [at, setAt] = useState<number | null>(null);
  const [, navigate] = useLocation();
  const press = (bar: number): void => {
    const href = barHref(buckets[bar] ?? 0);
    if (href !== null) navigate(href);
  };
  const [from = 0, to = from] = [buckets.at(0), buckets.at(-1)];
  const moment = at === null ? undefined : buckets[at];
  return (
    <figure className="plot">
      <figcaption className="small">
        Requests by {by}, from {formatMoment(from)} to {formatMoment(to)}. A bar leads to its decisions; the tables
        below have the numbers.
      </figcaption>
      <p className="small">{moment === undefined ? `at most ${formatCount(peak)}` : `${formatMoment(moment)}:`}</p>
      <div aria-hidden="true">
        <Drawing plotted={plotted} formatCount={formatCount} onPoint={setAt} onPress={press} />
      </div>
      <Legend plotted={plotted} nameOf={nameOf} hrefOf={hrefOf} at={at} />
    </figure>
  );
}
