// Metrics that are read at a scrape: of the store, the process and the instance as a whole. A read is bounded, however often
// somebody scrapes and however much is stored: counts are capped, and values are cached for some seconds.
import { statSync } from "node:fs";
import { createChainTotals } from "./chain-totals.ts";
import type { MonitoredStore } from "./monitored-store.ts";
import { POSTGRES_VALUES } from "./postgres-metrics.ts";
import type { Readiness } from "./readiness.ts";
import { MAX_CONNECTIONS } from "../../platform/store/postgres/driver.ts";
import { HEALTH_CHECKS } from "./health-checks.ts";
import { TIMED_OUT, withTimeout } from "./timeout.ts";
import type { Settings } from "../config/config.ts";
import { sqliteFile } from "../config/data-paths.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { GaugeId } from "../../platform/kernel/telemetry/metric-list.ts";
import type { Labels, Metrics, Sample } from "../../platform/kernel/telemetry/metrics.ts";
import { singleFlight } from "../../platform/kernel/scheduling/single-flight.ts";
import { countOverdue } from "../../events/checkpoints/store.ts";
import { measureWaiting as measureMails } from "../../events/mails/store.ts";
import { measureRemovals } from "../../platform/store/removals/store.ts";
import { countWaiting } from "../../events/queue/delivery-store.ts";
import { RECEIVER_STATES, listWaitingWebhooks, oldestDue } from "../../events/queue/due-webhooks.ts";
import { measureUnclaimed } from "../../events/queue/queue.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { freeBytes } from "../../platform/store/sqlite/file.ts";
import type { Engine } from "../../platform/kernel/tx.ts";
import { VERSION } from "../../platform/kernel/version.ts";

const CACHED_MS = 5 * SECOND_MS;
/** A hanging store delays a scrape by at most this; the scrape then lacks the store's values. */
const TIMEOUT_MS = SECOND_MS;
/** Counts stop here, because a larger number needs the same action. */
const MAX_COUNTED = 10_000;

const unlabelled = (value: number): readonly Sample[] => [{ labels: {}, value }];

/** Reads the values of several metrics from the store at once, at most every five seconds. */
function readFromStore<V>(
  metrics: Metrics,
  read: () => Promise<V | undefined>,
  values: Readonly<Partial<Record<GaugeId, (value: V) => number | readonly Sample[]>>>,
): void {
  let cached: { readonly at: number; readonly value: V | undefined } | undefined;
  const refresh = singleFlight(async () => {
    const value = await read();
    cached = { at: performance.now(), value };
    return value;
  });
  async function current(): Promise<V | undefined> {
    if (cached && performance.now() - cached.at < CACHED_MS) return cached.value;
    const value = await withTimeout(refresh(), TIMEOUT_MS).catch(() => TIMED_OUT);
    return value === TIMED_OUT ? undefined : (value as V);
  }
  for (const [id, valueOf] of Object.entries(values)) {
    metrics.read(id as GaugeId, async () => {
      const value = await current();
      // An unknown value is left out: an old one would look new.
      const shown = value === undefined ? [] : valueOf(value);
      return typeof shown === "number" ? unlabelled(shown) : shown;
    });
  }
}

interface Instance {
  readonly store: MonitoredStore;
  readonly settings: Settings;
  readonly clock: Clock;
}

function readQueues(metrics: Metrics, { store: { reader }, clock }: Instance): void {
  const ageOf = (since: number | null) => (since === null ? 0 : Math.max(0, clock() - since) / 1000);
  const limit = { limit: MAX_COUNTED };
  readFromStore(metrics, async () => (await countWaiting(reader, limit))?.waiting ?? 0, {
    deliveriesWaiting: (count) => count,
  });
  readFromStore(metrics, async () => await listWaitingWebhooks(reader, clock()), {
    deliveriesOldestDue: (webhooks) =>
      RECEIVER_STATES.map((receiver) => ({ labels: { receiver }, value: ageOf(oldestDue(webhooks, [receiver])) })),
  });
  readFromStore(metrics, async () => await measureUnclaimed(reader, clock()), { webhookUnclaimed: (ms) => ms / 1000 });
  const noMails = { waiting: 0, oldestAt: null, oldestDueAt: null };
  readFromStore(metrics, async () => (await measureMails(reader, limit)) ?? noMails, {
    mailsWaiting: ({ waiting }) => waiting,
    mailsOldest: ({ oldestAt }) => ageOf(oldestAt),
    mailsOldestDue: ({ oldestDueAt }) => ageOf(oldestDueAt),
  });
}

function readChains(metrics: Metrics, { store: { reader }, clock }: Instance): void {
  readFromStore(metrics, createChainTotals(reader), {
    chains: ({ chains }) => chains,
    chainEvents: ({ events }) => events,
    chainLongest: ({ longest }) => longest,
    chainLastEvent: ({ lastEventAt }) => lastEventAt / 1000,
  });
  const overdue = async () =>
    (await countOverdue(reader, { dueBefore: clock() - HOUR_MS, limit: MAX_COUNTED }))?.overdue ?? 0;
  readFromStore(metrics, overdue, { checkpointsOverdue: (count) => count });
}

function readRemovals(metrics: Metrics, { store: { reader }, clock }: Instance): void {
  readFromStore(metrics, async () => await measureRemovals(reader, { limit: MAX_COUNTED }), {
    removalsPending: ({ pending }) => pending,
    removalsRows: ({ removed }) => removed,
    removalsOldest: ({ oldestBegunAt }) => (oldestBegunAt === null ? 0 : Math.max(0, clock() - oldestBegunAt) / 1000),
  });
}

function fileSizes(file: string): readonly Sample[] {
  const sizeOf = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return [
    { labels: { file: "database" }, value: sizeOf(file) },
    { labels: { file: "wal" }, value: sizeOf(`${file}-wal`) },
  ];
}

function readStore(metrics: Metrics, { store, settings }: Instance): void {
  metrics.gauge("schemaVersion", () => SCHEMA_VERSION);
  if (store.engine === "sqlite") {
    metrics.gauge("storePendingWrites", () => store.pendingWrites());
    metrics.read("storeSize", () => fileSizes(sqliteFile(settings)));
    metrics.gauge("storeDiskFree", () => freeBytes(settings.dataDir));
    return;
  }
  const connections = () => store.connections() ?? { total: 0, idle: 0, waiting: 0 };
  metrics.gauge("storeConnectionsMost", () => MAX_CONNECTIONS);
  metrics.gauge("storeConnectionWaiters", () => connections().waiting);
  readFromStore(metrics, async () => (await store.readServerFacts()) ?? undefined, POSTGRES_VALUES);
  metrics.read("storeConnections", () => {
    const { total, idle } = connections();
    return [
      { labels: { state: "idle" }, value: idle },
      { labels: { state: "busy" }, value: total - idle },
    ];
  });
}

/** Also of a process whose store is not open yet. */
export function readHealthMetrics(
  metrics: Metrics,
  engine: Engine,
  readiness: Pick<Readiness, "check">,
  isStopping: () => boolean = () => false,
): void {
  const build: Labels = { version: VERSION, node: process.version, engine };
  metrics.read("buildInfo", () => [{ labels: build, value: 1 }]);
  metrics.read("ready", async () => {
    const isFailing = (await readiness.check()).some(({ isFatal }) => isFatal);
    return unlabelled(isFailing || isStopping() ? 0 : 1);
  });
  metrics.read("healthCheckFailed", async () => {
    const present = new Set((await readiness.check()).map(({ code }) => code));
    return Object.keys(HEALTH_CHECKS).map((code) => ({ labels: { code }, value: present.has(code) ? 1 : 0 }));
  });
}

/** All but those of health. */
export function readStoreMetrics(metrics: Metrics, instance: Instance): void {
  readStore(metrics, instance);
  readQueues(metrics, instance);
  readChains(metrics, instance);
  readRemovals(metrics, instance);
}

export function readInstanceMetrics(
  metrics: Metrics,
  instance: Instance & { readonly readiness: Pick<Readiness, "check">; isStopping(): boolean },
): void {
  readStoreMetrics(metrics, instance);
  readHealthMetrics(metrics, instance.store.engine, instance.readiness, () => instance.isStopping());
}
