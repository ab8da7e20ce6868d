// Work that no request waits for, in servers and workers alike: clearing away, delivering to webhooks, and sending mail
// where there is a mail server.
import type { FastifyBaseLogger } from "fastify";
import type { StoreRunner } from "./store-side.ts";
import { outboxCommands } from "../internal-commands.ts";
import type { Commands } from "../internal-commands.ts";
import { queueCommands } from "../delivery/queue/queue.ts";
import type { Settings } from "../config/config.ts";
import { startDispatcher } from "../delivery/dispatcher.ts";
import { openEgress } from "../delivery/egress/egress.ts";
import type { EgressTimeouts } from "../delivery/egress/egress.ts";
import { startMailer } from "../delivery/mail/mailer.ts";
import { createTestSender } from "../delivery/test-send.ts";
import type { AskedTest, TestReport } from "../delivery/test-send.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { throttle } from "../kernel/telemetry/throttle.ts";
import type { Tracing } from "../kernel/telemetry/tracing.ts";
import { VERSION } from "../version.ts";

/** Commands that give nobody anything to do; those who run them know what they did. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "noteUses" satisfies keyof Commands,
  ...Object.keys(queueCommands),
  ...Object.keys(outboxCommands),
]);

export interface BackgroundWork {
  /** Sends a test to a webhook, and answers what came of it. */
  sendTest(test: AskedTest): Promise<TestReport>;
  /** Resolves when the steps that run are done. */
  stop(): Promise<void>;
}

/** What delivering to webhooks may take; what is left out is as the documentation says. */
export interface DeliveryBounds extends EgressTimeouts {
  /** Webhooks that this process has at a time. */
  readonly maxHeld?: number;
  /** How long what is under way may take when the process is to stop. */
  readonly stopGraceMs?: number;
}

export interface BackgroundOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  /** Nobody else works on this store. */
  readonly isAlone: boolean;
  readonly delivery?: DeliveryBounds | undefined;
}

export async function startBackgroundWork(
  runner: StoreRunner,
  settings: Settings,
  { clock, logger, metrics, tracing, isAlone, delivery }: BackgroundOptions,
): Promise<BackgroundWork> {
  const { smtpUrl, mailFrom, publicUrl, egressAllow, egressPorts, dnsServers } = settings;
  runner.onFull((error) => {
    if (error) logger.error({ err: error }, "the store has no space left: changes are refused until there is some");
    else logger.info("the store has space again");
  });
  runner.onTooFewConnections(
    throttle<Error>(MINUTE_MS, ({ message }, count) => {
      const { total: open } = runner.connections() ?? { total: 0 };
      logger.warn({ reason: message, count, open }, "too few connections: the database has room for no more of them");
    }),
  );
  // What the process before this one had when it was lost is nobody's.
  if (isAlone) await runner.commands.freeWebhooks(null, clock());
  const egress = openEgress({ rules: { allow: egressAllow, ports: egressPorts }, dnsServers, ...delivery });
  const tests = createTestSender(runner, { egress, logger });
  const userAgent = `Reeve/${VERSION}`;
  const hasMail = smtpUrl !== null;
  const housekeeping = startHousekeeping(runner, settings, { clock, logger });
  const dispatcher = startDispatcher(runner, {
    egress,
    clock,
    logger,
    userAgent,
    hasMail,
    metrics,
    tracing,
    maxHeld: delivery?.maxHeld,
    stopGraceMs: delivery?.stopGraceMs,
  });
  const mailer = hasMail
    ? startMailer(runner, { smtpUrl, mailFrom, publicUrl: publicUrl ?? "", clock, logger, metrics })
    : undefined;
  // There may be something to do at once.
  runner.onCommit((command) => {
    if (command !== null && BOOKKEEPING.has(command)) return;
    mailer?.nudge();
    dispatcher.nudge();
  });
  return {
    sendTest: (test) => tests.send(test, { now: clock(), userAgent }),
    async stop() {
      await Promise.all([housekeeping.stop(), mailer?.stop(), dispatcher.stop()]);
    },
  };
}
