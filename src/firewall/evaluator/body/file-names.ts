// The names that applications give an uploaded file: they take off its path, and decode escapes of browsers and of HTML.
import { textReadings } from "../request/text-readings.ts";
import { decodePercent } from "../request/percent.ts";

/** Browsers write these so; undici and multer read them back. */
const ESCAPES: Readonly<Record<string, string>> = { "%22": '"', "%0d": "\r", "%0a": "\n" };
const ESCAPE = /%(?:22|0D|0A)/gi;
/** Django decodes these; names of characters are refused before. */
const REFERENCE = /&#(?:(\d{1,7})|x([\dA-Fa-f]{1,6}));?/gi;
const INCOMPLETE = /%(?![\dA-Fa-f]{2})/;

export function unescapeQuotes(text: string): string {
  return text.includes("%") ? text.replaceAll(ESCAPE, (written) => ESCAPES[written.toLowerCase()] as string) : text;
}

function dereference(text: string): string {
  return text.replaceAll(REFERENCE, (_, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}

/** Without what is before the last of these. */
function behindLast(text: string, separator: string): string {
  return text.slice(text.lastIndexOf(separator) + 1);
}

/** Rack does so before it takes off the path. */
function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/" || text[end - 1] === "\\") end--;
  return text.slice(0, end);
}

const UNUSUAL = /[^ -~]|[%&\\/]/;

/** All names of a file, the one that was sent first. In `written` a quote has a backslash before it. */
export function fileNames(written: string): ReadonlySet<string> {
  const names = new Set<string>();
  if (!UNUSUAL.test(written)) return names.add(written);
  const sent = written.replaceAll('\\"', '"');
  for (const text of [...textReadings(sent), behindLast(written, "\\")]) {
    for (const one of [
      text,
      unescapeQuotes(text),
      INCOMPLETE.test(text) ? text : decodePercent(text),
      dereference(text),
    ]) {
      names.add(one);
      const ended = withoutTrailingSlashes(one);
      for (const name of [one, ended]) names.add(behindLast(behindLast(name, "/"), "\\"));
      names.add(ended);
    }
  }
  return names;
}
