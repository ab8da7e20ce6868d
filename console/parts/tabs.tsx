// Links between pages that belong together, above each of them.
import type { ReactNode } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import type { TabCounts } from "./page-title.tsx";
import { chosen } from "./search-value.ts";

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

interface ViewProps {
  readonly label: string;
  /** Their titles, by the names that they have in the address; that of the first look is empty. */
  readonly views: Readonly<Record<string, string>>;
  readonly counts?: Readonly<Record<string, number>>;
}

/** Links to the parts of one page, of which it shows one at a time. */
export function ViewTabs({ label, views, counts = {} }: ViewProps): ReactNode {
  const [location] = useLocation();
  const [params] = useSearchParams();
  const shown = params.get("view") ?? "";
  const project = params.get("project") ?? "";
  return (
    <nav className="tabs" aria-label={label}>
      {Object.entries(views).map(([view, title]) => (
        <Link
          key={view}
          href={`${location}?${new URLSearchParams(chosen({ project, view })).toString()}`.replace(/\?$/, "")}
          aria-current={view === shown ? "page" : undefined}
        >
          {title}
          {counts[view] !== undefined && <span className="count">{counts[view]}</span>}
        </Link>
      ))}
    </nav>
  );
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
