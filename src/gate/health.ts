// What a gate says of itself: the page `health`, and what applications with a gate within them are told.
import type { Activity } from "./activity.ts";
import type { CounterStore } from "./counters/counter-store.ts";
import type { OpenOrClosed } from "./decider.ts";
import type { GateHealth, ProjectHealth } from "./gate-status.ts";
import { ageOf, stateOf } from "./project.ts";
import type { ProtectedProject } from "./project.ts";

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
