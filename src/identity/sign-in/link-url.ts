// The URLs of links that sign in. The code is in the query: the page works without a script, keeps its address from other sites
// (Referrer-Policy), and the log has routes and never URLs.
import type { LinkPurpose } from "../methods/codes/links.ts";

const PAGES: Readonly<Record<LinkPurpose, string>> = { "set-up": "set-up", "sign-in": "recover", recovery: "recover" };

/** `baseUrl` has no slash at the end. */
export function signInLinkUrl(baseUrl: string, purpose: LinkPurpose, code: string): string {
  return `${baseUrl}/console/${PAGES[purpose]}?code=${code}`;
}
