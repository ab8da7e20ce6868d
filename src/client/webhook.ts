// Verifies what webhooks receive, by Standard Webhooks: `webhook-signature` over id, timestamp and body.
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
import { checkMembers, requireObject, rule } from "./arguments.ts";
import type { Rule, Rules } from "./arguments.ts";
import { ReeveError } from "./error.ts";

const DEFAULT_TOLERANCE_MS = 5 * 60_000;

/** Reeve sends one for each secret and key that is valid. */
const MAX_SIGNATURES = 20;

type PlainHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A received request. */
export interface ReceivedWebhook {
  /** The request's headers: those of `fetch`, or an object with names in lower case, as Node.js has them. */
  readonly headers: Headers | PlainHeaders;
  /** The body exactly as it was received: what is parsed and written anew has another signature. */
  readonly body: string | Uint8Array;
  /** The signing secret (`whsec_...`) or the public key (`whpk_...`) of the webhook; several of them while one is replaced. */
  readonly secret: string | readonly string[];
  /** How far the time of the request may be away, ms; five minutes by default. */
  readonly toleranceMs?: number;
  /** ms; the present time by default. */
  readonly now?: number;
}

const BODY = "the text or bytes that were received, before they are parsed";
const isSecret = (value: unknown) => typeof value === "string" && value !== "";
const isText = (value: unknown) => typeof value === "string";
const requireNumber = rule((value) => typeof value === "number", "a number of milliseconds");
const required = (isRight: (value: unknown) => boolean, expectation: string): Rule => {
  const check = rule(isRight, expectation);
  return (argument, value) => check(argument, value ?? null);
};
const RECEIVED: Rules<ReceivedWebhook> = {
  headers: required((value) => typeof value === "object" && value !== null, "the headers of the request"),
  body: required((value) => isText(value) || ArrayBuffer.isView(value), BODY),
  secret: required(
    (value) => isSecret(value) || (Array.isArray(value) && value.every(isSecret)),
    "whsec_... or whpk_..., or a list of some",
  ),
  toleranceMs: requireNumber,
  now: requireNumber,
};

const fail = (problem: string): ReeveError => new ReeveError(`webhook: ${problem}`, { code: "invalid_webhook" });

function headerOf(headers: ReceivedWebhook["headers"], name: string): string {
  // By what they can do: programs may have another `Headers` than the global one.
  const value = typeof headers.get === "function" ? (headers as Headers).get(name) : (headers as PlainHeaders)[name];
  if (typeof value === "string" && value !== "") return value;
  throw fail(`expected the header ${name} once: pass all headers as they came`);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** How a signature of each version is verified. WebCrypto compares in constant time. */
const VERSIONS = {
  whsec_: { mark: "v1,", algorithm: { name: "HMAC", hash: "SHA-256" } },
  whpk_: { mark: "v1a,", algorithm: { name: "Ed25519" } },
} as const;

interface Verifier {
  readonly mark: string;
  readonly key: CryptoKey;
}

async function readSecret(secret: string): Promise<Verifier> {
  const prefix = /^wh[a-z]+_/.exec(secret)?.[0];
  const bytes = decode(secret.slice(prefix?.length ?? 0));
  const version = VERSIONS[prefix as keyof typeof VERSIONS];
  if (version === undefined || bytes === null) throw fail("secret: expected whsec_... or whpk_...");
  try {
    const key = await crypto.subtle.importKey("raw", bytes, version.algorithm, false, ["verify"]);
    return { mark: version.mark, key };
  } catch {
    throw fail(`secret: expected the whole ${prefix}...`);
  }
}

/**
 * Verifies a request and returns its parsed body. Throws a `ReeveError` with the code `invalid_webhook` if the request is not signed
 * with one of the secrets, or is older than the tolerance: then somebody else may have sent it, or sent it again.
 */
export async function verifyWebhook<T = unknown>(received: ReceivedWebhook): Promise<T> {
  requireObject("received", received ?? null, "an object with `headers`, `body` and `secret`");
  checkMembers("received", received, RECEIVED);
  const { headers, body, secret, toleranceMs = DEFAULT_TOLERANCE_MS, now = Date.now() } = received;
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw fail("webhook-timestamp: expected seconds since the epoch");
  // In this form a tolerance that is no number accepts nothing.
  if (!(Math.abs(now - Number(timestamp) * 1_000) <= toleranceMs)) {
    throw fail(`webhook-timestamp: expected a time within ${toleranceMs / 1_000} seconds of now, got ${timestamp}`);
  }
  // Each costs as much as the body is long, and anybody can send some.
  const signed = signatures.split(" ");
  if (signed.length > MAX_SIGNATURES) throw fail(`webhook-signature: expected at most ${MAX_SIGNATURES} signatures`);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + bytes.length);
  message.set(head);
  message.set(bytes, head.length);
  const secrets = typeof secret === "string" ? [secret] : secret;
  let isSigned = false;
  for (const { mark, key } of await Promise.all(secrets.map(readSecret))) {
    for (const one of signed.filter((text) => text.startsWith(mark))) {
      const signature = decode(one.slice(mark.length));
      if (signature && (await crypto.subtle.verify(key.algorithm, key, signature, message))) isSigned = true;
    }
  }
  if (!isSigned) throw fail("webhook-signature: expected a signature by the secret, over the body as it was received");
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}
