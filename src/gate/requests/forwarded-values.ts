// Lists to which each proxy on the way adds what it has seen: addresses, protocols, hosts.

function unquote(text: string): string {
  const value = text.trim();
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1).trim() : value;
}

/** Empty elements are none (RFC 9110, 5.6.1). */
export function listOf(text: string): string[] {
  return text.split(",").map(unquote).filter(Boolean);
}

/**
 * What the proxy said that is so many hops before the last one, as many as are trusted; the first element of a shorter list, because some
 * proxies replace what was there. Undefined: there is none.
 */
export function elementAt(text: string, hop: number): string | undefined {
  if (!/[\s,"]/.test(text)) return text;
  const list = listOf(text);
  return list[Math.max(0, list.length - 1 - hop)];
}

const SCHEMES: ReadonlyMap<string, "http" | "https"> = new Map([
  ["http", "http"],
  ["https", "https"],
  // Of a WebSocket, which begins as a request.
  ["ws", "http"],
  ["wss", "https"],
]);

/** Undefined: it is no protocol of a request. */
export function readScheme(text: string | undefined): "http" | "https" | undefined {
  return text === undefined ? undefined : (SCHEMES.get(text) ?? SCHEMES.get(text.toLowerCase()));
}
