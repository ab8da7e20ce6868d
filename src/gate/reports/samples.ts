// Samples decisions, so that an operator finds one by the id that a client got: what was refused, logged, or decided by a policy.
import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Step } from "../../firewall/evaluator/decision.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { ControlPlane, DecisionSample } from "../bundle/control-plane.ts";
import type { Decider } from "../decider.ts";
import type { GateDecision } from "../decision.ts";
import type { GateLog } from "../gate-log.ts";
import type { GateRequest } from "../message.ts";
import type { SampleOutcome } from "../metrics.ts";
import type { ProtectedProject } from "../project.ts";
import type { Protection } from "../protection.ts";
import { createExplanations } from "./explanations.ts";
import type { Report, ReportSource } from "./reporter.ts";
import { sampleOf } from "./sample.ts";
import { createShare } from "./sample-share.ts";
import type { Share } from "./sample-share.ts";

/** Of one report, which may have 1 MiB: a sample has 24 kB at most. */
const MAX_SAMPLES = 40;
const MAX_WAITING_REPORTS = 25;
/** How long one turn of the event loop makes samples. */
const TURN_MS = 5;

interface Chosen {
  readonly project: ProtectedProject;
  /** By which it was decided; null: by none. */
  readonly protection: Protection | null;
  readonly request: GateRequest;
  readonly decision: GateDecision;
  readonly at: number;
  /** What is known without evaluating again. */
  readonly steps: readonly Step[] | undefined;
}

export interface Samples extends ReportSource {
  /** Without steps the decision is explained by evaluating the request again. */
  add(project: ProtectedProject, request: GateRequest, decision: GateDecision, steps?: readonly Step[]): void;
}

export interface SamplesOptions {
  readonly controlPlane: ControlPlane;
  /** Absent: all have their steps. */
  readonly explain?: Decider["explain"];
  readonly clock: () => number;
  readonly log: GateLog;
  onOutcome(outcome: SampleOutcome, decisions: number): void;
}

function isOfInterest({ status, reason, logged }: GateDecision): boolean {
  return status !== null || reason !== null || logged.length > 0;
}

export function createSamples({ controlPlane, explain, clock, log, onOutcome }: SamplesOptions): Samples {
  const shares = new Map<ProtectedProject, Share>();
  const explanations = createExplanations();
  let chosen: Chosen[] = [];
  const made = new Map<ProtectedProject, DecisionSample[]>();
  let isScheduled = false;

  function shareOf(project: ProtectedProject, now: number): Share {
    const minute = Math.floor(now / MINUTE_MS);
    const known = shares.get(project);
    if (known?.minute === minute) return known;
    const share = createShare(minute);
    shares.set(project, share);
    return share;
  }

  function stepsOf({ project, protection, request, decision, at, steps }: Chosen) {
    if (steps !== undefined) return steps;
    if (protection === null || decision.reason === "error" || !explain) return null;
    return explanations.explain(decision, () => explain(project, protection, request, at, decision.evidence));
  }

  function make(one: Chosen): void {
    const { project, request, decision, at } = one;
    const samples = made.get(project) ?? [];
    made.set(project, samples);
    try {
      samples.push(sampleOf(request, decision, at, stepsOf(one)));
    } catch (error) {
      onOutcome("lost", 1);
      log.error({ err: error, id: decision.id }, "a decision could not be sampled");
    }
  }

  /** Makes samples after the responses of this turn are written. */
  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const end = performance.now() + TURN_MS;
      const all = chosen;
      let at = 0;
      while (at < all.length && performance.now() < end) make(all[at++] as Chosen);
      chosen = all.slice(at);
      if (chosen.length > 0) schedule();
    });
  }

  function reportOf(project: ProtectedProject, samples: readonly DecisionSample[]): Report {
    const id = randomUUID();
    return { size: samples.length, send: () => controlPlane.reportDecisions(project.reference, id, samples) };
  }

  return {
    name: "samples of decisions",
    maxWaiting: MAX_WAITING_REPORTS,
    lost: (size) => onOutcome("lost", size),
    add(project, request, decision, steps) {
      if (!isOfInterest(decision)) return;
      const at = clock();
      const isTaken = shareOf(project, at).take(decision);
      onOutcome(isTaken ? "taken" : "left_out", 1);
      if (!isTaken) return;
      chosen.push({ project, protection: project.protection, request, decision, at, steps });
      schedule();
    },
    take() {
      for (const one of chosen.splice(0)) make(one);
      const reports = [...made].flatMap(([project, samples]) =>
        Array.from({ length: Math.ceil(samples.length / MAX_SAMPLES) }, (_, part) =>
          reportOf(project, samples.slice(part * MAX_SAMPLES, (part + 1) * MAX_SAMPLES)),
        ),
      );
      made.clear();
      return reports;
    },
  };
}
