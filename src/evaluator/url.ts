// What a URL says, read as docs/firewall.md has it: every text has a meaning, and time is linear in its length.

export interface UrlParts {
  readonly scheme: string | undefined;
  readonly authority: string | undefined;
  /** Begins with `/`. */
  readonly rawPath: string;
  /** Behind the first `?`; undefined without one. */
  readonly query: string | undefined;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

export function splitUrl(url: string): UrlParts {
  const fragmentAt = url.indexOf("#");
  const text = fragmentAt < 0 ? url : url.slice(0, fragmentAt);
  const queryAt = text.indexOf("?");
  const query = queryAt < 0 ? undefined : text.slice(queryAt + 1);
  const front = queryAt < 0 ? text : text.slice(0, queryAt);
  // Most begin with their path.
  if (front.startsWith("/")) return { scheme: undefined, authority: undefined, rawPath: front, query };
  const found = SCHEME.exec(front);
  const start = found ? found[0].length : 0;
  const pathAt = front.indexOf("/", start);
  return {
    scheme: found?.[0].slice(0, -3).toLowerCase(),
    authority: found ? front.slice(start, pathAt < 0 ? undefined : pathAt) : undefined,
    rawPath: pathAt < 0 ? "/" : front.slice(pathAt),
    query,
  };
}

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const PERCENT = 0x25;

/** Value of the hexadecimal digit at `at`; -1 when there is none. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The byte that `%XX` at `at` stands for; -1 when there is none. */
function escapedByte(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return -1;
  const high = hexDigit(text, at + 1);
  const low = hexDigit(text, at + 2);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** Every run of `%XX` decoded once as UTF-8; what is no UTF-8 becomes U+FFFD, all else stays. */
export function decodePercent(text: string): string {
  let at = text.indexOf("%");
  if (at < 0) return text;
  let decoded = "";
  let from = 0;
  let bytes: number[] = [];
  while (at >= 0) {
    let byte = escapedByte(text, at);
    if (byte < 0) {
      at = text.indexOf("%", at + 1);
      continue;
    }
    decoded += text.slice(from, at);
    bytes = [];
    let isAscii = true;
    for (; byte >= 0; byte = escapedByte(text, at)) {
      bytes.push(byte);
      if (byte >= 0x80) isAscii = false;
      at += 3;
    }
    decoded +=
      isAscii && bytes.length === 1 ? String.fromCharCode(bytes[0] as number) : UTF8.decode(Uint8Array.from(bytes));
    from = at;
    at = text.indexOf("%", at);
  }
  return decoded + text.slice(from);
}

/** RFC 3986, 5.2.4, of a path that begins with `/`. */
export function removeDotSegments(path: string): string {
  if (!path.includes("/.")) return path;
  const segments = path.split("/").slice(1);
  const kept: string[] = [];
  for (const [at, segment] of segments.entries()) {
    const isDots = segment === "." || segment === "..";
    if (segment === "..") kept.pop();
    if (!isDots) kept.push(segment);
    else if (at === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

function isDigits(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Host of an authority or a `Host` header, without user, port and one dot at the end; undefined when none is left. */
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
