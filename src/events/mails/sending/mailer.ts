// Sends queued mail: claims due mails, a few at a time, and attempts each one once. It runs in every server and worker; the claims
// keep them from sending the same mail.
import { scrypt } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../../platform/kernel/scheduling/clock.ts";
import type { ChangeRunner } from "../../../platform/kernel/internal-changes.ts";
import type { Metrics } from "../../../platform/kernel/telemetry/metrics.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { composeMessage } from "../message.ts";
import { isMailDue } from "../outbox.ts";
import type { Claim, ClaimedMail, OutboxChanges } from "../outbox.ts";
import { nextAttemptAt } from "./mail-schedule.ts";
import { explainMailFailure } from "./mail-failure.ts";
import type { OutgoingMail, SmtpClient } from "./smtp.ts";

/** Mails that are claimed together and sent side by side. */
const BATCH = 5;
/** Finds retries, and mail that other processes queued or left behind; a commit of this process wakes the mailer. */
const POLL_MS = 5_000;
/** For one attempt. A claim expires much later. */
const ATTEMPT_TIMEOUT_MS = 2 * MINUTE_MS;
const STOP_GRACE_MS = 5_000;
const HASH_BYTES = 16;

/** The part of the store that sending mail uses. */
export interface MailStore {
  readonly reader: Tx;
  readonly changes: ChangeRunner<OutboxChanges>;
}

export interface MailerOptions {
  /** The mail server at this moment: it may change while Reeve runs. */
  readonly smtpUrl: () => string;
  readonly mailFrom: string;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
}

export interface Mailer {
  /** Looks for due mail at once. */
  wake(): void;
  /** Claims no more mails and finishes the messages in flight; releases those that take too long. */
  stop(): Promise<void>;
}

/**
 * The key of a message. Receivers drop a message whose id they have seen. An invitation that is sent again has a new code and
 * the old code no longer works, so its key includes the code.
 */
function messageKey({ id, attempts, code }: ClaimedMail): string {
  return code ? `${id}.${attempts}` : id;
}

/** The domain of a recipient; only this part may be logged. */
function domainOf(recipient: string): string {
  return recipient.slice(recipient.lastIndexOf("@"));
}

/** A hash of the settings. It is stored, so it is slow: nobody finds the password by it. */
async function hashSettings(url: string, mailFrom: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(url, mailFrom, HASH_BYTES, (error, hash) => (error ? reject(error) : resolve(hash)));
  return (await promise).toString("base64url");
}

interface SenderOptions extends MailerOptions {
  /** Cuts off the messages in flight. */
  readonly cutOff: AbortSignal;
}

/** Returns a function that attempts to send one claimed mail, and ends its claim. */
function createSender(store: MailStore, options: SenderOptions) {
  const { publicUrl, clock, logger, metrics, cutOff } = options;
  const attempts = {
    sent: metrics.counter("mailAttempts", { outcome: "sent" }),
    retried: metrics.counter("mailAttempts", { outcome: "retried" }),
    failed: metrics.counter("mailAttempts", { outcome: "failed" }),
  };

  async function handleFailure(mail: ClaimedMail, error: unknown, settings: string): Promise<void> {
    const { id, kind, recipient } = mail;
    const claim: Claim = { id, attempts: mail.attempts };
    const now = clock();
    if (cutOff.aborted) {
      await store.changes.postponeMail({ ...claim, dueAt: now, failedWith: null }, now);
      return;
    }
    const { isFinal, isOfServer, reason } = explainMailFailure(error);
    const dueAt = isFinal ? null : nextAttemptAt(mail, now, Math.random());
    const context = { mail: id, kind, recipient: domainOf(recipient), attempts: mail.attempts, ...reason };
    attempts[dueAt === null ? "failed" : "retried"].inc();
    if (dueAt === null) {
      logger.error(
        context,
        isFinal ? "a mail was refused and will not be retried" : "a mail failed for days and will not be retried",
      );
      await store.changes.deleteMail(claim, now);
    } else {
      logger.warn({ ...context, nextAttemptAt: new Date(dueAt).toISOString() }, "mail could not be sent yet");
      await store.changes.postponeMail({ ...claim, dueAt, failedWith: isOfServer ? settings : null }, now);
    }
  }

  return async (mail: ClaimedMail, smtp: SmtpClient, settings: string): Promise<void> => {
    const message: OutgoingMail = {
      ...composeMessage(mail, publicUrl),
      recipient: mail.recipient,
      messageKey: messageKey(mail),
    };
    try {
      await smtp.send(message, AbortSignal.any([cutOff, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]));
    } catch (error) {
      await handleFailure(mail, error, settings);
      return;
    }
    attempts.sent.inc();
    await store.changes.deleteMail({ id: mail.id, attempts: mail.attempts }, clock());
  };
}

export function startMailer(store: MailStore, options: MailerOptions): Mailer {
  const { smtpUrl, mailFrom, publicUrl, clock, logger } = options;
  if (publicUrl === "") {
    logger.warn("the links in mails do not work, the one to unsubscribe included: REEVE_PUBLIC_URL is not set");
  }
  const stop = new AbortController();
  const cutOff = new AbortController();
  const send = createSender(store, { ...options, cutOff: cutOff.signal });
  let isWoken = false;
  let running: Promise<void> | undefined;
  let settings: { readonly url: string; readonly hash: string } | undefined;

  /** The hash of the settings; when they are new, what failed with others is due. */
  async function readSettings(url: string): Promise<string> {
    if (settings?.url !== url) {
      const hash = await hashSettings(url, mailFrom);
      await store.changes.retryMails(hash, clock());
      settings = { url, hash };
    }
    return settings.hash;
  }

  async function sendDue(): Promise<void> {
    const url = smtpUrl();
    const hash = await readSettings(url);
    let smtp: SmtpClient | undefined;
    try {
      while (!stop.signal.aborted && (await isMailDue(store.reader, clock()))) {
        const mails = await store.changes.claimMails(BATCH, clock());
        smtp ??= (await import("./smtp.ts")).openSmtp({ url, from: mailFrom, maxConnections: BATCH });
        const client = smtp;
        const outcomes = await Promise.allSettled(mails.map((mail) => send(mail, client, hash)));
        const failed = outcomes.find((outcome) => outcome.status === "rejected");
        if (failed) throw failed.reason;
        // Other processes have locked these rows and are about to commit their claims.
        if (mails.length === 0) return;
      }
    } finally {
      smtp?.close();
    }
  }

  async function run(): Promise<void> {
    while (isWoken) {
      isWoken = false;
      try {
        await sendDue();
      } catch (error) {
        logger.warn({ err: error }, "the queue of mail could not be worked on and will be looked at again");
      }
    }
    running = undefined;
  }

  function wake(): void {
    if (stop.signal.aborted) return;
    isWoken = true;
    running ??= run();
  }

  const timer = setInterval(wake, POLL_MS).unref();
  wake();
  return {
    wake,
    async stop() {
      clearInterval(timer);
      stop.abort();
      const grace = setTimeout(() => cutOff.abort(), STOP_GRACE_MS);
      await running;
      clearTimeout(grace);
    },
  };
}
