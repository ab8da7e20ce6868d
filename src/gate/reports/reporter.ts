// Sends what the gate gathers to the control plane, every ten seconds. While it is away, reports wait: bounded in number, oldest dropped.
import { RefusedError } from "../bundle/control-plane.ts";
import type { GateLog } from "../gate-log.ts";

const FLUSH_MS = 10_000;

export interface Report {
  /** What is lost without it: requests, or decisions. */
  readonly size: number;
  /** May be called again when it fails: the control plane takes a report once. */
  send(): Promise<void>;
}

/** What gathers something to be reported. */
export interface ReportSource {
  /** For people: `counts of requests`. */
  readonly name: string;
  readonly maxWaiting: number;
  /** What has gathered since it was last called. */
  take(): readonly Report[];
  /** Told how much was given up. */
  lost(size: number): void;
}

export interface Reporter {
  flush(): Promise<void>;
  /** The last flush. */
  stop(): Promise<void>;
}

const isFinal = (error: unknown): boolean =>
  error instanceof RefusedError && error.status >= 400 && error.status < 500 && error.status !== 429;

/** The first sources are sent first. */
export function createReporter(sources: readonly ReportSource[], log: GateLog): Reporter {
  const queues = sources.map((source) => ({ source, waiting: [] as Report[] }));
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;
  /** Why each source has lost reports since its last success, which is logged once. */
  const told = new Map<ReportSource, string>();

  function giveUp(source: ReportSource, reports: readonly Report[], reason: string): void {
    const size = reports.reduce((sum, report) => sum + report.size, 0);
    if (size === 0) return;
    source.lost(size);
    if (told.get(source) !== reason)
      log.warn({ lost: size, reason }, `${source.name} could not be reported and are lost`);
    told.set(source, reason);
  }

  function gather(): void {
    for (const { source, waiting } of queues) {
      waiting.push(...source.take());
      const dropped = waiting.splice(0, Math.max(0, waiting.length - source.maxWaiting));
      giveUp(source, dropped, "the control plane was away for too long");
    }
  }

  /** Sends one report. Returns whether the others are worth a try. */
  async function send({ source, waiting }: (typeof queues)[number], report: Report): Promise<boolean> {
    try {
      await report.send();
      told.delete(source);
    } catch (error) {
      if (!isFinal(error)) {
        if (!isFailing) log.warn({ reason: (error as Error).message }, "reports wait until the control plane is back");
        isFailing = true;
        return false;
      }
      giveUp(source, [report], (error as Error).message);
    }
    isFailing = false;
    const at = waiting.indexOf(report);
    if (at >= 0) waiting.splice(at, 1);
    return true;
  }

  async function sendAll(): Promise<void> {
    gather();
    for (const queue of queues) {
      for (const report of queue.waiting.slice()) if (!(await send(queue, report))) return;
    }
  }

  function flush(): Promise<void> {
    flushing = flushing.then(sendAll);
    return flushing;
  }

  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      for (const { source, waiting } of queues) {
        giveUp(source, waiting, "the gate stops and the control plane is away");
      }
    },
  };
}
