// Delivers events to webhooks. Each webhook is had by one process at a time, so that its order, concurrency and rate are
// that process's own affair; a process has many, and none waits for another.
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import { ApiError } from "../kernel/errors.ts";
import type { CommandRunner } from "../kernel/internal-commands.ts";
import { UnreadableError } from "../kernel/keyring.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";
import type { Tracing } from "../kernel/telemetry/tracing.ts";
import type { Engine, Tx } from "../kernel/tx.ts";
import { findWaiting } from "./queue/delivery-store.ts";
import type { DueDelivery } from "./queue/delivery-store.ts";
import type { Disabling, disableWebhook } from "../resources/webhooks/disable.ts";
import { ANY_FAILURES, LEASE_MS, isAnyReady, packSettlement } from "./queue/queue.ts";
import type { Held, TakenQueue, Taking, queueCommands } from "./queue/queue.ts";
import { openTarget } from "../resources/webhooks/target.ts";
import type { Target, TargetCache } from "../resources/webhooks/target.ts";
import { makeAttempt } from "./attempt.ts";
import { createDeliveryMetrics } from "./delivery-metrics.ts";
import type { Egress } from "./egress/egress.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { startOutcomeWriter } from "./outcome-writer.ts";
import { createTaker } from "./leases.ts";
import { noteUnreachable } from "./unreachable.ts";
import type { Verdict } from "./response-class.ts";
import { EndpointWorker } from "./endpoint-worker.ts";

/** For retries, and for events that other processes recorded; of its own the process is told. */
const POLL_MS = 250;
const TAKEN_AT_ONCE = 64;
const MAX_HELD = 1_024;
/** Of these, those whose receivers fail: so many dead ones are tried side by side, and the others have the rest. */
const MAX_FAILING = 256;
const RENEW_MS = LEASE_MS / 3;
const STOP_GRACE_MS = 5_000;
/** A webhook that can't be worked on is left alone: shortly if that may pass by itself, longer if somebody has to act. */
const SHORT_REST_MS = 5 * SECOND_MS;
const LONG_REST_MS = 5 * MINUTE_MS;
/** A webhook of which every attempt failed for so long is switched off. */
const PATIENCE_MS = 5 * DAY_MS;

/** The store, as far as webhooks go. */
export interface WebhookStore {
  readonly engine: Engine;
  readonly reader: Tx;
  readonly keyring: Keyring;
  readonly commands: CommandRunner<typeof queueCommands & { readonly disableWebhook: typeof disableWebhook }>;
}

export interface DispatcherOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly userAgent: string;
  readonly hasMail: boolean;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  /** Webhooks that it has at a time; 1 024 by default. */
  readonly maxHeld?: number | undefined;
  /** How long `stop` waits for what is under way; 5 s by default. */
  readonly stopGraceMs?: number | undefined;
}

export interface Dispatcher {
  /** Looks for due deliveries at once. */
  nudge(): void;
  /** Begins nothing more, finishes what is under way, cuts off what takes too long, and gives all webhooks back. */
  stop(): Promise<void>;
}

export function startDispatcher(store: WebhookStore, options: DispatcherOptions): Dispatcher {
  const { egress, clock, logger, userAgent, hasMail, metrics, tracing } = options;
  const { maxHeld = MAX_HELD, stopGraceMs = STOP_GRACE_MS } = options;
  const { reader, keyring } = store;
  const runs = new Map<string, EndpointWorker>();
  const targets: TargetCache = new Map();
  const room = new ConcurrencyLimiter();
  const counts = createDeliveryMetrics(metrics);
  const taker = createTaker(store.commands, clock);
  let underWay = 0;
  metrics.gauge("webhooksLeased", () => runs.size);
  metrics.gauge("attemptsInFlight", () => underWay);
  const stop = new AbortController();
  let isNudged = false;
  let isTroubled = false;
  let taking: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;

  const settler = startOutcomeWriter({
    clock,
    logger,
    store: (settlement) => store.commands.settleDeliveries(packSettlement(settlement), clock()),
    isStopping: () => stop.signal.aborted,
    onGivenBack(over) {
      for (const run of over) if (runs.get(run.target.webhookId) === run) runs.delete(run.target.webhookId);
      if (over.length > 0) nudge();
    },
  });

  async function disable({ ownerId, webhookId, revision }: Target, reason: Disabling["reason"]): Promise<void> {
    try {
      const disabling: Disabling = { ownerId, webhookId, revision, reason, hasMail };
      if (await store.commands.disableWebhook(disabling, clock())) {
        logger.warn({ webhook: webhookId, owner: ownerId, reason }, "a webhook was switched off");
      }
    } catch (error) {
      logger.warn({ err: error, webhook: webhookId }, "a webhook could not be switched off yet");
    }
  }

  function isHopeless({ health }: Verdict, { failingSince }: EndpointWorker, now: number): boolean {
    return health === "bad" && failingSince !== null && now - failingSince >= PATIENCE_MS;
  }

  /** The delivery as it is now; undefined when it is not this process's any more. */
  async function reread({ target, held }: EndpointWorker, known: DueDelivery): Promise<DueDelivery | undefined> {
    const found = await findWaiting(reader, { ...held, ownerId: target.ownerId, sequence: known.sequence });
    return found && !stop.signal.aborted ? { ...known, payload: found.payload } : undefined;
  }

  async function deliver(run: EndpointWorker, known: DueDelivery, isFresh: boolean): Promise<void> {
    const { target } = run;
    const { sequence } = known;
    const delivery = isFresh ? known : await reread(run, known);
    const made = delivery && (await makeAttempt(target, delivery, { egress, clock, userAgent, tracing }));
    const now = clock();
    if (!made) {
      run.abandon(sequence, now);
      return;
    }
    counts.note(delivery, made, now);
    const { verdict, outcome } = made;
    const note = run.note(sequence, verdict, now);
    // Once for each time that it begins to fail.
    if (note && made.failure) noteUnreachable(logger, target, made.failure);
    const reason = verdict.isGone ? "gone" : isHopeless(verdict, run, now) ? "failing" : null;
    if (reason === null) {
      settler.add({ run, outcome, note });
    } else {
      run.rest(now + MINUTE_MS);
      settler.add({ run, outcome, note, onStored: () => void disable(target, reason) });
    }
  }

  const surroundings = {
    reader,
    clock,
    room,
    attempt(run: EndpointWorker, delivery: DueDelivery, isFresh: boolean) {
      underWay++;
      void deliver(run, delivery, isFresh)
        .catch((error: unknown) => {
          logger.error({ err: error, webhook: run.target.webhookId }, "a delivery could not be attempted");
          run.abandon(delivery.sequence, clock() + SHORT_REST_MS);
        })
        .finally(() => {
          underWay--;
          if (underWay === 0) onIdle?.();
          run.pump();
        });
    },
    finish: (run: EndpointWorker) => settler.giveBack(run),
    onTrouble(run: EndpointWorker, error: unknown) {
      logger.warn({ err: error, webhook: run.target.webhookId }, "what waits for a webhook could not be read");
    },
  };

  async function open(taken: TakenQueue, holder: string): Promise<Target | undefined> {
    const { webhookId, failures } = taken;
    try {
      return await openTarget(reader, keyring, targets, taken);
    } catch (error) {
      const facts = { err: error, webhook: webhookId };
      const isSealed = error instanceof UnreadableError || error instanceof ApiError;
      if (isSealed) logger.error(facts, "a webhook can't be sent to: its secrets do not open");
      else logger.warn(facts, "a webhook could not be read");
      const heldUntil = clock() + (isSealed ? LONG_REST_MS : SHORT_REST_MS);
      settler.release({ webhookId, holder, failures, heldUntil });
      return undefined;
    }
  }

  async function begin(taken: TakenQueue, holder: string): Promise<void> {
    const target = await open(taken, holder);
    if (!target) return;
    const run = new EndpointWorker(target, taken, holder, surroundings);
    // It was changed, or this process was too slow to keep it.
    const before = runs.get(taken.webhookId);
    runs.set(taken.webhookId, run);
    run.start(before);
  }

  /** Of which webhooks none is taken: those that fail, while enough of them are tried. */
  function mostFailures(): number {
    let failing = 0;
    for (const { isFailing } of runs.values()) if (isFailing) failing++;
    return failing < MAX_FAILING ? ANY_FAILURES : 0;
  }

  async function takeReady(): Promise<void> {
    await taker.undoFailed();
    while (!stop.signal.aborted && runs.size < maxHeld) {
      const most = mostFailures();
      if (!(await isAnyReady(reader, most, clock()))) return;
      const holder = randomUUID();
      const order: Taking = { holder, limit: Math.min(TAKEN_AT_ONCE, maxHeld - runs.size), mostFailures: most };
      const taken = await taker.take(order);
      // Others are about to commit theirs.
      if (taken.length === 0) return;
      await Promise.all(taken.map((one) => begin(one, holder)));
    }
  }

  async function lookAround(): Promise<void> {
    while (isNudged && !stop.signal.aborted) {
      isNudged = false;
      try {
        await takeReady();
        isTroubled = false;
      } catch (error) {
        // Once for each time that it begins: a store that is away for an hour is no news four times a second.
        if (!isTroubled) logger.warn({ err: error }, "webhooks could not be looked at and will be again");
        isTroubled = true;
      }
    }
    taking = undefined;
  }

  function nudge(): void {
    isNudged = true;
    if (!stop.signal.aborted) taking ??= lookAround();
  }

  /** When others wait and there is no room for them, those that were had for longest give way. */
  async function backOff(): Promise<void> {
    if (runs.size < maxHeld || !(await isAnyReady(reader, mostFailures(), clock()))) return;
    for (const run of Iterator.from(runs.values()).take(TAKEN_AT_ONCE)) run.backOff();
  }

  async function poll(): Promise<void> {
    for (const run of runs.values()) run.look();
    nudge();
    await backOff().catch(() => undefined);
  }

  async function keep(): Promise<void> {
    if (runs.size === 0) return;
    const keepAll = (held: readonly Held[]) => store.commands.keepWebhooks(held, clock());
    try {
      const left = await keepAll(Array.from(runs.values(), ({ held }) => held));
      for (const webhookId of left) {
        const run = runs.get(webhookId);
        if (run) await keepAll([run.held]);
      }
    } catch (error) {
      logger.warn({ err: error }, "webhooks could not be kept and may be delivered by another process too");
    }
  }

  async function idle(): Promise<void> {
    if (underWay === 0) return;
    await new Promise<void>((resolve) => {
      onIdle = resolve;
    });
  }

  const polling = setInterval(() => void poll(), POLL_MS).unref();
  const renewal = setInterval(() => void keep(), RENEW_MS).unref();
  nudge();
  return {
    nudge,
    async stop() {
      stop.abort();
      clearInterval(polling);
      clearInterval(renewal);
      await taking;
      for (const own of runs.values()) own.end();
      const cut = setTimeout(() => void egress.close(), stopGraceMs);
      await idle();
      clearTimeout(cut);
      // Whoever takes a webhook next must not find what is done as if it still waited.
      await settler.drained();
      for (const own of runs.values()) settler.giveBack(own);
      await settler.drained();
      await egress.close();
    },
  };
}
