// Splits and normalises URLs as docs/firewall.md specifies. Every text is accepted, and the time is linear in its length.
import { PERCENT, hexValue } from "./percent.ts";

export interface UrlParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  /** Begins with `/` or `\\`. */
  readonly rawPath: string;
  /** The text after the first `?`; undefined without one. */
  readonly query: string | undefined;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:[/\\]{2}/i;

/** The index of the first `/` or `\\` from `start`; -1: none. */
function findSlash(text: string, start: number): number {
  const slash = text.indexOf("/", start);
  const backslash = text.indexOf("\\", start);
  return slash < 0 || backslash < 0 ? Math.max(slash, backslash) : Math.min(slash, backslash);
}

export function splitUrl(url: string): UrlParts {
  const fragmentAt = url.indexOf("#");
  const text = fragmentAt < 0 ? url : url.slice(0, fragmentAt);
  const queryAt = text.indexOf("?");
  const query = queryAt < 0 ? undefined : text.slice(queryAt + 1);
  const front = queryAt < 0 ? text : text.slice(0, queryAt);
  // The usual case: the URL begins with its path.
  if (front.startsWith("/")) return { scheme: undefined, authority: undefined, rawPath: front, query };
  const found = SCHEME.exec(front);
  const start = found ? found[0].length : 0;
  const pathAt = findSlash(front, start);
  return {
    scheme: found?.[0].slice(0, -3).toLowerCase(),
    authority: found ? front.slice(start, pathAt < 0 ? undefined : pathAt) : undefined,
    rawPath: pathAt < 0 ? "/" : front.slice(pathAt),
    query,
  };
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const UTF8_BYTES = new TextEncoder();

/** Decodes `%XX` until none is left, as UTF-8, in one pass: a decoded byte may complete an escape before it. */
function decodeFully(text: string): string {
  if (!text.includes("%")) return text;
  const bytes = UTF8_BYTES.encode(text);
  let length = 0;
  for (const byte of bytes) {
    bytes[length++] = byte;
    while (length >= 3 && bytes[length - 3] === PERCENT) {
      const high = hexValue(bytes[length - 2] as number);
      const low = hexValue(bytes[length - 1] as number);
      if (high < 0 || low < 0) break;
      length -= 2;
      bytes[length - 1] = high * 16 + low;
    }
  }
  return UTF8.decode(bytes.subarray(0, length));
}

/** A path without these needs no normalisation. */
const UNUSUAL = /[%\\;]|\/[./]/;

/**
 * The path that conditions compare. Servers behind a firewall may interpret a path in any of these ways, so all spellings
 * of a path are normalised to one (docs/firewall.md).
 */
export function normalisePath(rawPath: string): string {
  if (!UNUSUAL.test(rawPath)) return rawPath;
  const names = decodeFully(rawPath)
    .split(/[/\\]/)
    .slice(1)
    .map((segment) => segment.split(";", 1)[0] as string);
  const kept: string[] = [];
  for (const name of names) {
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  const last = names.at(-1);
  const endsInside = last === "" || last === "." || last === "..";
  return `/${kept.join("/")}${endsInside && kept.length > 0 ? "/" : ""}`;
}

function isDigits(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** The host of an authority or a `Host` header without user, port and one trailing dot; undefined when nothing is left. */
export function hostOf(authority: string): string | undefined {
  let host = authority.slice(authority.lastIndexOf("@") + 1);
  const colon = host.lastIndexOf(":");
  if (colon >= 0 && isDigits(host, colon + 1)) {
    const front = host.slice(0, colon);
    if (!front.includes(":") || (front.startsWith("[") && front.endsWith("]"))) host = front;
  }
  host = host.toLowerCase();
  if (host.endsWith(".")) host = host.slice(0, -1);
  return host === "" ? undefined : host;
}
