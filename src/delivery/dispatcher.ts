// Delivers events to webhooks. Each webhook is had by one process at a time, so that its order, concurrency and rate are
// that process's own affair; a process has many, and none waits for another.
import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, MINUTE_MS } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { Engine, Tx } from "../kernel/tx.ts";
import type { DueDelivery } from "../resources/webhooks/delivery-store.ts";
import type { Disabling } from "../resources/webhooks/disable.ts";
import { LEASE_MS, isAnyReady } from "../resources/webhooks/queue.ts";
import type { Settlement, TakenQueue } from "../resources/webhooks/queue.ts";
import { openTarget } from "../resources/webhooks/target.ts";
import type { Target, TargetCache } from "../resources/webhooks/target.ts";
import type { Egress } from "./egress.ts";
import { attemptOf, expiredOf } from "./attempt.ts";
import { startSettler } from "./settler.ts";
import { judge } from "./verdict.ts";
import type { Verdict } from "./verdict.ts";
import { composeMessage } from "./webhook-message.ts";
import { WebhookRun } from "./webhook-run.ts";

/** For retries, and for events that other processes recorded; of its own the process is told. */
const POLL_MS = 250;
const TAKEN_AT_ONCE = 64;
const MAX_HELD = 512;
const MAX_UNDER_WAY = 512;
const RENEW_MS = LEASE_MS / 3;
const STOP_GRACE_MS = 5_000;
const TROUBLE_REST_MS = 5 * MINUTE_MS;
/** A webhook of which every attempt failed for so long is switched off. */
const PATIENCE_MS = 5 * DAY_MS;

/** The store, as far as webhooks go. */
export interface WebhookStore {
  readonly engine: Engine;
  readonly reader: Tx;
  readonly keyring: Keyring;
  runTask(task: string, input: unknown, now: number): Promise<unknown>;
}

export interface DispatcherOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly userAgent: string;
  readonly hasMail: boolean;
}

export interface Dispatcher {
  /** Looks for due deliveries at once. */
  nudge(): void;
  /** Begins nothing more, finishes what is under way, cuts off what takes too long, and gives all webhooks back. */
  stop(): Promise<void>;
}

export function startDispatcher(store: WebhookStore, options: DispatcherOptions): Dispatcher {
  const { egress, clock, logger, userAgent, hasMail } = options;
  const { reader, keyring } = store;
  const holder = randomUUID();
  const runs = new Map<string, WebhookRun>();
  const targets: TargetCache = new Map();
  let underWay = 0;
  let isCrowded = false;
  const stop = new AbortController();
  let isNudged = false;
  let taking: Promise<void> | undefined;
  let onIdle: (() => void) | undefined;

  const settler = startSettler({
    holder,
    logger,
    store: (settlement: Settlement) => store.runTask("settleDeliveries", settlement, clock()),
    isStopping: () => stop.signal.aborted,
    onGivenBack(over) {
      for (const { target } of over) runs.delete(target.webhookId);
      if (over.length > 0) nudge();
    },
  });

  async function disable({ ownerId, webhookId }: Target, reason: Disabling["reason"]): Promise<void> {
    try {
      const disabling: Disabling = { ownerId, webhookId, reason, hasMail };
      if (await store.runTask("disableWebhook", disabling, clock())) {
        logger.warn({ webhook: webhookId, owner: ownerId, reason }, "a webhook was switched off");
      }
    } catch (error) {
      logger.warn({ err: error, webhook: webhookId }, "a webhook could not be switched off yet");
    }
  }

  function isHopeless({ health }: Verdict, { failingSince }: WebhookRun, now: number): boolean {
    return health === "bad" && failingSince !== null && now - failingSince >= PATIENCE_MS;
  }

  async function deliver(run: WebhookRun, delivery: DueDelivery): Promise<void> {
    const { target } = run;
    const { sequence, type, payload, user_id: userId, created_at: createdAt, tries } = delivery;
    const startedAt = clock();
    if (payload === null) {
      const expired = expiredOf(target.webhookId, delivery, startedAt);
      settler.add({
        run,
        outcome: expired,
        note: run.note({ ...expired, health: "unsaid", isGone: false, pauseUntil: null }, startedAt),
      });
      return;
    }
    const happened = { sequence, type, createdAt, payload, userId };
    const message = composeMessage(target, happened, { now: startedAt, userAgent });
    const outcome = await egress.send({ url: target.url, headers: message.headers, body: message.body });
    const now = clock();
    if ("error" in outcome && outcome.error.stage === "stopped") {
      run.note(null, now);
      return;
    }
    const verdict = judge(outcome, tries + 1, now, Math.random());
    const note = run.note(verdict, now);
    settler.add({ run, outcome: attemptOf({ target, delivery, message, outcome, verdict, startedAt }), note });
    const reason = verdict.isGone ? "gone" : isHopeless(verdict, run, now) ? "failing" : null;
    if (reason === null) return;
    run.rest(now + MINUTE_MS);
    void settler.drained().then(() => disable(target, reason));
  }

  /** One more may begin. */
  function makeRoom(run: WebhookRun): void {
    underWay--;
    if (underWay === 0) onIdle?.();
    run.pump();
    if (!isCrowded) return;
    isCrowded = false;
    for (const other of runs.values()) other.pump();
  }

  const surroundings = {
    reader,
    clock,
    holder,
    hasRoom() {
      if (underWay < MAX_UNDER_WAY) return true;
      isCrowded = true;
      return false;
    },
    attempt(run: WebhookRun, delivery: DueDelivery) {
      underWay++;
      void deliver(run, delivery)
        .catch((error: unknown) => {
          logger.error({ err: error, webhook: run.target.webhookId }, "a delivery could not be attempted");
          run.note(null, clock());
        })
        .finally(() => makeRoom(run));
    },
    finish: (run: WebhookRun) => settler.giveBack(run),
    onTrouble(run: WebhookRun, error: unknown) {
      logger.warn({ err: error, webhook: run.target.webhookId }, "what waits for a webhook could not be read");
    },
  };

  async function begin(taken: TakenQueue): Promise<void> {
    const { ownerId, webhookId, failures } = taken;
    // Taken anew when this process was too slow to keep it: what it does goes on.
    if (runs.has(webhookId)) return;
    try {
      const target = await openTarget(reader, keyring, targets, { ownerId, webhookId });
      if (!target) return;
      const run = new WebhookRun(target, taken, surroundings);
      runs.set(webhookId, run);
      run.pump();
    } catch (error) {
      logger.error({ err: error, webhook: webhookId }, "a webhook can't be sent to: its secrets do not open");
      const releases = [{ webhookId, failures, heldUntil: clock() + TROUBLE_REST_MS }];
      await store.runTask("settleDeliveries", { holder, outcomes: [], failing: [], releases }, clock());
    }
  }

  async function takeReady(): Promise<void> {
    while (!stop.signal.aborted && runs.size < MAX_HELD && (await isAnyReady(reader, clock()))) {
      const limit = Math.min(TAKEN_AT_ONCE, MAX_HELD - runs.size);
      const taken = (await store.runTask("takeWebhooks", { holder, limit }, clock())) as readonly TakenQueue[];
      // Others are about to commit theirs.
      if (taken.length === 0) return;
      await Promise.all(taken.map(begin));
    }
  }

  async function lookAround(): Promise<void> {
    while (isNudged && !stop.signal.aborted) {
      isNudged = false;
      try {
        await takeReady();
      } catch (error) {
        logger.warn({ err: error }, "webhooks could not be looked at and will be again");
      }
    }
    taking = undefined;
  }

  function nudge(): void {
    isNudged = true;
    if (!stop.signal.aborted) taking ??= lookAround();
  }

  async function keep(): Promise<void> {
    if (runs.size === 0) return;
    try {
      await store.runTask("keepWebhooks", { holder, webhookIds: [...runs.keys()] }, clock());
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

  const poll = setInterval(nudge, POLL_MS).unref();
  const renewal = setInterval(() => void keep(), RENEW_MS).unref();
  nudge();
  return {
    nudge,
    async stop() {
      stop.abort();
      clearInterval(poll);
      clearInterval(renewal);
      await taking;
      for (const own of runs.values()) own.end();
      const cut = setTimeout(() => void egress.close(), STOP_GRACE_MS);
      await idle();
      clearTimeout(cut);
      for (const own of runs.values()) settler.giveBack(own);
      await settler.drained();
      await egress.close();
    },
  };
}
