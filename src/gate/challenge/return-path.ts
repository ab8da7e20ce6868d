// Where people go after the challenge: a path of the same origin, whatever the link says that led them here.
import { BASE_PATH } from "./routes.ts";

const MAX_LENGTH = 4_096;
/** Printable ASCII without the backslash. Browsers send nothing else in a path; parsers of URLs drop tabs and line breaks. */
const CHARACTERS = /^\/[!-[\]-~]*$/;
/** Stands for the own origin: only the path matters. */
const ORIGIN = "http://origin.invalid";

/** Whether browsers understand a text as a path of the origin that it is used on, and not as one of ours. */
function isOwnPath(path: string): boolean {
  if (path.length > MAX_LENGTH || path.startsWith("//") || !CHARACTERS.test(path)) return false;
  const url = URL.parse(path, ORIGIN);
  // `/.//host` resolves to a path with two slashes, which some proxies write into a header as it is.
  return url?.origin === ORIGIN && !url.pathname.startsWith("//") && !url.pathname.startsWith(BASE_PATH);
}

/** The path, or `/` if it is anything but a path of this origin. */
export function safePath(path: string | null | undefined): string {
  return path && isOwnPath(path) ? path : "/";
}

/**
 * The value of `return`, the last parameter of a query. Proxies that cannot encode append the path as it is: then the rest belongs to it.
 */
export function readReturn(query: string): string {
  const at = query.search(/(?:^|&)return=/);
  if (at < 0) return "/";
  const value = query.slice(query.indexOf("=", at) + 1);
  if (value.startsWith("/")) return safePath(value);
  return safePath(new URLSearchParams(query.slice(at)).get("return"));
}

/** The path of the page that a request was sent from, if that is one of the same origin. */
export function refererPath(referer: string | undefined, origin: string): string {
  const url = referer === undefined ? null : URL.parse(referer);
  return url?.origin === origin ? safePath(url.pathname + url.search) : "/";
}
