// How a request is called: always by an id of ours, which nobody else can give to another one, and beside it by the id that its
// client or a proxy gave it.
import type { IncomingHttpHeaders } from "node:http";

const FORM = /^[\w.:-]{1,128}$/;

/** The `X-Request-Id` that came with a request; undefined when there was none, or none in a form that can be written anywhere. */
export function clientRequestIdOf({ "x-request-id": given }: IncomingHttpHeaders): string | undefined {
  return typeof given === "string" && FORM.test(given) ? given : undefined;
}
