// Values of application/x-www-form-urlencoded: names and values as the URL Standard decodes them.
import { decodePercent } from "../request/url.ts";
import { countStep } from "../time-limit.ts";
import type { NamedValue } from "./named-values.ts";

function decode(text: string): string {
  return decodePercent(text.replaceAll("+", " "));
}

export function readForm(text: string): NamedValue[] {
  return text.split("&").flatMap((piece): NamedValue[] => {
    if (piece === "") return [];
    countStep();
    const at = piece.indexOf("=");
    return [at < 0 ? [decode(piece), ""] : [decode(piece.slice(0, at)), decode(piece.slice(at + 1))]];
  });
}
