// Mail on the wire: SMTP through nodemailer.
import { createTransport } from "nodemailer";
import { canonicalEmail } from "../../../platform/kernel/text/email-address.ts";
import type { Message } from "../message.ts";

export interface SmtpSettings {
  readonly url: string;
  readonly from: string;
  readonly maxConnections: number;
}

export interface OutgoingMail extends Message {
  readonly recipient: string;
  /** Unique per message, without characters that need quoting. Receivers drop a second message with the same key. */
  readonly messageKey: string;
}

export interface SmtpClient {
  /** Resolves when the server has accepted the message. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Closes the idle connections. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;

/** The headers for which mail programs show an unsubscribe button. RFC 2369; RFC 8058 requires https for one click. */
function stopHeaders(url: string | null): Record<string, string> {
  if (url === null || !/^https?:/.test(url)) return {};
  const link = { "List-Unsubscribe": `<${url}>` };
  return url.startsWith("https:") ? { ...link, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } : link;
}

export function openSmtp({ url, from, maxConnections }: SmtpSettings): SmtpClient {
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
  // Beside a local part of another script nodemailer decodes the domain. The server gets the address that the store has.
  transport.use("stream", ({ data, message }, done) => {
    const envelope = { ...message.getEnvelope(), to: [(data.to as { readonly address: string }).address] };
    message.getEnvelope = () => envelope;
    done();
  });
  const domain = /@([\w.-]+)/.exec(from)?.[1] ?? "localhost";
  return {
    async send({ recipient, messageKey, subject, text, html, stopUrl }, signal) {
      // Queued by an older version: nodemailer would make something else of it.
      if (canonicalEmail(recipient) !== recipient) {
        throw Object.assign(new Error("no e-mail address"), { code: "EENVELOPE", command: "API" });
      }
      await transport.sendMail({
        from,
        // As an object it is one address, whatever characters it contains.
        to: { name: "", address: recipient },
        subject,
        text,
        html,
        messageId: `<${messageKey}@${domain}>`,
        headers: { "Auto-Submitted": "auto-generated", ...stopHeaders(stopUrl) },
        signal,
      });
    },
    close: () => transport.close(),
  };
}
