// What was typed is not lost without a question when the page is left or loaded again.
import { useEffect } from "react";

/** The views of a page keep what is typed in one of them. */
function pageOf({ pathname, search }: Pick<Location, "pathname" | "search">): string {
  const params = new URLSearchParams(search);
  params.delete("view");
  return `${pathname}?${params}`;
}

/** Whether a click leads to another page in this tab. */
function leads({ target, button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || link.target !== "" || button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return false;
  return link.href !== "" && pageOf(link) !== pageOf(location);
}

/** Keeps the page, unless people say that they want to leave it. */
export function askToLeave(event: Pick<Event, "preventDefault" | "stopPropagation">): void {
  if (window.confirm("What you have typed on this page is not saved. Leave the page?")) return;
  event.preventDefault();
  event.stopPropagation();
}

export function useLeaveWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    // Browsers ask in words of their own.
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    // Links of the console do not unload the page. This comes before they do anything.
    const onClick = (event: MouseEvent): void => {
      if (leads(event)) askToLeave(event);
    };
    document.addEventListener("click", onClick, { signal, capture: true });
    // Back and forward.
    const onNavigate = (event: NavigateEvent): void => {
      if (event.navigationType === "traverse" && event.cancelable) askToLeave(event);
    };
    if ("navigation" in window) window.navigation.addEventListener("navigate", onNavigate, { signal });
    return () => stop.abort();
  }, [isUnsaved]);
}
