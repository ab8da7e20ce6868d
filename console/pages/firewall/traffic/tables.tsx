// The numbers behind the plot: each group as a link to its requests alone, and each bucket of the plot.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Table } from "../../../parts/table.tsx";
import { formatCount, formatMoment } from "./plot.tsx";
import type { Metrics, Plotted, Series } from "./series.ts";
import { DIMENSIONS, countOf, BY_NAMES } from "./traffic-query.ts";
import type { By } from "./traffic-query.ts";

const SHARE = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });

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
    <Table columns={[BY_NAMES[by], "Requests", "Share"]}>
      {metrics.summary.map(({ dimensions, values }) => {
        const value = dimensions[DIMENSIONS[by]] ?? "";
        return (
          <tr key={value}>
            <th scope="row">
              <button type="button" className="link" onClick={() => onChoose(value)}>
                {nameOf(by, value)}
              </button>
              {by === "rule" && nameOf(by, value) !== value && <span className="quiet">{value}</span>}
            </th>
            <td>
              <Counted count={countOf(values)} href={hrefOf(by, value)} />
            </td>
            <td>{SHARE.format(countOf(values) / total)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

interface BucketProps {
  readonly plotted: Plotted;
  readonly by: By;
  readonly nameOf: (series: Series) => string;
}

/** One row for each group of each bucket that has requests, newest first. */
export function BucketTable({ plotted: { buckets, series }, by, nameOf }: BucketProps): ReactNode {
  const rows = buckets.flatMap((start, at) =>
    series.map((one) => ({ start, name: nameOf(one), count: one.counts[at] ?? 0 })).filter(({ count }) => count > 0),
  );
  return (
    <details className="more">
      <summary>The plot as a table</summary>
      <Table columns={["When", BY_NAMES[by], "Requests"]}>
        {rows.toReversed().map(({ start, name, count }) => (
          <tr key={`${start} ${name}`}>
            <th scope="row">{formatMoment(start)}</th>
            <td>{name}</td>
            <td>{formatCount(count)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
