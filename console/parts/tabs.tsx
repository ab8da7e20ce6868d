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

interface Shown extends Tab {
  readonly isCurrent: boolean;
  readonly count: number | undefined;
}

function Links({ label, tabs }: { readonly label: string; readonly tabs: readonly Shown[] }): ReactNode {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ href, title, isCurrent, count }) => (
        <Link key={href} href={href} aria-current={isCurrent ? "page" : undefined}>
          {title}
          {count !== undefined && <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
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
  const tabs = Object.entries(views).map(([view, title]) => ({
    href: `${location}?${new URLSearchParams(chosen({ project, view })).toString()}`.replace(/\?$/, ""),
    title,
    isCurrent: view === shown,
    count: counts[view],
  }));
  return <Links label={label} tabs={tabs} />;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly counts: TabCounts;
}

export function Tabs({ label, tabs, counts }: Props): ReactNode {
  const [location] = useLocation();
  const current = currentOf(tabs, location);
  const shown = tabs.map(({ href, title }) => ({
    href,
    title,
    isCurrent: href.split("?")[0] === current,
    count: counts[title],
  }));
  return <Links label={label} tabs={shown} />;
}
