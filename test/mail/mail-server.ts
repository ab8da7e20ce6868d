// A mail server on loopback, as a double: it records the messages that it accepts, and refuses as a test wants.
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { SMTPServer } from "smtp-server";
import { freePort } from "../harness/free-port.ts";

export interface ReceivedMail {
  /** The recipients of the envelope, as the client wrote them. */
  readonly recipients: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names as they arrived, in their order. */
  readonly headerNames: readonly string[];
  readonly text: string;
  readonly html: string;
}

export interface MailServer {
  readonly url: string;
  /** Accepted messages, in the order of their arrival. */
  readonly received: readonly ReceivedMail[];
  /** All messages that were begun, including held ones. */
  readonly begun: readonly ReceivedMail[];
  /** Refuses recipients for which this returns a status. */
  refuse: (recipient: string) => { readonly status: number; readonly text: string } | undefined;
  /** Delays the response to messages until the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
}

function decodeQuotedPrintable(body: string): string {
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

interface Part {
  /** Names as they arrived. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function parsePart(raw: string): Part {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const fields = lines.map(
    (line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const,
  );
  const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
  const body = raw.slice(end + 4);
  const isQuoted = headers["content-transfer-encoding"] === "quoted-printable";
  return { fields, headers, body: isQuoted ? decodeQuotedPrintable(body) : body };
}

function parseMail(raw: string, recipients: readonly string[]): ReceivedMail {
  const { fields, headers, body } = parsePart(raw);
  const boundary = /^multipart\/alternative;.*boundary="(.+?)"/.exec(headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) throw new Error(`expected text and HTML, got ${headers["content-type"]}`);
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => parsePart(part.replace(/^\r\n/, "").replace(/\r\n$/, "")));
  const bodyOf = (type: string) => {
    const found = parts.find((part) => part.headers["content-type"] === `${type}; charset=utf-8`);
    if (!found) throw new Error(`expected a part of ${type}`);
    return found.body.replaceAll("\r\n", "\n");
  };
  const headerNames = fields.map(([name]) => name);
  return { recipients, headers, headerNames, text: bodyOf("text/plain"), html: bodyOf("text/html") };
}

/** Starts on a free port, or on that of an earlier `url`, and stops after the file's tests. */
export async function startMailServer(url?: string): Promise<MailServer> {
  const port = url === undefined ? await freePort() : Number(new URL(url).port);
  const begun: ReceivedMail[] = [];
  const received: ReceivedMail[] = [];
  let gate = Promise.resolve();
  /** By session. The server itself decodes the domains of recipients, and tells its log alone what it was sent. */
  const written = new Map<string, string[]>();
  const ignore = () => undefined;
  const server = new SMTPServer({
    authOptional: true,
    logger: {
      trace: ignore,
      info: ignore,
      warn: ignore,
      error: ignore,
      fatal: ignore,
      level: ignore,
      debug({ cid, command }: { readonly cid: string; readonly command?: string }, _format: string, line: string) {
        if (command === "MAIL") written.set(cid, []);
        if (command === "RCPT") written.get(cid)?.push(/<(.*)>/.exec(line)?.[1] ?? line);
      },
    },
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo({ address }, _session, done) {
      const refusal = mailServer.refuse(address);
      done(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.status }) : null);
    },
    onData(stream, { id }, done) {
      const recipients = written.get(id) ?? [];
      async function receive(raw: string): Promise<void> {
        const mail = parseMail(raw, recipients);
        begun.push(mail);
        await gate;
        received.push(mail);
        done();
      }
      // A client that stops in the middle of a message has sent none.
      text(stream).then(receive, done);
    },
  });
  // Tests cut off clients on purpose.
  server.on("error", () => undefined);
  const listener = server.listen(port, "127.0.0.1");
  await once(listener, "listening");
  let stopped: Promise<void> | undefined;
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received,
    begun,
    refuse: () => undefined,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    stop: () => (stopped ??= new Promise((resolve) => server.close(resolve))),
  };
  after(() => mailServer.stop());
  return mailServer;
}
