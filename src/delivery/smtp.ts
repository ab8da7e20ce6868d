// Mail on the wire: SMTP through nodemailer, which is loaded with the first message.
import type { Message } from "../resources/mails/message.ts";

export interface SmtpSettings {
  readonly url: string;
  readonly from: string;
  readonly maxConnections: number;
}

export interface OutgoingMail extends Message {
  readonly recipient: string;
  /** Unique per message and without characters that need quoting; receivers drop a second one with the same. */
  readonly messageKey: string;
}

export interface SmtpClient {
  /** Resolves when the server has taken the message over. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Closes the connections that nothing is being sent on. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

export async function openSmtp({ url, from, maxConnections }: SmtpSettings): Promise<SmtpClient> {
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url,
    pool: true,
    maxConnections,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ recipient, messageKey, subject, text }, signal) {
      await transport.sendMail({
        from,
        // As an object it is one address, whatever characters it has.
        to: { name: "", address: recipient },
        subject,
        text,
        messageId: `<${messageKey}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated" },
        signal,
      });
    },
    close: () => transport.close(),
  };
}

export interface MailFailure {
  /** Sending the same message again would fail again. */
  readonly isFinal: boolean;
  /** What may be logged: never the server's own text, which often quotes the address. */
  readonly reason: { readonly code?: string; readonly command?: string; readonly response?: string };
}

/** RFC 3463; the only part of a reply's text that is safe to repeat. */
const ENHANCED_STATUS = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;
const BAD_SEQUENCE = 503;

/**
 * Tells what failed. Final are refusals of this recipient or message. A server that refuses our login or our sender
 * refuses everything until somebody corrects the settings, and mail waits for that.
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
  // Without a reply: nodemailer found the address to be none.
  const isNoAddress = code === "EENVELOPE" && command === "API";
  const status = ENHANCED_STATUS.exec(response ?? "")?.[1];
  return {
    isFinal: (isAboutMessage && isRefused) || isNoAddress,
    reason: {
      ...(code === undefined ? {} : { code }),
      ...(command === undefined ? {} : { command }),
      ...(responseCode === undefined ? {} : { response: status ? `${responseCode} ${status}` : String(responseCode) }),
    },
  };
}
