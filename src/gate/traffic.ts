// Counts decisions by minute and reports them to the control plane. While it is away, reports wait: bounded in number, oldest dropped.
import { randomUUID } from "node:crypto";
import { hostOf } from "../evaluator/request/url.ts";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import { RefusedError } from "./bundle/control-plane.ts";
import type { ControlPlane, ResponseCount, TrafficCount } from "./bundle/control-plane.ts";
import type { GateDecision } from "./decision.ts";
import type { GateLog } from "./gate-log.ts";
import type { GateRequest } from "./message.ts";
import type { ProtectedProject } from "./project.ts";

const FLUSH_MS = 10_000;
/** Of one project between two reports; further ones are counted without their address. */
const MAX_PENDING = 5_000;
/** The most that the control plane takes at once. */
const MAX_COUNTS = 1_000;
const MAX_WAITING_REPORTS = 200;
const HOST = /^[a-z0-9._:[\]*-]{1,255}$/;
/** Stands for hosts that cannot be named. */
const OTHER_HOST = "*";

interface Report {
  readonly project: ProtectedProject;
  readonly id: string;
  readonly counts: readonly TrafficCount[];
  readonly responses: readonly ResponseCount[];
}

export interface Traffic {
  count(project: ProtectedProject, request: GateRequest, decision: GateDecision): void;
  /** Sends what was counted. */
  flush(): Promise<void>;
  /** The last flush. */
  stop(): Promise<void>;
}

export interface TrafficOptions {
  readonly controlPlane: ControlPlane;
  readonly clock: () => number;
  readonly log: GateLog;
  /** What the applications answered since the last call. */
  takeResponses(): ReadonlyMap<ProtectedProject, readonly ResponseCount[]>;
  /** Told how many counted requests were given up. */
  onLost?(requests: number): void;
}

type Pending = Map<string, { readonly count: Omit<TrafficCount, "count">; requests: number }>;

function hostName(host: string): string {
  const name = hostOf(host) ?? OTHER_HOST;
  return HOST.test(name) ? name : OTHER_HOST;
}

function requestsIn({ counts }: Report): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

export function createTraffic({ controlPlane, clock, log, takeResponses, onLost }: TrafficOptions): Traffic {
  const pending = new Map<ProtectedProject, Pending>();
  let waiting: Report[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;

  function add(project: ProtectedProject, host: string, action: string, ip: string | undefined, ruleId: string | null) {
    const of = pending.get(project) ?? new Map();
    if (!pending.has(project)) pending.set(project, of);
    const at = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    const shownIp = of.size < MAX_PENDING ? ip : undefined;
    const key = `${at} ${host} ${action} ${shownIp ?? ""} ${ruleId ?? ""}`;
    const known = of.get(key);
    if (known) known.requests++;
    else {
      const count = { at, host, action, ...(shownIp && { ip: shownIp }), ...(ruleId !== null && { ruleId }) };
      of.set(key, { count, requests: 1 });
    }
  }

  function takePending(): void {
    const answered = takeResponses();
    for (const project of new Set([...pending.keys(), ...answered.keys()])) {
      const of = pending.get(project)?.values() ?? [];
      const counts = [...of].map(({ count, requests }): TrafficCount => ({ ...count, count: requests }));
      let responses = answered.get(project) ?? [];
      for (let from = 0; from < counts.length || responses.length > 0; from += MAX_COUNTS) {
        waiting.push({ project, id: randomUUID(), counts: counts.slice(from, from + MAX_COUNTS), responses });
        responses = [];
      }
    }
    pending.clear();
    const dropped = waiting.splice(0, Math.max(0, waiting.length - MAX_WAITING_REPORTS));
    giveUp(dropped, "the control plane was away for too long");
  }

  function giveUp(reports: readonly Report[], reason: string): void {
    const requests = reports.reduce((sum, report) => sum + requestsIn(report), 0);
    if (requests === 0) return;
    onLost?.(requests);
    log.warn({ requests, reason }, "counts of requests could not be reported and are lost");
  }

  /** Sends one report. Returns whether the others are worth a try. */
  async function send(report: Report): Promise<boolean> {
    try {
      const { project, id, counts, responses } = report;
      await controlPlane.reportTraffic(project.reference, id, counts, responses);
      waiting = waiting.filter((one) => one !== report);
      isFailing = false;
      return true;
    } catch (error) {
      const isFinal =
        error instanceof RefusedError && error.status >= 400 && error.status < 500 && error.status !== 429;
      if (isFinal) {
        waiting = waiting.filter((one) => one !== report);
        giveUp([report], error.message);
        return true;
      }
      if (!isFailing)
        log.warn({ reason: (error as Error).message }, "counts of requests wait until the control plane is back");
      isFailing = true;
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    takePending();
    for (const report of waiting.slice()) if (!(await send(report))) return;
  }

  function flush(): Promise<void> {
    flushing = flushing.then(sendAll);
    return flushing;
  }

  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  return {
    count(project, request, { action, by, wouldBe, logged }) {
      const host = hostName(request.host);
      // Addresses of those who are let through are of no use, and there are many.
      if (action === "allow") add(project, host, action, undefined, null);
      else add(project, host, action, request.ip, by?.id ?? null);
      if (wouldBe !== null) add(project, host, "log", request.ip, by?.id ?? null);
      for (const { id } of logged) add(project, host, "log", request.ip, id);
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
      giveUp(waiting, "the gate stops and the control plane is away");
    },
  };
}
