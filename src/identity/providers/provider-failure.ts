// Failures of a sign-in with a provider, for people and for the log. People never see what the provider wrote: it may come from
// the person who made the link that they followed.
import type { OidcProvider } from "./oidc-file.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { adviseOn } from "./failure-advice.ts";

interface LibraryError extends Error {
  readonly code?: string;
  /** Of an error that the provider answered with (RFC 6749, section 5.2). */
  readonly error?: string;
  readonly error_description?: string;
  readonly status?: number;
}

/** What the log says of a failure. Neither tokens nor claims, which causes hold. */
export interface FailureDetails {
  readonly provider: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly description: string | undefined;
  /** What to change. */
  readonly advice: string | undefined;
}

/** Errors that the userinfo response caused. */
const OF_USERINFO = new WeakSet<object>();

/** Rejects with what went wrong with a userinfo response, and remembers that it was that. */
export function failOfUserinfo(failure: unknown): never {
  if (failure instanceof Error) OF_USERINFO.add(failure);
  throw failure;
}

/** The error of an answer: in its body, or in its header `WWW-Authenticate`. */
function answeredError({ error, error_description: description, cause }: LibraryError) {
  if (error !== undefined || !Array.isArray(cause)) return { error, description };
  const [challenge] = cause as readonly { readonly parameters?: Readonly<Record<string, string>> }[];
  return { error: challenge?.parameters?.["error"], description: challenge?.parameters?.["error_description"] };
}

export function describeFailure(provider: OidcProvider, failure: unknown): FailureDetails {
  const advice = adviseOn(provider, failure, OF_USERINFO.has(Object(failure) as object));
  const problem = failure as LibraryError;
  const { message, code, cause } = problem;
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return { provider: provider.id, message: reason, code, ...answeredError(problem), advice };
}

/** The provider cannot be asked, or does not describe itself as it should. */
export function unavailable({ name }: OidcProvider): ApiError {
  return new ApiError(
    "provider_unavailable",
    `${name} can't be reached at the moment: try again, or sign in another way`,
  );
}

/** A way to a provider and back that did not end where it began. */
export function unknownStep({ name }: OidcProvider): ApiError {
  return new ApiError(
    "provider_refused",
    `This sign-in with ${name} was not begun in this browser, took too long, or is already done: begin again`,
  );
}

const BY_PERSON: ReadonlySet<string> = new Set([
  "access_denied",
  "login_required",
  "interaction_required",
  "consent_required",
]);
const BY_OUTAGE: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable"]);

function isOutage({ name, code, error, status = 0 }: LibraryError, isAnswer: boolean): boolean {
  if (BY_OUTAGE.has(error ?? "")) return true;
  const isNetwork = name === "TypeError" || code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT";
  return !isAnswer && (isNetwork || status >= 500);
}

/** The refusal for a failure of `authorizationCodeGrant` or of what follows it. */
export function refuseFailure(provider: OidcProvider, failure: unknown): ApiError {
  const problem = failure as LibraryError;
  const isAnswer = problem.name === "AuthorizationResponseError";
  if (isOutage(problem, isAnswer)) return unavailable(provider);
  const { name } = provider;
  if (isAnswer && BY_PERSON.has(problem.error ?? "")) {
    return new ApiError(
      "provider_refused",
      `${name} did not sign you in: you cancelled there, or it does not let you in here`,
    );
  }
  return new ApiError("provider_refused", `${name} could not sign you in. The log of this server says why`);
}
