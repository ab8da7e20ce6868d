// What an operator has to change after a sign-in with a provider failed: both values that differ, and the setting. Of tokens it names
// issuer, audience and algorithm, and nothing else.
import type { OidcProvider } from "./oidc-file.ts";

/** What the library says beside a message. */
interface Details {
  readonly attribute?: string;
  readonly claim?: string;
  readonly expected?: unknown;
  readonly body?: { readonly issuer?: unknown };
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly parameters?: URLSearchParams;
  readonly header?: { readonly alg?: unknown };
  readonly alg?: unknown;
}

const MAX_SHOWN = 300;
const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, MAX_SHOWN).toWellFormed();

/** The errors from the outermost to the first cause, and what that names. */
function unwind(failure: unknown): { readonly messages: readonly string[]; readonly details: Details | Response } {
  const messages: string[] = [];
  let cause = failure;
  while (cause instanceof Error && messages.length < 5) {
    messages.push(cause.message);
    ({ cause } = cause);
  }
  return { messages, details: Object(cause) as Details | Response };
}

function adviseOnIssuer({ id, issuer }: OidcProvider, got: unknown, where: string, expected: unknown): string {
  const wanted = typeof expected === "string" ? expected : issuer;
  const inMetadata = wanted === issuer ? "" : `, and its metadata has ${show(wanted)}`;
  const isSlash = typeof got === "string" && got !== wanted && got.replace(/\/$/, "") === wanted.replace(/\/$/, "");
  const how = isSlash ? ", which differs by the slash at its end" : "";
  return `issuer of ${id} in REEVE_OIDC_FILE is ${show(issuer)}${inMetadata}, and ${where} ${show(got)}${how}: they must be equal, to the letter. Set issuer to what the provider calls itself, if you trust that`;
}

function adviseOnAlgorithm({ clientId }: OidcProvider, got: unknown, expected: unknown, isUserinfo: boolean): string {
  const wanted = typeof expected === "string" || Array.isArray(expected) ? show(expected) : '"RS256"';
  const [what, key, instead] = isUserinfo
    ? ["userinfo response", "userinfo_signed_response_alg", "JSON that is not signed, or RS256"]
    : ["ID token", "id_token_signed_response_alg", "RS256, or another algorithm with a public key"];
  return `the ${what} is signed with ${show(got)}, and ${wanted} was expected: at the provider, set ${key} of the client ${show(clientId)} to ${instead}`;
}

/** `isUserinfo`: the userinfo response is wrong, not the ID token. Undefined: there is nothing to say beside the library's message. */
export function adviseOn(provider: OidcProvider, failure: unknown, isUserinfo: boolean): string | undefined {
  const { messages, details } = unwind(failure);
  if (details instanceof Response) {
    const type = details.headers.get("content-type") ?? "no content type";
    return `${details.url} answered with status ${details.status} and ${type}: check issuer of ${provider.id} in REEVE_OIDC_FILE, which is ${show(provider.issuer)}`;
  }
  const { attribute, claim, claims, body, parameters, header, alg, expected } = details;
  if (attribute === "issuer") return adviseOnIssuer(provider, body?.issuer, "the provider's metadata has", null);
  if (claim === "iss") return adviseOnIssuer(provider, claims?.["iss"], "its ID tokens have", expected);
  if (parameters instanceof URLSearchParams && parameters.has("iss") && messages.at(-1)?.includes('"iss"')) {
    return adviseOnIssuer(provider, parameters.get("iss"), "the response of its authorization endpoint has", expected);
  }
  if (claim === "aud") {
    return `clientId of ${provider.id} in REEVE_OIDC_FILE is ${show(provider.clientId)}, and its ID tokens are for ${show(claims?.["aud"])}: set clientId to the client that is registered there`;
  }
  if (header !== undefined) return adviseOnAlgorithm(provider, header.alg, expected, isUserinfo);
  if (messages.at(-1)?.includes("JWS algorithm")) return adviseOnAlgorithm(provider, alg, null, isUserinfo);
  if (messages.at(-1)?.includes("configuration to verify used JWT")) {
    return `the userinfo response is "application/jwt", and "application/json" was expected, because the provider's metadata has no userinfo_signing_alg_values_supported: at the provider, unset userinfo_signed_response_alg of the client ${show(provider.clientId)}, so that it gets JSON, or add ["RS256"] under that name to the metadata`;
  }
  return undefined;
}
