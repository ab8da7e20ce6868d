// What a page puts above itself: the name of the thing that it is about, what differs about it, and what one can do with it.
import { createContext, use, useEffect } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import type { ListState } from "./api-list.tsx";

export interface PageTitle {
  readonly text: string;
  /** What is copied, such as a name in programs, has letters of one width. */
  readonly isCode: boolean;
}

/** How many things are behind a tab, by its title. */
export type TabCounts = Readonly<Record<string, number>>;

interface Place {
  readonly setTitle: (title: PageTitle | null) => void;
  readonly setCounts: (counts: TabCounts) => void;
  /** Beside the title. */
  readonly badges: HTMLElement | null;
  /** At the end of its line. */
  readonly actions: HTMLElement | null;
}

export const PageTitlePlace = createContext<Place>({
  setTitle: () => {},
  setCounts: () => {},
  badges: null,
  actions: null,
});

/** Gives the page its thing's name, once it is known. */
export function usePageTitle(text: string | undefined, isCode = false): void {
  const { setTitle } = use(PageTitlePlace);
  useEffect(() => {
    setTitle(text ? { text, isCode } : null);
    return () => setTitle(null);
  }, [setTitle, text, isCode]);
}

/** Says beside the titles of the page's tabs how many things are behind them. */
export function useTabCounts(counts: TabCounts): void {
  const { setCounts } = use(PageTitlePlace);
  const text = JSON.stringify(counts);
  useEffect(() => setCounts(JSON.parse(text) as TabCounts), [setCounts, text]);
}

/** Buttons of the page, at the end of its title's line. */
export function PageActions({ children }: { readonly children: ReactNode }): ReactNode {
  const { actions } = use(PageTitlePlace);
  return actions && createPortal(children, actions);
}

/** What differs about the page's thing, beside its name. */
export function PageBadges({ children }: { readonly children: ReactNode }): ReactNode {
  const { badges } = use(PageTitlePlace);
  return badges && createPortal(children, badges);
}

/** How many things are in the page's list, beside its title: those that were read, and a plus where there are more. */
export function PageCount({ list, count }: { readonly list: ListState; readonly count: number }): ReactNode {
  if (list.isPending || list.error || count === 0) return null;
  return (
    <PageBadges>
      <span className="count">{list.hasNextPage ? `${count}+` : count}</span>
    </PageBadges>
  );
}
