// What an element says about itself, such as why it cannot be pressed: shown at the pointer, at the focus, and when a press does nothing
// else, as by touch. Screen readers read the same attributes. Texts that are cut are shown whole.
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import type { TipProps } from "./headless/tip-popup.tsx";
import { lazy } from "./lazy-page.tsx";

const TipPopup = lazy(async () => (await import("./headless/headless.tsx")).HEADLESS.TipPopup, null);
/** Long enough to get from an element to its tip. */
const HOVER_MS = 300;

function textOf(element: Element): string | null {
  const isIcon = element.matches("button:not([aria-haspopup])") && element.textContent === "";
  const said = [isIcon && element.ariaLabel, element.ariaDescription].filter(Boolean).join(": ");
  if (said !== "") return said;
  const isCut = element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === "ellipsis";
  return isCut ? element.textContent : null;
}

function findTip(target: EventTarget | null): TipProps | null {
  for (let anchor = target; anchor instanceof Element; anchor = anchor.parentElement) {
    const text = textOf(anchor);
    if (text) return { anchor, text };
  }
  return null;
}

function OfPage(): ReactNode {
  const [tip, setTip] = useState<TipProps | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (target: EventTarget | null, delay = 0): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const isOnTip = target instanceof Element && target.closest(".tip") !== null;
        setTip((old) => (isOnTip ? old : findTip(target)));
      }, delay);
    };
    const on = <K extends keyof DocumentEventMap>(type: K, act: (event: DocumentEventMap[K]) => void): void =>
      document.addEventListener(type, act, { capture: true, signal: ending.signal });
    on("pointerover", ({ target, pointerType }) => pointerType === "touch" || show(target, HOVER_MS));
    on("focusin", ({ target }) => target instanceof Element && target.matches(":focus-visible") && show(target));
    on("focusout", () => show(null));
    on("click", ({ target }) => {
      const acts = target instanceof Element && target.closest("a, input, button:not([aria-disabled])");
      show(acts ? null : target);
    });
    on("keydown", ({ key }) => {
      if (key !== "Escape") return;
      clearTimeout(timer);
      // Gone before its own handler gets the key, which would keep it from the dialog around.
      flushSync(() => setTip(null));
    });
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, []);
  return tip && <TipPopup {...tip} />;
}

/** Where they are shown: once, beside all pages. */
export function Tips(): ReactNode {
  const [location] = useLocation();
  return <OfPage key={location} />;
}
