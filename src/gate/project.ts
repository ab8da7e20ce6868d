// One protected project: what the gate decides its requests by, and how fresh that is.
import { createCounters } from "../firewall/evaluator/counters.ts";
import type { CounterObserver, LocalCounters } from "../firewall/evaluator/counters.ts";
import { projectKey } from "./hosts.ts";
import type { ProjectReference } from "./hosts.ts";
import { describeMistakes } from "./bundle/problem.ts";
import type { Mistake, Problem } from "./bundle/problem.ts";
import { GateMistakeError } from "./gate-status.ts";
import type { GateReadiness, ProjectState } from "./gate-status.ts";
import type { Protection } from "./protection.ts";

export interface ProtectedProject {
  readonly reference: ProjectReference;
  /** `team/project` as configured, for logs and metrics. */
  readonly name: string;
  readonly counters: LocalCounters;
  /** Null: the gate has never had a bundle of it. */
  protection: Protection | null;
  /** When the control plane last confirmed the bundle, ms since the epoch; null: never. */
  confirmedAt: number | null;
  /** Why the bundle is not confirmed; null: it is. A mistake stays until the control plane answers otherwise. */
  problem: Problem | null;
}

export function createProject(reference: ProjectReference, observer?: CounterObserver): ProtectedProject {
  return {
    reference,
    name: projectKey(reference),
    counters: createCounters({}, observer),
    protection: null,
    confirmedAt: null,
    problem: null,
  };
}

/** A bundle that was not confirmed for this long is called stale. It is used all the same. */
const STALE_MS = 60_000;

/** ms since the control plane confirmed the bundle; null: never. */
export function ageOf({ confirmedAt }: ProtectedProject, now: number): number | null {
  return confirmedAt === null ? null : Math.max(0, now - confirmedAt);
}

export function stateOf(project: ProtectedProject, now: number): ProjectState {
  if (project.protection === null) return "missing";
  const age = ageOf(project, now);
  return age === null || age > STALE_MS ? "stale" : "current";
}

/** The mistake that leaves a project without a bundle; null: there is none, or an earlier bundle to go on with. */
export function openMistake({ problem, protection }: ProtectedProject): Mistake | null {
  return protection === null && problem?.kind === "mistake" ? problem : null;
}

/** Throws for the mistakes of all projects at once. */
export function refuseMistakes(projects: readonly ProtectedProject[]): void {
  const mistakes = projects.flatMap((project) => openMistake(project) ?? []);
  if (mistakes.length > 0) throw new GateMistakeError(describeMistakes(mistakes));
}

export function readinessOf({ problem, protection }: ProtectedProject): GateReadiness {
  return { protected: protection !== null, reason: problem?.message ?? null };
}
