// Protection against cross-site request forgery: a browser sends the session cookie with requests that other sites cause. Browsers
// say where a request comes from in headers that pages cannot set. https://www.w3.org/TR/fetch-metadata/
import type { FastifyRequest } from "fastify";
import { ApiError } from "../../kernel/errors.ts";

type Head = Pick<FastifyRequest, "headers" | "method" | "protocol">;

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

function refuse(expected: string): never {
  throw new ApiError("cross_site_request", `Not authorized: a page of another site may not send this; ${expected}`);
}

/** The origin that browsers see this server at: that of the public URL, or that of the request where none is set. */
export function ownOrigin({ headers, protocol }: Head, publicUrl: string): string {
  return publicUrl === "" ? `${protocol}://${headers.host}` : new URL(publicUrl).origin;
}

/** The host that people see in the address of this server. */
export function ownHost(request: Head, publicUrl: string): string {
  return ownOrigin(request, publicUrl).replace(/^https?:\/\//, "");
}

/** Refuses a request that changes something and that a page of this server did not send. */
export function requireSameOrigin(request: Head, publicUrl: string): void {
  const { "sec-fetch-site": site, origin } = request.headers;
  if (site !== undefined) {
    if (site === "same-origin") return;
    refuse("Sec-Fetch-Site: expected same-origin");
  }
  const own = ownOrigin(request, publicUrl);
  if (origin !== own) refuse(`Origin: expected ${own}${publicUrl === "" ? "" : " (REEVE_PUBLIC_URL)"}`);
}

/**
 * Refuses what a page of another site may not do with a session: any change, and reads of the API, because some are recorded.
 * A person who follows a link from elsewhere reads pages, not the API.
 */
export function requireOwnSite(request: Head, publicUrl: string): void {
  if (!SAFE_METHODS.has(request.method)) return requireSameOrigin(request, publicUrl);
  const { "sec-fetch-site": site } = request.headers;
  if (site === "cross-site" || site === "same-site") refuse("Sec-Fetch-Site: expected same-origin or none");
}
