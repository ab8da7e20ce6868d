// Why no host of PostgreSQL can be used, and what to do.
import { StoreError } from "../database.ts";
import type { StoreFailureReason } from "../database.ts";
import { adviceOn, storeFailureReason } from "../failure.ts";
import { isTimeout, messageOf } from "./connection.ts";

/** What a pooler says of itself, by the beginning of the message. */
const POOLER_ADVICE: readonly (readonly [beginning: string, advice: string])[] = [
  [
    "unsupported startup parameter",
    "let the pooler pass or ignore it (ignore_startup_parameters; see /docs/postgresql)",
  ],
  [
    "server login has been failing",
    "the pooler responds, and cannot open a session behind it: see that PostgreSQL runs, and the pooler's log",
  ],
];

/** Errors of a login which mean that it asks for something impossible; those of a statement would be bugs. */
const LOGIN_REFUSED = /^(?:0A|22|42|55)/;

/** By code: those of OpenSSL and of Node.js. https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS_REFUSED =
  /^(?:ERR_(?:OSSL|SSL|TLS)_|CERT_|CRL_|DEPTH_ZERO_|ERROR_IN_C|HOSTNAME_|INVALID_|PATH_LENGTH_|SELF_SIGNED_|UNABLE_TO_)/;
/** The driver's error without a code. */
const NO_TLS = "The server does not support SSL connections";

interface ConnectError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  /** Of OpenSSL, whose messages have several lines. */
  readonly library?: string;
  readonly reason?: string;
}

function isTlsRefused({ code = "", syscall = "", message }: ConnectError): boolean {
  // The driver reads the files of certificates when it connects, and no others.
  const isFile = syscall === "open" || code === "EISDIR";
  return TLS_REFUSED.test(code) || message === NO_TLS || isFile;
}

function reasonOf(error: unknown): StoreFailureReason {
  if (isTimeout(error)) return "silent";
  const reason = storeFailureReason(error);
  if (reason !== null) return reason;
  if (isTlsRefused(error as ConnectError)) return "tls_refused";
  return LOGIN_REFUSED.test((error as ConnectError).code ?? "") ? "login_refused" : "unreachable";
}

/** Whether the server has no room for one more connection. */
export const isShortage = (error: unknown) => storeFailureReason(error) === "too_few_connections";

/** Whether another URL may help: a server responds, and refuses the login or is refused itself. */
const isOfLogin = (reason: StoreFailureReason) => reason === "login_refused" || reason === "tls_refused";

/** Whether the settings may have another URL by now: the login is refused, or nothing responds where it leads. */
export const mayHaveMoved = (reason: StoreFailureReason) => isOfLogin(reason) || reason === "unreachable";

/** No further session can be opened, and those that are open serve. */
class OpeningError extends StoreError {}

/** Whether no further session can be opened, which tells nothing of those that are open. */
export function isOpeningRefused(error: unknown): boolean {
  if (error instanceof OpeningError) return true;
  const reason = storeFailureReason(error);
  return reason !== null && (reason === "too_few_connections" || mayHaveMoved(reason));
}

export interface HostFailure {
  readonly host: string;
  readonly error: unknown;
}

/** `db1:5432: password authentication failed for user "reeve" (28P01)` */
function describeFailure({ host, error }: HostFailure): string {
  const { code, library, reason } = error as ConnectError;
  const message = library === undefined ? messageOf(error) : `${library}: ${reason}`;
  // The driver's own codes stand in its messages.
  const isState = code !== undefined && /^[\dA-Z]{5}$/.test(code) && !message.includes(code);
  return `${host}: ${message}${isState ? ` (${code})` : ""}`;
}

/**
 * The error when no host can be used. Of several failures, a host without room, without a response or with another login may be the
 * one that accepts writes, and the others its standbys. `isServing`: open sessions have responded meanwhile.
 */
export function refuseHosts(failures: readonly HostFailure[], isServing = false): StoreError {
  const errors = failures.map(({ error }) => error);
  const cause =
    errors.find(isShortage) ??
    errors.find(isTimeout) ??
    errors.find((error) => isOfLogin(reasonOf(error))) ??
    errors.at(-1);
  const reason = reasonOf(cause);
  const said = messageOf(cause);
  const isAway = reason === "unreachable" || reason === "silent";
  const usual = isAway ? "see that it runs and can be reached from here" : adviceOn(reason);
  const advice = POOLER_ADVICE.find(([beginning]) => said.startsWith(beginning))?.[1] ?? usual;
  const message = `cannot use PostgreSQL at ${failures.map(describeFailure).join("; ")}`;
  const isAdvised = advice === undefined || message.includes(advice);
  const Kind = isServing ? OpeningError : StoreError;
  return new Kind(isAdvised ? message : `${message}: ${advice}`, { cause, reason });
}
