// Links between pages that belong together, above each of them.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import "../style/tabs.css";

interface Tab {
  readonly href: string;
  readonly title: string;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }): ReactNode {
  const [location] = useLocation();
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ href, title }) => (
        <Link key={href} href={href} aria-current={href.split("?")[0] === location ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
