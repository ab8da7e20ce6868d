// Values of application/x-www-form-urlencoded: names and values as the URL Standard decodes them.
import { decodePercent } from "../request/url.ts";
import type { ValueList } from "./named-values.ts";

function decode(text: string): string {
  return decodePercent(text.replaceAll("+", " "));
}

export function readForm(text: string, values: ValueList): void {
  for (const piece of text.split("&")) {
    if (piece === "") continue;
    const at = piece.indexOf("=");
    if (at < 0) values.addField(decode(piece), "");
    else values.addField(decode(piece.slice(0, at)), decode(piece.slice(at + 1)));
  }
}
