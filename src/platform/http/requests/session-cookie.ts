// The cookies of browsers that are signed in. With the prefix `__Host-`, a browser accepts a cookie only over https, and no other
// host of the domain can set it. RFC 6265bis, section 4.1.3.2
import type { IncomingHttpHeaders } from "node:http";
import { parseCookie, stringifySetCookie } from "cookie";
import { DAY_MS, SECOND_MS } from "../../kernel/scheduling/clock.ts";

/** A session's longest life; the server decides when it ends. */
const SESSION_MS = 7 * DAY_MS;
const DEVICE_MS = 365 * DAY_MS;
const VALUE = /^[0-9A-Za-z]{43}$/;

export interface BrowserCookies {
  /** The value of the session cookie, if there is one in a valid form. */
  readSession(headers: IncomingHttpHeaders): string | null;
  readDevice(headers: IncomingHttpHeaders): string | null;
  /** The value of a cookie that outlives one step of a sign-in, such as a way to a provider and back. */
  readStep(headers: IncomingHttpHeaders): string | null;
  /** `Set-Cookie` headers after a sign-in. */
  signedIn(cookies: { readonly session: string; readonly device: string }): string[];
  signedOut(): string[];
  step(value: string, maxAgeMs: number): string;
}

/** `publicUrl` decides whether cookies need https. */
export function createBrowserCookies(publicUrl: string): BrowserCookies {
  const isSecure = publicUrl.startsWith("https:");
  const nameOf = (purpose: string) => (isSecure ? `__Host-reeve${purpose}` : `reeve${purpose}`);
  const names = { session: nameOf(""), device: nameOf("-device"), step: nameOf("-step") };
  const read = (name: string, { cookie }: IncomingHttpHeaders) => {
    // A host that is shared with other programs may send many cookies.
    if (cookie === undefined || !cookie.includes(name)) return null;
    const value = parseCookie(cookie)[name];
    return value !== undefined && VALUE.test(value) ? value : null;
  };
  const write = (name: string, value: string, maxAgeMs: number) =>
    stringifySetCookie({
      name,
      value,
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure,
      maxAge: Math.floor(maxAgeMs / SECOND_MS),
    });
  return {
    readSession: (headers) => read(names.session, headers),
    readDevice: (headers) => read(names.device, headers),
    readStep: (headers) => read(names.step, headers),
    signedIn: ({ session, device }) => [
      write(names.session, session, SESSION_MS),
      write(names.device, device, DEVICE_MS),
    ],
    signedOut: () => [write(names.session, "", 0)],
    step: (value, maxAgeMs) => write(names.step, value, maxAgeMs),
  };
}
