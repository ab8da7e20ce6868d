// Turns thrown errors into error bodies: the usual envelope, or problem+json for clients that accept it.
import { ApiError, ERROR_STATUS, fieldError } from "../../kernel/errors.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { StoreFailureReason } from "../../store/database.ts";
import { storeFailureReason } from "../../store/failure.ts";
import { JSON_TYPE } from "../requests/accept.ts";

interface ErrorContext {
  readonly requestId: string;
  readonly accept: string | undefined;
  /** URL of the page that documents the codes. */
  readonly docsUrl: string;
}

/** `publicUrl` is the base of absolute URLs, without a slash at the end; empty for relative ones. */
export function errorDocs(publicUrl: string): string {
  return `${publicUrl}/docs/errors`;
}

export interface ErrorReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type RenderError = (error: ApiError, context: ErrorContext) => ErrorReply;

export const MAX_BODY_BYTES = 1_048_576;

export function unsupportedMediaType(got?: string): ApiError {
  const problem = `expected application/json in UTF-8, got ${got ? got.slice(0, 100) : "none"}`;
  return fieldError("unsupported_media_type", "Content-Type", problem, { expected: "application/json" });
}

const KIB = 1_024;

export function bodyTooLarge(limit: number): ApiError {
  const shown = limit < MAX_BODY_BYTES ? `${limit / KIB} KiB` : `${limit / KIB / KIB} MiB`;
  return new ApiError("body_too_large", `body: expected at most ${shown}`, { limit });
}

const FRAMEWORK_ERRORS: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_BAD_URL: () => new ApiError("invalid_path", "path: expected percent-encoded UTF-8"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => unsupportedMediaType(),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError("invalid_path", "path: expected shorter segments"),
};

/** Whether the client disconnected before its body was complete. Nobody reads the response, and nothing is wrong here. */
function isAborted(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "ECONNRESET" && message === "aborted";
}

const STORE_MESSAGES = {
  storage_full: "The store has no space left, and nothing was changed; try again when the operator has made room",
  store_unavailable: "The store cannot be reached at the moment, and nothing was changed; try again",
  store_busy: "The store has too much to do at the moment, and nothing was changed; try again",
  outcome_unknown:
    "The store broke off while this change was being made, and it may or may not have been: look before you send the request again, or send it with the same Idempotency-Key if it had one",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Codes of those store failures that clients should tell apart. */
const STORE_CODES: Readonly<Partial<Record<StoreFailureReason, keyof typeof STORE_MESSAGES>>> = {
  busy: "store_busy",
  too_few_connections: "store_busy",
  full: "storage_full",
  outcome_unknown: "outcome_unknown",
};

/** The error to send for anything that was thrown. An unknown failure reveals no details. */
export function toApiError(error: unknown, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  const known = FRAMEWORK_ERRORS[(error as { code?: string }).code ?? ""];
  if (known) return known();
  if (isAborted(error)) return new ApiError("bad_request", "body: the connection ended before the body did");
  const reason = storeFailureReason(error);
  if (reason !== null) {
    const code = STORE_CODES[reason] ?? "store_unavailable";
    return new ApiError(code, STORE_MESSAGES[code], { requestId });
  }
  return new ApiError("internal_server_error", `Something went wrong here; tell the operator request id ${requestId}`, {
    requestId,
  });
}

export function renderError(error: ApiError, context: ErrorContext): ErrorReply {
  const { code, message, details, status } = error;
  const { requestId } = context;
  const docs = `${context.docsUrl}#${code}`;
  if (context.accept?.includes("application/problem+json")) {
    const problem = {
      type: docs,
      title: code.replaceAll("_", " "),
      status: ERROR_STATUS[code],
      detail: message,
      instance: `urn:reeve:request:${requestId}`,
      code,
      ...details,
      requestId,
    };
    return { status, contentType: "application/problem+json; charset=utf-8", body: JSON.stringify(problem) };
  }
  return {
    status,
    contentType: JSON_TYPE,
    body: JSON.stringify({ error: { code, message, ...details, requestId, docs } }),
  };
}
