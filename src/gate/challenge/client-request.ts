// What a request tells about who sent it: a person's browser that shows a page, or anything else.
import type { GateRequest } from "../message.ts";
import { headerOf, prefersPages } from "../message.ts";
import { canonicalHost } from "./keys.ts";

/**
 * Whether a person waits for the page. Browsers send Fetch Metadata to https and to loopback; elsewhere, and from old browsers, the
 * other headers have to do.
 */
export function isNavigation(request: GateRequest): boolean {
  const mode = headerOf(request, "sec-fetch-mode");
  if (mode !== undefined) return mode === "navigate" && headerOf(request, "sec-fetch-dest") === "document";
  return prefersPages(request) && headerOf(request, "x-requested-with") === undefined;
}

export function originOf(request: GateRequest): string {
  return `${request.scheme}://${canonicalHost(request)}`;
}

/** Whether a page of this origin sent the request. No answer counts as no. */
export function isSameOrigin(request: GateRequest): boolean {
  const site = headerOf(request, "sec-fetch-site");
  return site === undefined ? headerOf(request, "origin") === originOf(request) : site === "same-origin";
}
