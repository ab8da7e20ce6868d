// Sends queued mail: claims what is due, a few at a time, and tries each once. Runs in every serving process and in
// workers; the claims keep them from sending the same mail.
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import type { Clock } from "../../kernel/scheduling/clock.ts";
import type { CommandRunner } from "../../kernel/internal-commands.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Tx } from "../../kernel/tx.ts";
import { composeMessage } from "../../resources/mails/message.ts";
import { isMailDue } from "../../resources/mails/outbox.ts";
import type { Claim, ClaimedMail, OutboxCommands } from "../../resources/mails/outbox.ts";
import { nextAttemptAt } from "./mail-schedule.ts";
import { explainMailFailure } from "./mail-failure.ts";
import type { OutgoingMail, SmtpClient } from "./smtp.ts";

/** Mails that are claimed together and sent side by side. */
const BATCH = 5;
/** For retries, and for what other processes queued or left behind; what this one queues it is told of. */
const POLL_MS = 5_000;
/** Of one attempt; well below the time after which a claim lapses. */
const ATTEMPT_TIMEOUT_MS = 2 * MINUTE_MS;
const STOP_GRACE_MS = 5_000;

/** The store, as far as mail goes. */
export interface MailStore {
  readonly reader: Tx;
  readonly commands: CommandRunner<OutboxCommands>;
}

export interface MailerOptions {
  readonly smtpUrl: string;
  readonly mailFrom: string;
  /** Base of absolute URLs, without a slash at the end; empty for relative ones. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
}

export interface Mailer {
  /** Looks for due mail at once. */
  nudge(): void;
  /** Claims no more and finishes the messages in flight; those that take too long are given back. */
  stop(): Promise<void>;
}

/**
 * Receivers drop a message whose id they have seen. That is right for a repeated one, and wrong for one that carries
 * another code: the code of the message before it no longer works.
 */
function messageKey({ id, attempts, code }: ClaimedMail): string {
  return code ? `${id}.${attempts}` : id;
}

/** What a log may say of a recipient. */
function domainOf(recipient: string): string {
  return recipient.slice(recipient.lastIndexOf("@"));
}

export function startMailer(store: MailStore, options: MailerOptions): Mailer {
  const { smtpUrl, mailFrom, publicUrl, clock, logger, metrics } = options;
  const attempts = {
    sent: metrics.counter("mailAttempts", { outcome: "sent" }),
    retried: metrics.counter("mailAttempts", { outcome: "retried" }),
    failed: metrics.counter("mailAttempts", { outcome: "failed" }),
  };
  if (publicUrl === "") {
    logger.warn("mail has links that lead nowhere, also those that stop it: REEVE_PUBLIC_URL is not set");
  }
  const stop = new AbortController();
  const cutOff = new AbortController();
  let isNudged = false;
  let running: Promise<void> | undefined;

  async function settleFailure(mail: ClaimedMail, error: unknown): Promise<void> {
    const { id, kind, recipient } = mail;
    const claim: Claim = { id, attempts: mail.attempts };
    const now = clock();
    if (cutOff.signal.aborted) {
      await store.commands.postponeMail({ ...claim, dueAt: now }, now);
      return;
    }
    const { isFinal, reason } = explainMailFailure(error);
    const dueAt = isFinal ? null : nextAttemptAt(mail, now, Math.random());
    const facts = { mail: id, kind, recipient: domainOf(recipient), attempts: mail.attempts, ...reason };
    attempts[dueAt === null ? "failed" : "retried"].inc();
    if (dueAt === null) {
      logger.error(facts, isFinal ? "mail was refused and is given up" : "mail was tried for days and is given up");
      await store.commands.deleteMail(claim, now);
    } else {
      logger.warn({ ...facts, nextAttemptAt: new Date(dueAt).toISOString() }, "mail could not be sent yet");
      await store.commands.postponeMail({ ...claim, dueAt }, now);
    }
  }

  async function deliver(mail: ClaimedMail, smtp: SmtpClient): Promise<void> {
    const message: OutgoingMail = {
      ...composeMessage(mail, publicUrl),
      recipient: mail.recipient,
      messageKey: messageKey(mail),
    };
    try {
      await smtp.send(message, AbortSignal.any([cutOff.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]));
    } catch (error) {
      await settleFailure(mail, error);
      return;
    }
    attempts.sent.inc();
    await store.commands.deleteMail({ id: mail.id, attempts: mail.attempts }, clock());
  }

  async function sendDue(): Promise<void> {
    let smtp: SmtpClient | undefined;
    try {
      while (!stop.signal.aborted && (await isMailDue(store.reader, clock()))) {
        const mails = await store.commands.claimMails(BATCH, clock());
        smtp ??= (await import("./smtp.ts")).openSmtp({ url: smtpUrl, from: mailFrom, maxConnections: BATCH });
        const client = smtp;
        const outcomes = await Promise.allSettled(mails.map((mail) => deliver(mail, client)));
        const failed = outcomes.find((outcome) => outcome.status === "rejected");
        if (failed) throw failed.reason;
        // Others are about to commit their claims.
        if (mails.length === 0) return;
      }
    } finally {
      smtp?.close();
    }
  }

  async function run(): Promise<void> {
    while (isNudged) {
      isNudged = false;
      try {
        await sendDue();
      } catch (error) {
        logger.warn({ err: error }, "the queue of mail could not be worked on and will be looked at again");
      }
    }
    running = undefined;
  }

  function nudge(): void {
    if (stop.signal.aborted) return;
    isNudged = true;
    running ??= run();
  }

  const timer = setInterval(nudge, POLL_MS).unref();
  nudge();
  return {
    nudge,
    async stop() {
      clearInterval(timer);
      stop.abort();
      const grace = setTimeout(() => cutOff.abort(), STOP_GRACE_MS);
      await running;
      clearTimeout(grace);
    },
  };
}
