// Counts decisions by minute, for the traffic of their projects.
import { randomUUID } from "node:crypto";
import { hostOf } from "../../firewall/evaluator/request/url.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { ControlPlane, ResponseCount, TrafficCount } from "../bundle/control-plane.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import type { ProtectedProject } from "../project.ts";
import type { Report, ReportSource } from "./reporter.ts";

/** Of one project between two reports; further ones are counted without their address. */
const MAX_PENDING = 5_000;
/** The most that the control plane takes at once. */
const MAX_COUNTS = 1_000;
const MAX_WAITING_REPORTS = 200;
const HOST = /^[a-z0-9._:[\]*-]{1,255}$/;
/** Stands for hosts that cannot be named. */
const OTHER_HOST = "*";

/** What another engine did about a request. */
export interface OtherOutcome {
  readonly host: string;
  readonly action: "deny" | "log";
  readonly ip: string | undefined;
  readonly ruleId: string | null;
}

export interface Traffic extends ReportSource {
  countOther(project: ProtectedProject, outcome: OtherOutcome): void;
  count(project: ProtectedProject, request: GateRequest, decision: GateDecision): void;
}

export interface TrafficOptions {
  readonly controlPlane: ControlPlane;
  readonly clock: () => number;
  /** What the applications answered since the last call. */
  takeResponses(): ReadonlyMap<ProtectedProject, readonly ResponseCount[]>;
  /** Told how many counted requests were given up. */
  onLost(requests: number): void;
}

type Pending = Map<string, { readonly count: Omit<TrafficCount, "count">; requests: number }>;

function hostName(host: string): string {
  const name = hostOf(host) ?? OTHER_HOST;
  return HOST.test(name) ? name : OTHER_HOST;
}

export function createTraffic({ controlPlane, clock, takeResponses, onLost }: TrafficOptions): Traffic {
  const pending = new Map<ProtectedProject, Pending>();

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

  function reportOf(
    project: ProtectedProject,
    counts: readonly TrafficCount[],
    responses: readonly ResponseCount[],
  ): Report {
    const id = randomUUID();
    return {
      size: counts.reduce((sum, { count }) => sum + count, 0),
      send: () => controlPlane.reportTraffic(project.reference, id, counts, responses),
    };
  }

  return {
    name: "counts of requests",
    maxWaiting: MAX_WAITING_REPORTS,
    lost: onLost,
    countOther: (project, { host, action, ip, ruleId }) => add(project, hostName(host), action, ip, ruleId),
    count(project, request, { action, by, wouldBe, logged }) {
      const host = hostName(request.host);
      // Addresses of those who are let through are of no use, and there are many.
      if (action === "allow") add(project, host, action, undefined, null);
      else add(project, host, action, request.ip, by?.id ?? null);
      if (wouldBe !== null) add(project, host, "log", request.ip, by?.id ?? null);
      for (const { id } of logged) add(project, host, "log", request.ip, id);
    },
    take() {
      const reports: Report[] = [];
      const answered = takeResponses();
      for (const project of new Set([...pending.keys(), ...answered.keys()])) {
        const of = pending.get(project)?.values() ?? [];
        const counts = [...of].map(({ count, requests }): TrafficCount => ({ ...count, count: requests }));
        let responses = answered.get(project) ?? [];
        for (let from = 0; from < counts.length || responses.length > 0; from += MAX_COUNTS) {
          reports.push(reportOf(project, counts.slice(from, from + MAX_COUNTS), responses));
          responses = [];
        }
      }
      pending.clear();
      return reports;
    },
  };
}
