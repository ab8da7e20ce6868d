// The forms of a request target besides a path (RFC 9112, 3.2): a whole URL, as a client sends it that takes the gate for a proxy.
import type { IncomingMessage } from "node:http";

/** What it names has to be a host alone: one with a user before it, or none, is left as it is, and cannot be judged. */
const ABSOLUTE = /^https?:\/\/([^/?#@]+)((?:[/?#][^]*)?)$/i;

/** For the server as a whole. */
export const WHOLE_SERVER = "*";

function rest(after: string, method: string | undefined): string {
  if (after.startsWith("/")) return after;
  return after === "" && method === "OPTIONS" ? WHOLE_SERVER : `/${after}`;
}

function setHost(message: IncomingMessage, host: string): boolean {
  const { headers, rawHeaders } = message;
  if (headers.host === host) return false;
  headers.host = host;
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  message.rawHeaders = at < 0 ? [...rawHeaders, "Host", host] : rawHeaders.with(at + 1, host);
  return true;
}

/**
 * The host of a whole URL replaces that of the header `Host` (RFC 9112, 3.2.2), for rules and for the application. Returns whether it is
 * another one.
 */
export function takeOriginForm(message: IncomingMessage & { originalUrl?: string }): boolean {
  const { url = "", originalUrl = url } = message;
  if (originalUrl.startsWith("/")) return false;
  const [, host, after] = ABSOLUTE.exec(originalUrl) ?? [];
  if (host === undefined || after === undefined) return false;
  const target = rest(after, message.method);
  // Express reads the URL below a prefix by the whole one that it had before.
  if (originalUrl === url) message.url = target;
  if (message.originalUrl !== undefined) message.originalUrl = target;
  return setHost(message, host);
}
