// Decides what a failure to send a mail means: whether to retry, and what may be logged.

export interface MailFailure {
  /** Sending the same message again would fail again. */
  readonly isFinal: boolean;
  /** The mail server fails, or refuses every message: other settings may help. */
  readonly isOfServer: boolean;
  /** What may be logged: never the server's own text, which often quotes the address. */
  readonly reason: { readonly code?: string; readonly command?: string; readonly response?: string };
}

/** RFC 3463; the only part of a reply's text that is safe to repeat. */
const ENHANCED_STATUS = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;
const BAD_SEQUENCE = 503;

/**
 * Refusals of this recipient or message are final. A server that refuses our login or our sender refuses everything until an
 * operator corrects the settings, so the mail waits for that.
 */
export function explainMailFailure(error: unknown): MailFailure {
  const { code, command, responseCode, response } = error as {
    readonly code?: string;
    readonly command?: string;
    readonly responseCode?: number;
    readonly response?: string;
  };
  const isAboutMessage = command === "RCPT TO" || command === "DATA";
  const isRefused = responseCode !== undefined && responseCode >= 500 && responseCode !== BAD_SEQUENCE;
  // There is no reply: nodemailer refused the address itself.
  const isNoAddress = code === "EENVELOPE" && command === "API";
  const status = ENHANCED_STATUS.exec(response ?? "")?.[1];
  return {
    isFinal: (isAboutMessage && isRefused) || isNoAddress,
    isOfServer: !isAboutMessage && !isNoAddress,
    reason: {
      ...(code === undefined ? {} : { code }),
      ...(command === undefined ? {} : { command }),
      ...(responseCode === undefined ? {} : { response: status ? `${responseCode} ${status}` : String(responseCode) }),
    },
  };
}
