// Speaks HTTP to a server elsewhere. Whatever goes wrong becomes a sentence that says what to do.
import { Failure } from "../../cli/failure.ts";
import { VERSION } from "../../version.ts";

const TIMEOUT_MS = 30_000;

export interface RemoteResponse {
  readonly status: number;
  /** Parsed JSON; null where the body is none. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface RemoteRequest {
  readonly method: string;
  /** Begins with a slash. */
  readonly path: string;
  readonly token?: string;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** What the system calls a failure, for people. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
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
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

function unreachable(server: string, error: unknown): Failure {
  const { name, message, cause } = error as Error & { readonly cause?: Error & { readonly code?: string } };
  const reason = name === "TimeoutError" ? "it does not answer" : (REASONS[cause?.code ?? ""] ?? cause?.message);
  return new Failure("unavailable", `cannot reach ${server}: ${reason ?? message}`, "server_unreachable");
}

export function notReeve(server: string): Failure {
  return new Failure("refused", `${server} is no Reeve: expected the URL of a Reeve server`, "not_reeve");
}

async function readJson(response: Response): Promise<RemoteResponse["body"]> {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as RemoteResponse["body"]) : null;
  } catch {
    return null;
  }
}

/** Sends a request. Follows no redirect: the token is for this server alone. */
export async function sendRequest(
  server: string,
  { method, path, token, form, json }: RemoteRequest,
): Promise<RemoteResponse> {
  let response: Response;
  let body: RemoteResponse["body"];
  try {
    response = await fetch(server + path, {
      method,
      headers: {
        accept: "application/json",
        "user-agent": `reeve/${VERSION} (${process.platform})`,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(form && { body: new URLSearchParams(form) }),
      ...(json !== undefined && { body: JSON.stringify(json) }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    body = await readJson(response);
  } catch (error) {
    throw unreachable(server, error);
  }
  const { status } = response;
  if (status >= 300 && status < 400) {
    const location = response.headers.get("location") ?? "";
    throw new Failure("refused", `${server} answers with a redirect to ${location}: use that URL`, "redirected");
  }
  return { status, body };
}

/** What a response says went wrong, in the form of the API or of OAuth. */
export function messageOf({ status, body }: RemoteResponse): string {
  const { error, error_description: description } = body ?? {};
  if (typeof description === "string") return description;
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : `it answers with status ${status}`;
}

/** Turns a response that is no success into a failure of the command. */
export function refusedBy(server: string, response: RemoteResponse): Failure {
  const { status, body } = response;
  if (body === null) return notReeve(server);
  const isOverloaded = status === 429 || status >= 500;
  return isOverloaded
    ? new Failure("unavailable", `${server} can't do this at the moment: ${messageOf(response)}`, "server_failed")
    : new Failure("refused", `${server} refuses: ${messageOf(response)}`, "server_refused");
}
