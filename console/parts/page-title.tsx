// What a page puts above itself: the name of the thing that it is about, and what one can do with it.
import { createContext, use, useEffect } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";

export interface PageTitle {
  readonly text: string;
  /** What is copied, such as a name in programs, has letters of one width. */
  readonly isCode: boolean;
}

interface Place {
  readonly setTitle: (title: PageTitle | null) => void;
  /** Beside the title. */
  readonly actions: HTMLElement | null;
}

export const PageTitlePlace = createContext<Place>({ setTitle: () => {}, actions: null });

/** Gives the page its thing's name, once it is known. */
export function usePageTitle(text: string | undefined, isCode = false): void {
  const { setTitle } = use(PageTitlePlace);
  useEffect(() => {
    setTitle(text ? { text, isCode } : null);
    return () => setTitle(null);
  }, [setTitle, text, isCode]);
}

/** Buttons of the page, beside its title. */
export function PageActions({ children }: { readonly children: ReactNode }): ReactNode {
  const { actions } = use(PageTitlePlace);
  return actions && createPortal(children, actions);
}
