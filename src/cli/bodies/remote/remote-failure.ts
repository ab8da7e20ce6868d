// Turns what went wrong with a server elsewhere into a sentence that says what to do.
import { ReeveError, isOfProxy } from "../../../client/error.ts";
import { Failure, exitOfStatus } from "../../../platform/outcomes/failure.ts";

/** What the system calls a failure, for people. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: is the server running, and is this its URL (--server, REEVE_SERVER)?",
  ECONNRESET: "it closed the connection",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name can't be looked up at the moment",
  EHOSTUNREACH: "there is no way to it",
  ENETUNREACH: "there is no way to it",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  UND_ERR_SOCKET: "it closed the connection",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is self-signed: NODE_EXTRA_CA_CERTS names a file of further authorities",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate is of an unknown authority: NODE_EXTRA_CA_CERTS names a file of further ones",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of an unknown authority: NODE_EXTRA_CA_CERTS names a file of further ones",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS there: use http: or another port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS there: use http: or another port",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

function reasonOf({ code, cause, message }: ReeveError): string {
  if (code === "timeout") return "it does not answer";
  const { cause: inner } = (cause ?? {}) as { readonly cause?: Error & { readonly code?: string } };
  return REASONS[inner?.code ?? ""] ?? inner?.message ?? (cause as Error | undefined)?.message ?? message;
}

/** What is below a path of a server that has its API at its root. */
const NO_PATH = /^There is no such path\b/;

export function notReeve(server: string): Failure {
  const { origin, pathname } = new URL(server);
  if (pathname !== "/") {
    return new Failure("refused", `there is no Reeve API below ${pathname} of ${origin}: try ${origin}`, "not_reeve");
  }
  return new Failure("refused", `${server} is no Reeve: expected the URL of a Reeve server`, "not_reeve");
}

/** What a command line names. */
export interface Named {
  readonly value: string;
  /** The flag or argument. */
  readonly by: string;
}

/** Finds what a command line names by the API's word for it: `environment`. */
export type FindNamed = (what: string) => Named | undefined;

/** The server and the credential of a command. */
export interface Peer {
  readonly server: string;
  /** Name of the context; null: the credential is that of REEVE_TOKEN, or there is none. */
  readonly context: string | null;
  /** Whether a credential is sent. */
  readonly isSignedIn: boolean;
  readonly findNamed?: FindNamed;
}

function unauthorized({ server, context }: Peer, { message }: ReeveError): Failure {
  const advice = context === null ? "set REEVE_TOKEN to another one" : `run \`reeve login --server ${server}\``;
  const whose = context === null ? "the token of REEVE_TOKEN" : `the token of the context ${context}`;
  // Behind it the server says what to do, for all kinds of clients.
  const [why = ""] = message.replace(/^Not authorized: /, "").split("; ");
  const problem = `${server} does not accept ${whose}: ${why}; ${advice}`;
  return new Failure("denied", problem, "token_revoked");
}

/** What to do about a credential that ends, or that some networks alone may use, where it can't give what has neither. */
function adviceOf({ server, context }: Peer, { details }: ReeveError): string {
  if (details["scope"] !== "bounds") return "";
  return context === null
    ? "; REEVE_TOKEN takes another one"
    : `; \`reeve login --server ${server}\` gives one where you choose "Until it is revoked"`;
}

function waitOf({ retryAfterMs }: ReeveError): string {
  return retryAfterMs === null ? "" : ` (try again in ${Math.ceil(retryAfterMs / 1_000)} s)`;
}

/** How a server says that it looked in the account of the credential. */
const OWN_ACCOUNT = /the request names no team[^;]*/;

/** With the name of what was not found, as it was given, and what the server says to do about it. */
function messageOf({ code, message }: ReeveError, findNamed: FindNamed = () => undefined): string {
  const [, said = "", what = "", rest = ""] = /^((.+?) not found)(?=$|[;:])([^]*)/.exec(message) ?? [];
  const found = code === "not_found" ? findNamed(what.toLowerCase()) : undefined;
  const whole =
    found === undefined ? message : `${said}: ${JSON.stringify(found.value)} (${found.by})${rest.replace(/^:/, ";")}`;
  return whole.replace(OWN_ACCOUNT, "it looked in your own account: --team names a team");
}

/** The problems behind the first, one a line. */
function furtherOf({ details }: ReeveError): string {
  const { errors } = details as { readonly errors?: readonly { readonly field: string; readonly message: string }[] };
  if (!Array.isArray(errors)) return "";
  return errors
    .slice(1)
    .map(({ field, message }) => `\n  ${field.replace(/^(?:body|query|path)\./, "")}: ${message}`)
    .join("");
}

/** What of a call failed, as a failure of the command; anything else stays as it is. */
export function explainRemote(error: unknown, peer: Peer): unknown {
  if (!(error instanceof ReeveError)) return error;
  const { server } = peer;
  const { status, code, message, requestId } = error;
  if (status === 0 && code !== "invalid_webhook") {
    return new Failure("unavailable", `cannot reach ${server}: ${reasonOf(error)}`, "server_unreachable");
  }
  if (code === "redirected") {
    const to = / to (\S+)$/.exec(message)?.[1] ?? "";
    return new Failure("refused", `${server} answers with a redirect to ${to}: use that URL`, code);
  }
  const isNowhere = NO_PATH.test(message) && new URL(server).pathname !== "/";
  if (isNowhere || (code === "not_json" && !isOfProxy(error))) return notReeve(server);
  if (status === 401 && peer.isSignedIn) return unauthorized(peer, error);
  const said = { ...error.details, status, requestId };
  if (status === 429 || status >= 500) {
    const problem = `${server} can't do this at the moment: ${message}${waitOf(error)}`;
    return new Failure("unavailable", problem, code, said);
  }
  const problem = `${server} refuses: ${messageOf(error, peer.findNamed)}${adviceOf(peer, error)}${furtherOf(error)}`;
  return new Failure(exitOfStatus(status), problem, code, said);
}
