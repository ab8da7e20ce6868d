// The ids of a request: Reeve's own, which is unique, and the one that the client or a proxy gave it.
import type { IncomingHttpHeaders } from "node:http";

const FORM = /^[\w.:-]{1,128}$/;

/** The `X-Request-Id` of a request; undefined when there is none, or none that is safe to write in logs and headers. */
export function clientRequestIdOf({ "x-request-id": given }: IncomingHttpHeaders): string | undefined {
  return typeof given === "string" && FORM.test(given) ? given : undefined;
}
