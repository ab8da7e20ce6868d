// Links between pages that belong together, above each of them.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import type { TabCounts } from "./page-title.tsx";

interface Tab {
  readonly href: string;
  readonly title: string;
}

/** The tab of this page, or of the list that it was opened from; of tabs below each other the innermost. */
function currentOf(tabs: readonly Tab[], location: string): string | undefined {
  const paths = tabs.map(({ href }) => href.split("?")[0] as string);
  const around = paths.filter((path) => location === path || location.startsWith(`${path}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly counts: TabCounts;
}

export function Tabs({ label, tabs, counts }: Props): ReactNode {
  const [location] = useLocation();
  const current = currentOf(tabs, location);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ href, title }) => (
        <Link key={href} href={href} aria-current={href.split("?")[0] === current ? "page" : undefined}>
          {title}
          {counts[title] !== undefined && <span className="count">{counts[title]}</span>}
        </Link>
      ))}
    </nav>
  );
}
