// Every failure of a call is one class, whether the server refused it or could not be reached.
import { readRetryAfter } from "../platform/kernel/text/retry-after.ts";

/** What is known about a failed call besides its message. */
export interface ReeveErrorFacts {
  readonly status?: number;
  readonly code: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number | null;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A call that failed. Branch on `code`; show `message` to people. */
export class ReeveError extends Error {
  override readonly name = "ReeveError";
  /** HTTP status; 0: there was no response. */
  readonly status: number;
  /**
   * Of the API's closed list of codes; or one of the client's own: `unreachable`, `timeout`, `redirected`, `not_json` (the response is
   * none of the API), `endless_list`, `invalid_webhook`.
   */
  readonly code: string;
  /** The path of the wrong field, such as `body.email`; empty: none. */
  readonly field: string;
  /** What the field was expected to be; empty: the server does not say. */
  readonly expected: string;
  /** For the operator's logs; empty: there was no response. */
  readonly requestId: string;
  /** How long the server asks to wait, ms; null: it does not say. */
  readonly retryAfterMs: number | null;
  /** The whole error object of the response. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: ReeveErrorFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    const { status = 0, code, requestId = "", retryAfterMs = null, details = {} } = facts;
    const text = (member: string): string => (typeof details[member] === "string" ? details[member] : "");
    this.status = status;
    this.code = code;
    this.field = text("field");
    this.expected = text("expected") || (/: expected (.*)$/.exec(message)?.[1] ?? "");
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.details = details;
  }
}

const UNREACHABLE = "does not reach the server";
/** What proxies say in a form of their own. */
const PROXY_REASONS: Readonly<Record<number, string>> = {
  413: "takes no request as large as this",
  431: "takes no headers as long as these",
  502: UNREACHABLE,
  503: UNREACHABLE,
  504: "gets no answer of the server in time",
};

/** Whether an error is of a proxy in front of the server. */
export function isOfProxy({ code, status }: ReeveError): boolean {
  return code === "not_json" && status in PROXY_REASONS;
}

/** Whether a project is not there: it has not begun, or the credential may not know of it. */
export function isUnknownProject(error: unknown): boolean {
  return error instanceof ReeveError && error.code === "not_found" && "projectId" in error.details;
}

/** What a response that is no success says, in the form of the API (also as problem+json) or of OAuth. */
export async function errorOf(response: Response): Promise<ReeveError> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const facts = {
    status,
    requestId: headers.get("x-request-id") ?? "",
    retryAfterMs: readRetryAfter(headers.get("retry-after"), Date.now()),
  };
  if (typeof body !== "object" || body === null) {
    const reason = PROXY_REASONS[status];
    const problem =
      reason === undefined
        ? `The server responds with ${status} and no JSON`
        : `A proxy in front of the server responds with ${status}: it ${reason}`;
    return new ReeveError(problem, { ...facts, code: "not_json" });
  }
  const { error, error_description: description } = body as Readonly<Record<string, unknown>>;
  const details = (typeof error === "object" && error !== null ? error : body) as Readonly<Record<string, unknown>>;
  const [message = `The server responds with ${status}`] = [details["message"], details["detail"], description].filter(
    (text) => typeof text === "string",
  );
  const code = [details["code"], error].find((text) => typeof text === "string") ?? "unknown";
  return new ReeveError(message, { ...facts, code, details });
}
