// The rules for a webhook's own headers, beyond its schema.
import { fieldError } from "../../platform/kernel/errors.ts";

// RFC 9110, section 5.6.2: a token.
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/;
// Visible ASCII and spaces inside. RFC 9110, section 5.5
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/;
/** Headers about the transport, the sender and the signature of a request. */
const RESERVED = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const RESERVED_PREFIXES = ["proxy-", "webhook-", "x-vercel-signature"];

function refuse(field: string, problem: string): never {
  throw fieldError("invalid_webhook", field, problem);
}

/** Checks a webhook's own headers. Returns them with names in lower case, in the order of the names. */
export function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const read = new Map<string, string>();
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    const shown = `body.headers.${given.slice(0, 64)}`;
    if (!HEADER_NAME.test(name)) refuse("body.headers", "expected names of 1 to 64 characters that a header may have");
    if (RESERVED.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))) {
      refuse(shown, "this header is set by the delivery itself");
    }
    if (read.has(name)) refuse(shown, "expected each header once, in whatever case");
    if (!HEADER_VALUE.test(value)) refuse(shown, "expected visible ASCII characters, with spaces between them at most");
    read.set(name, value);
  }
  return Object.fromEntries([...read].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Receivers may echo the webhook's own headers. Where it has some, responses are logged only if its owner asks for it. */
export function areResponsesLogged({
  headerNames: names,
  logsResponses: isRequested,
}: {
  readonly headerNames: string;
  readonly logsResponses: number | null;
}): boolean {
  return isRequested === null ? names === "[]" : isRequested === 1;
}
