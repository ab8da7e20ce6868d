// The one name of this server for people. A passkey and a session belong to the name at which they were made, so a page that is opened
// at another name of the same server leads to that one.
import type { FastifyReply, FastifyRequest } from "fastify";

/** Where a program at the machine itself, or at the end of a tunnel, reaches it by number: browsers make no passkeys there. */
const NUMBERS: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "0.0.0.0", "[::]"]);
const FORWARDED = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];
/** A proxy may name another host than the browser: this cookie ends the circle that it would be sent in. */
const LED = "reeve-led";
const LED_SECONDS = 5;

type Head = Pick<FastifyRequest, "headers" | "host" | "ip" | "raw" | "url">;

/** Whether `Host` is what the browser calls: a proxy that is not trusted may have put its own word there. */
function isOwnHost({ headers, ip, raw }: Head): boolean {
  // Some proxies say nothing of themselves, and speak HTTP/1.0.
  if (raw.httpVersion === "1.0") return false;
  return ip !== raw.socket.remoteAddress || FORWARDED.every((name) => headers[name] === undefined);
}

function urlOf(host: string): URL | null {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
}

/** The base of the page at the server's own name; null: it is at that name, or nobody can tell. */
function findBase(request: Head, publicUrl: string): string | null {
  const called = isOwnHost(request) ? urlOf(request.host) : null;
  if (called === null) return null;
  if (publicUrl !== "") return called.hostname === new URL(publicUrl).hostname ? null : publicUrl;
  return NUMBERS.has(called.hostname) ? `http://localhost${called.port === "" ? "" : `:${called.port}`}` : null;
}

/**
 * Sends the browser to the same page at the server's own name; false: it is there. A program that waits for this browser knows it by a
 * cookie of the name that it called: what leads to its approval stays.
 */
export function leadToOwnName(request: Head, reply: FastifyReply, publicUrl: string): boolean {
  if (/\bauthorize(?:\?|%3F)request/i.test(request.url) || request.headers.cookie?.includes(`${LED}=`)) return false;
  const base = findBase(request, publicUrl);
  if (base === null) return false;
  reply.header("set-cookie", `${LED}=1; Path=/; Max-Age=${LED_SECONDS}; HttpOnly; SameSite=Lax`);
  // 307: not kept, because the name is a setting.
  void reply.redirect(base + request.url, 307);
  return true;
}
