// What a gate says of itself: the page `health`, and what applications with a gate within them are told.
import type { Activity, ActivityReport } from "./activity.ts";
import type { CounterStore } from "./counters/counter-store.ts";
import type { OpenOrClosed } from "./decider.ts";
import { ageOf, stateOf } from "./project.ts";
import type { ProjectState, ProtectedProject } from "./project.ts";

export interface ProjectHealth {
  /** `team/project` as configured. */
  readonly project: string;
  readonly state: ProjectState;
  /** Of the configuration in force; null: none is active. */
  readonly version: number | null;
  /** ms since the control plane confirmed the bundle; null: never. */
  readonly ageMs: number | null;
  /** Why the bundle is not confirmed; absent: it is. */
  readonly problem?: string;
  /** `mistake`: the control plane has refused, and an operator has to repair what the problem names. `outage`: it does not answer. */
  readonly problemKind?: "mistake" | "outage";
}

export interface GateHealth extends ActivityReport {
  /** `no_bundle`: a project has none. */
  readonly status: "ok" | "no_bundle";
  readonly projects: readonly ProjectHealth[];
  /** What happens to requests of a project without a bundle while the control plane is away. */
  readonly whenNoBundle: OpenOrClosed;
  /** Absent: the gate counts by itself. */
  readonly counterStore?: { readonly state: "up" | "away"; readonly problem?: string | null };
}

function healthOf(project: ProtectedProject, now: number): ProjectHealth {
  const { name, problem, protection } = project;
  return {
    project: name,
    state: stateOf(project, now),
    version: protection?.bundle.configuration?.version ?? null,
    ageMs: ageOf(project, now),
    ...(problem !== null && { problem: problem.message, problemKind: problem.kind }),
  };
}

interface Reporting {
  readonly projects: readonly ProtectedProject[];
  readonly activity: Activity;
  readonly counterStore: CounterStore | null;
}

export function readHealth(
  { projects, activity, counterStore }: Reporting,
  whenNoBundle: OpenOrClosed,
  now: number,
): GateHealth {
  const shown = projects.map((project) => healthOf(project, now));
  const store = counterStore && {
    counterStore: counterStore.isUp
      ? ({ state: "up" } as const)
      : ({ state: "away", problem: counterStore.problem } as const),
  };
  return {
    status: shown.every(({ state }) => state !== "missing") ? "ok" : "no_bundle",
    projects: shown,
    whenNoBundle,
    ...store,
    ...activity.report(),
  };
}
