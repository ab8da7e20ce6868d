// A plot of requests over time, stacked by group, with the numbers of the time under the pointer, and the table behind it.
import { List } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../../../parts/button.tsx";
import { formatCount } from "../../../parts/numbers.ts";
import { Drawing } from "./drawing.tsx";
import { Hatching } from "./hatching.tsx";
import { lookOf } from "./series.ts";
import type { Plotted, Series } from "./series.ts";
import "../../../style/plot.css";

const MOMENT = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

export function formatMoment(at: number): string {
  return MOMENT.format(at);
}

interface Props {
  readonly plotted: Plotted;
  readonly nameOf: (series: Series) => string;
  /** The list behind a group; null: there is none. */
  readonly hrefOf: (series: Series) => string | null;
  /** The list behind the time that begins then. */
  readonly barHref: (start: number) => string | null;
  readonly table: ReactNode;
}

function Swatch({ series, at }: { readonly series: Series; readonly at: number }): ReactNode {
  return (
    <svg className="swatch" viewBox="0 0 12 12" aria-hidden="true">
      <rect className={lookOf(series, at)} width="12" height="12" rx="3" />
    </svg>
  );
}

function Numbers({ plotted, nameOf, at }: Pick<Props, "plotted" | "nameOf"> & { readonly at: number }): ReactNode {
  const { buckets, series } = plotted;
  const isLate = at > buckets.length / 2;
  return (
    <div className={isLate ? "plot-tip" : "plot-tip late"}>
      <strong>{formatMoment(buckets[at] ?? 0)}</strong>
      {series.toReversed().map((one) => (
        <span key={one.value}>
          <Swatch series={one} at={series.indexOf(one)} />
          {nameOf(one)}
          <span className="number">{formatCount(one.counts[at] ?? 0)}</span>
        </span>
      ))}
    </div>
  );
}

export function Plot({ plotted, nameOf, hrefOf, barHref, table }: Props): ReactNode {
  const { buckets, series } = plotted;
  const [at, setAt] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const [, navigate] = useLocation();
  const press = (bucket: number): void => {
    const href = barHref(buckets[bucket] ?? 0);
    if (href !== null) navigate(href);
  };
  return (
    <>
      <div className="plot" aria-hidden="true">
        <Hatching />
        <Drawing plotted={plotted} at={at} onPoint={setAt} onPress={press} />
        {at !== null && <Numbers plotted={plotted} nameOf={nameOf} at={at} />}
      </div>
      <footer>
        <ul className="legend">
          {series.map((one, look) => {
            const href = hrefOf(one);
            return (
              <li key={look}>
                <Swatch series={one} at={look} />
                {href === null ? nameOf(one) : <Link href={href}>{nameOf(one)}</Link>}
              </li>
            );
          })}
        </ul>
        <Button kind="plain" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
          <List className="i" />
          Show as table
        </Button>
      </footer>
      {isTable && table}
    </>
  );
}
