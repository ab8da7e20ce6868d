// The rules, hosts or addresses with the most requests: each leads to its requests alone, and all are a table.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ActionSign } from "../action-badge.tsx";
import { formatCount } from "../../../parts/numbers.ts";
import { DIMENSIONS, countOf, useTraffic } from "./traffic-query.ts";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";

const MAX_ROWS = 5;
const TITLES = { rule: "Rules", host: "Hosts", client: "Addresses" };

interface Props {
  readonly view: TrafficView;
  readonly by: keyof typeof TITLES;
  readonly nameOf: (by: By, value: string) => string;
  /** What a rule does; undefined: it is not in the active configuration. */
  readonly actionOf: (rule: string) => Parameters<typeof ActionSign>[0]["action"] | undefined;
  readonly change: ChangeView;
}

export function Top({ view, by, nameOf, actionOf, change }: Props): ReactNode {
  const [location] = useLocation();
  const { found } = useTraffic({ ...view, by });
  const rows = (found.data?.value.summary ?? [])
    .map(({ dimensions, values }) => ({ value: dimensions[DIMENSIONS[by]] ?? "", count: countOf(values) }))
    .filter(({ value }) => value !== "");
  const most = Math.max(0, ...rows.map(({ count }) => count));
  const all = new URLSearchParams(window.location.search);
  all.set("by", by);
  return (
    <section className="panel">
      <header>
        <h2>{TITLES[by]}</h2>
        {rows.length > 0 && (
          <Link href={`${location}?${all}`}>
            All<span className="hidden"> {TITLES[by]}</span>
          </Link>
        )}
      </header>
      {rows.length === 0 && !found.isPending && <p className="quiet">None</p>}
      <ol className="bars">
        {rows.slice(0, MAX_ROWS).map(({ value, count }) => {
          const action = by === "rule" ? actionOf(value) : undefined;
          return (
            <li key={value}>
              <svg className="under" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * count) / most} height="1" />
              </svg>
              {action && <ActionSign action={action} />}
              <button
                type="button"
                className={by === "rule" ? "link cut" : "link cut mono"}
                onClick={() => change({ [by]: value })}
              >
                {nameOf(by, value)}
              </button>
              <span className="number">{formatCount(count)}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
