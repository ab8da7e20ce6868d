// The counter store in Redis or Valkey. While it does not answer in time it is not asked, but by one probe after another, and the gate
// counts by itself.
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { CountQuery } from "../../firewall/evaluator/awaited-counters.ts";
import type { GateLog } from "../gate-log.ts";
import { countInRedis, holdInRedis } from "./count-script.ts";
import { STORE_DEADLINE_MS } from "./counter-store.ts";
import type { CounterStore } from "./counter-store.ts";
import { setDeadline } from "./deadline.ts";
import { followHolds } from "./hold-reader.ts";
import type { HoldFollower } from "./hold-reader.ts";
import type { RedisConnection } from "./redis-connection.ts";

/** A gate that starts waits this long for the store. */
const START_MS = 1_000;
const FIRST_PROBE_MS = 100;
const MAX_PROBE_MS = 2_000;
/** A store that fails again before it was up for so long is probed less often. */
const STEADY_MS = 10_000;

export type StoreFailure = "timeout" | "error";

export interface StoreObserver {
  answered(tookMs: number): void;
  failed(reason: StoreFailure): void;
}

export interface RedisStoreOptions extends HoldFollower {
  readonly url: string;
  readonly clock: () => number;
  readonly log: GateLog;
  readonly observer: StoreObserver;
}

export interface RedisStore extends CounterStore {
  /** Resolves when the store answers, or does not for a second. */
  start(): Promise<void>;
  stop(): void;
}

/** Counting it shows that the store answers, and may be written to. */
const PROBE: CountQuery = {
  limit: {
    rule: "probe",
    key: "probe",
    algo: "fixed_window",
    windowMs: 1_000,
    limit: 1,
    hold: null,
    continues: false,
  },
  client: "",
};

/** Probes are not among the figures. */
const NOBODY: StoreObserver = { answered() {}, failed() {} };

export function createRedisStore({ url, clock, log, observer, scopes, onHold }: RedisStoreOptions): RedisStore {
  let connection: RedisConnection | null = null;
  const stopped = new AbortController();
  let stopFollowing: (() => void) | undefined;
  let isUp = false;
  let problem: string | null = "it was not asked yet";
  let isSaid = false;
  let upSince = 0;
  let probeMs = FIRST_PROBE_MS;
  let probing: Promise<void> | null = null;
  let onUp: (() => void) | undefined;

  function say(): void {
    if (isSaid || stopped.signal.aborted) return;
    isSaid = true;
    log.warn(
      { reason: problem, setting: "REEVE_GATE_REDIS_URL" },
      "the counter store does not answer: this gate counts rate limits by itself",
    );
  }

  let isDeafSaid = false;

  /** A store that is away is said already. */
  function recordReading(reason: string | null): void {
    if (reason === null) isDeafSaid = false;
    if (reason === null || isDeafSaid || !isUp) return;
    isDeafSaid = true;
    log.warn(
      { reason, setting: "REEVE_GATE_REDIS_URL" },
      "holds cannot be read from the counter store: this gate does not learn whom others hold",
    );
  }

  function goUp(): void {
    isUp = true;
    problem = null;
    upSince = performance.now();
    if (isSaid) log.info({}, "the counter store answers again: gates share their counters");
    isSaid = false;
    onUp?.();
  }

  function goDown(reason: string): void {
    problem = reason;
    if (!isUp) return;
    isUp = false;
    probeMs = performance.now() - upSince < STEADY_MS ? Math.min(MAX_PROBE_MS, 2 * probeMs) : FIRST_PROBE_MS;
    say();
    probe();
  }

  /** What the store answers; null: it does not in time, or with an error. */
  async function ask<T>(
    deadline: number,
    send: (to: RedisConnection) => Promise<T>,
    told: StoreObserver = observer,
  ): Promise<T | null> {
    const to = connection;
    if (!to) return null;
    const startedAt = performance.now();
    const fail = (failure: StoreFailure, reason: string) => {
      told.failed(failure);
      goDown(reason);
      return null;
    };
    return await new Promise((resolve) => {
      const cancel = setDeadline(deadline, () => resolve(fail("timeout", `no answer within ${STORE_DEADLINE_MS} ms`)));
      send(to).then(
        (reply) => {
          cancel();
          told.answered(performance.now() - startedAt);
          resolve(reply);
        },
        (error: unknown) => {
          cancel();
          resolve(fail("error", (error as Error).message));
        },
      );
    });
  }

  async function probeUntilUp(): Promise<void> {
    while (!isUp && !stopped.signal.aborted) {
      const deadline = performance.now() + STORE_DEADLINE_MS;
      const reply = await ask(deadline, (to) => countInRedis(to.send, "reeve", [PROBE]), NOBODY);
      if (reply) goUp();
      else await sleep(probeMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    probing = null;
  }

  function probe(): void {
    probing ??= probeUntilUp();
  }

  return {
    get isUp() {
      return isUp;
    },
    get problem() {
      return problem;
    },
    async count(scope, queries, deadline) {
      return (await ask(deadline, (to) => countInRedis(to.send, scope, queries)))?.counts ?? null;
    },
    publish(scope, begun, action, forMs) {
      if (!isUp) return;
      void ask(performance.now() + STORE_DEADLINE_MS, (to) => holdInRedis(to.send, scope, begun, action, forMs));
    },
    async spend(id, forMs) {
      if (!isUp) return null;
      const command = ["SET", `reeve:spent:${id}`, "1", "NX", "PX", String(Math.max(1, Math.ceil(forMs)))];
      const reply = await ask(performance.now() + STORE_DEADLINE_MS, async (to) => ({ text: await to.send(command) }));
      return reply && reply.text === "OK";
    },
    async start() {
      const { connectRedis } = await import("./redis-connection.ts");
      if (stopped.signal.aborted) return;
      const own = connectRedis(url, {
        ready: probe,
        failed: (reason) => goDown(reason),
      });
      connection = own;
      const reader = connectRedis(url, { ready() {}, failed() {} });
      const stopReading = followHolds(reader.send, { scopes, onHold }, clock, recordReading);
      stopFollowing = () => {
        stopReading();
        reader.close();
        own.close();
      };
      await Promise.race([
        new Promise<void>((resolve) => (onUp = resolve)),
        sleep(START_MS, undefined, { signal: stopped.signal }).catch(() => undefined),
      ]);
      if (!isUp) say();
    },
    stop() {
      stopped.abort();
      isUp = false;
      stopFollowing?.();
    },
  };
}
