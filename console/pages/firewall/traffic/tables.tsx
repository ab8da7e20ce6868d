// The numbers behind the plot: each group as a link to its requests alone, and each bucket of the plot.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { DataTable } from "../../../parts/table.tsx";
import { formatCount, formatShare } from "../../../parts/numbers.ts";
import { formatMoment } from "./plot.tsx";
import type { Metrics, Plotted, Series } from "./series.ts";
import { DIMENSIONS, countOf, BY_NAMES } from "./traffic-query.ts";
import type { By } from "./traffic-query.ts";

interface GroupProps {
  readonly metrics: Metrics;
  readonly by: By;
  readonly total: number;
  readonly nameOf: (by: By, value: string) => string;
  /** The list behind a number; null: there is none. */
  readonly hrefOf: (by: By, value: string) => string | null;
  readonly onChoose: (value: string) => void;
}

/** A number leads to the requests that it counts. */
export function Counted({ count, href }: { readonly count: number; readonly href: string | null }): ReactNode {
  const shown = formatCount(count);
  return href === null ? shown : <Link href={href}>{shown}</Link>;
}

export function GroupTable({ metrics, by, total, nameOf, hrefOf, onChoose }: GroupProps): ReactNode {
  return (
    <DataTable
      label={BY_NAMES[by]}
      rows={metrics.summary.map(({ dimensions, values }) => ({
        value: dimensions[DIMENSIONS[by]] ?? "",
        count: countOf(values),
      }))}
      keyOf={({ value }) => value}
      isWrapped
      columns={[
        {
          title: BY_NAMES[by],
          cell: ({ value }) => (
            <>
              <button type="button" className="link" onClick={() => onChoose(value)}>
                {nameOf(by, value)}
              </button>
              {by === "rule" && nameOf(by, value) !== value && <span className="quiet">{value}</span>}
            </>
          ),
        },
        {
          title: "Requests",
          isNumber: true,
          cell: ({ value, count }) => <Counted count={count} href={hrefOf(by, value)} />,
        },
        { title: "Share", isNumber: true, cell: ({ count }) => formatShare(count / total) },
      ]}
    />
  );
}

interface BucketProps {
  readonly plotted: Plotted;
  readonly by: By;
  readonly nameOf: (series: Series) => string;
  /** The list behind a number of the bucket that begins then; null: there is none. */
  readonly hrefOf: (series: Series, start: number) => string | null;
}

/** One row for each group of each bucket that has requests, newest first. */
export function BucketTable({ plotted: { buckets, series }, by, nameOf, hrefOf }: BucketProps): ReactNode {
  const rows = buckets.flatMap((start, at) =>
    series
      .map((one) => ({ start, name: nameOf(one), count: one.counts[at] ?? 0, href: hrefOf(one, start) }))
      .filter(({ count }) => count > 0),
  );
  return (
    <DataTable
      label="The plot"
      rows={rows.toReversed()}
      keyOf={({ start, name }) => `${start} ${name}`}
      isWrapped
      columns={[
        { title: "When", cell: ({ start }) => formatMoment(start) },
        { title: BY_NAMES[by], cell: ({ name }) => name },
        { title: "Requests", isNumber: true, cell: ({ count, href }) => <Counted count={count} href={href} /> },
      ]}
    />
  );
}
