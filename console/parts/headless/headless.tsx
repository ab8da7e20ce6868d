// The parts that open above a page, which Base UI carries: one file that a browser loads when it is idle, or before somebody opens one.
import { CSPProvider } from "@base-ui/react/csp-provider";
import type { ComponentType, ReactNode } from "react";
import { ListPopup } from "./list-popup.tsx";
import { MenuPopup } from "./menu-popup.tsx";
import { TipPopup } from "./tip-popup.tsx";
import { Toasts } from "./toasts.tsx";

/** The policy of the page allows no style elements. */
function underPolicy<P extends object>(Part: ComponentType<P>): ComponentType<P> {
  return function UnderPolicy(props: P): ReactNode {
    return (
      <CSPProvider disableStyleElements>
        <Part {...props} />
      </CSPProvider>
    );
  };
}

export const HEADLESS = {
  ListPopup: underPolicy(ListPopup),
  MenuPopup: underPolicy(MenuPopup),
  TipPopup: underPolicy(TipPopup),
  Toasts: underPolicy(Toasts),
};
