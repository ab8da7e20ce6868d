// Work outside requests, in servers and workers alike: housekeeping, delivery to webhooks, and mail where a mail server is set.
import type { FastifyBaseLogger } from "fastify";
import type { StoreRunner } from "./store-runner.ts";
import { outboxChanges } from "./composition/internal-changes.ts";
import type { Changes } from "./composition/internal-changes.ts";
import { queueChanges } from "../events/queue/queue.ts";
import { rereadUrl } from "./config/config.ts";
import type { Settings } from "./config/config.ts";
import { startBotRefresher } from "../firewall/bots/bot-refresher.ts";
import { listReadBots } from "../firewall/bots/bots.ts";
import { Dispatcher } from "../events/delivery/dispatcher.ts";
import { openEgress } from "../platform/egress/egress.ts";
import type { Egress, EgressTimeouts } from "../platform/egress/egress.ts";
import { startMailer } from "../events/mails/sending/mailer.ts";
import { createTestSender } from "../events/delivery/test-sender.ts";
import type { TestRequest, TestReport } from "../events/delivery/test-sender.ts";
import { startHousekeeping } from "./housekeeping.ts";
import type { RenewedFile } from "./shutdown.ts";
import { MINUTE_MS } from "../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../platform/kernel/scheduling/clock.ts";
import type { Metrics } from "../platform/kernel/telemetry/metrics.ts";
import { throttleByCause } from "../platform/kernel/telemetry/throttle.ts";
import type { Tracing } from "../platform/kernel/telemetry/tracing.ts";
import { VERSION } from "../platform/kernel/version.ts";
import { storeFailureReason } from "../platform/store/failure.ts";

/** Changes whose commits wake no background work: they create none, or their callers already know of it. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  "recordUses" satisfies keyof Changes,
  ...Object.keys(queueChanges),
  ...Object.keys(outboxChanges),
]);

export interface BackgroundWork {
  /** For documents of issuers; closed by `stop`. */
  readonly egress: Egress;
  /** Reads the file of the mail server's URL again; returns whether it has changed. Throws a ConfigError, and changes nothing. */
  renewSmtp(): boolean;
  /** Sends a test to a webhook and reports the outcome. */
  sendTest(test: TestRequest): Promise<TestReport>;
  /** Resolves when the steps in flight are done. */
  stop(): Promise<void>;
}

/** Limits of delivery to webhooks; an absent one has its documented default. */
export interface DeliveryBounds extends EgressTimeouts {
  /** Webhooks that this process leases at a time. */
  readonly maxLeased?: number;
  /** How long `stop` waits for attempts in flight. */
  readonly stopGraceMs?: number;
}

export interface BackgroundOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  /** This is the only process that delivers from the store. */
  readonly isAlone: boolean;
  readonly delivery?: DeliveryBounds | undefined;
}

export async function startBackgroundWork(
  runner: StoreRunner,
  settings: Settings,
  { clock, logger, metrics, tracing, isAlone, delivery }: BackgroundOptions,
): Promise<BackgroundWork> {
  const { mailFrom, publicUrl, egressAllow, egressPorts, dnsServers } = settings;
  let { smtpUrl } = settings;
  runner.onFull((error) => {
    if (error) logger.error({ err: error }, "the store has no space left: changes are refused until there is some");
    else logger.info("the store has space again");
  });
  const sayRefused = throttleByCause<Error>(MINUTE_MS, (error, count, lastAt) => {
    const { total: open } = runner.connections() ?? { total: 0 };
    const isShort = storeFailureReason(error) === "too_few_connections";
    const what = isShort
      ? "too few connections: the database has room for no more of them"
      : "no further connection can be opened";
    logger.warn({ reason: error.message, count, lastAt, open }, what);
  });
  runner.onTooFewConnections((error) => sayRefused(error.message, error));
  runner.onLocked((holders) =>
    logger.warn({ holders }, "changes fail because other programs hold locks on the tables"),
  );
  // Leases that a lost process left behind have no owner.
  if (isAlone) await runner.changes.releaseAllWebhooks(null, clock());
  const egress = openEgress({ rules: { allow: egressAllow, ports: egressPorts }, dnsServers, ...delivery });
  const userAgent = `Reeve/${VERSION}`;
  const sendTest = createTestSender(runner, { egress, logger, clock, userAgent, tracing });
  const hasMail = smtpUrl !== null;
  const bots = startBotRefresher({
    sources: settings.botSources,
    store: {
      list: async () => await listReadBots(runner.reader),
      save: (source, facts, now) => runner.changes.storeBot({ source, facts }, now),
      keep: (urls, now) => runner.changes.keepBots({ urls }, now),
    },
    egress,
    clock,
    userAgent,
    logger,
  });
  const housekeeping = startHousekeeping(runner, settings, { clock, logger, metrics });
  const dispatcher = new Dispatcher(runner, {
    egress,
    clock,
    logger,
    userAgent,
    hasMail,
    metrics,
    tracing,
    maxLeased: delivery?.maxLeased,
    stopGraceMs: delivery?.stopGraceMs,
  });
  const mailer = hasMail
    ? startMailer(runner, {
        smtpUrl: () => smtpUrl as string,
        mailFrom,
        publicUrl: publicUrl ?? "",
        clock,
        logger,
        metrics,
      })
    : undefined;
  // A commit may have created work that is due at once.
  runner.onCommit((change) => {
    if (change !== null && BOOKKEEPING.has(change)) return;
    mailer?.wake();
    dispatcher.wake();
  });
  return {
    egress,
    renewSmtp() {
      const read = rereadUrl(settings, "smtpUrl");
      if (read === null || read === smtpUrl) return false;
      smtpUrl = read;
      mailer?.wake();
      return true;
    },
    sendTest,
    async stop() {
      await Promise.all([bots.stop(), housekeeping.stop(), mailer?.stop(), dispatcher.stop()]);
    },
  };
}

/** The files of servers and workers that SIGHUP reads again. */
export function filesOfBackground(
  runner: StoreRunner,
  background: BackgroundWork,
  { sources }: Settings,
): readonly RenewedFile[] {
  const database = { what: "the database's URL", renew: () => runner.renew() };
  const mail = { what: "the mail server's URL", renew: () => background.renewSmtp() };
  return sources.smtpUrl.from === "file" ? [database, mail] : [database];
}
