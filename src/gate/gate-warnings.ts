// What an operator is warned of by the bundles that a gate has: projects without one, and ids to watch that are in none.
import type { OpenOrClosed } from "./decider.ts";
import type { GateLog } from "./gate-log.ts";
import { openMistake } from "./project.ts";
import type { ProtectedProject } from "./project.ts";
import { findUnknownIds } from "./watched-rules.ts";

interface Warned {
  readonly projects: readonly ProtectedProject[];
  readonly hosts: readonly { readonly host: string }[];
  /** Hosts, projects and ids that are only watched. */
  readonly detected: ReadonlySet<string>;
  readonly whenNoBundle: OpenOrClosed;
  readonly log: GateLog;
}

export interface GateWarnings {
  /** Of projects without a bundle. Who starts the gate tells of those that are a mistake. */
  unprotected(): void;
  /** Of what is to be watched and is not there: it may be mistyped, and what was meant is enforced. */
  unknownIds(): void;
}

export function createGateWarnings({ projects, hosts, detected, whenNoBundle, log }: Warned): GateWarnings {
  const warnedOf = new Set<string>();
  const isName = (name: string) => name === "all" || /[./]/.test(name) || hosts.some(({ host }) => host === name);

  return {
    unprotected() {
      const then = whenNoBundle === "open" ? "lets its requests through" : "refuses its requests";
      for (const project of projects) {
        if (project.protection || openMistake(project)) continue;
        const details = { project: project.name, reason: project.problem?.message };
        log.error(details, `no bundle: the gate ${then} (REEVE_GATE_NO_BUNDLE)`);
      }
    },
    unknownIds() {
      const bundles = projects.flatMap(({ protection }) => protection?.bundle ?? []);
      if (bundles.length < projects.length) return;
      const ids = [...detected].filter((name) => !isName(name) && !warnedOf.has(name));
      for (const id of findUnknownIds(ids, bundles)) {
        warnedOf.add(id);
        log.warn(
          { id, setting: "REEVE_GATE_DETECT_ONLY" },
          "what is to be watched is no rule, address entry or managed set of this gate's projects",
        );
      }
    },
  };
}
