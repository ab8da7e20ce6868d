// A call of curl that is pasted into the form of a request.
import type { ClipboardEvent } from "react";
import { flushSync } from "react-dom";
import { readCurl } from "./curl.ts";

/** What is pasted into the field for the URL of a form: a call of curl fills all of it. `onMethod`: where no field of text has it. */
export function pasteCurl(event: ClipboardEvent<HTMLFormElement>, onMethod?: (method: string) => void): void {
  const form = event.currentTarget;
  const fieldOf = (name: string) => form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement;
  const url = fieldOf("url");
  const pasted = event.target === url ? readCurl(event.clipboardData.getData("text")) : null;
  if (!pasted) return;
  event.preventDefault();
  if (onMethod) flushSync(() => onMethod(pasted.method));
  for (const name of ["method", "headers", "body", "url"] as const) {
    const field = fieldOf(name);
    field.value = pasted[name];
    const details = field.closest("details");
    if (details && pasted[name] !== "") details.open = true;
  }
  url.dispatchEvent(new Event("input", { bubbles: true }));
}
