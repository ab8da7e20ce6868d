// The parts of a gate without its HTTP server: what decides, what keeps the bundles current, and what counts. `reeve gate` and the
// middleware are made of it.
import { createBundleFiles } from "./bundle/bundle-file.ts";
import { createBundleKeeper } from "./bundle/bundle-keeper.ts";
import type { ControlPlane } from "./bundle/control-plane.ts";
import { createChallenges } from "./challenge/challenges.ts";
import type { Challenges } from "./challenge/challenges.ts";
import { createSpentSolutions } from "./challenge/spent-solutions.ts";
import { createDecider } from "./decider.ts";
import type { Decider, DecisionObserver, GatePolicy } from "./decider.ts";
import type { GateLog } from "./gate-log.ts";
import { createHostMap, projectKey } from "./hosts.ts";
import type { ProjectReference } from "./hosts.ts";
import { createGateMetrics } from "./metrics.ts";
import type { GateMetrics } from "./metrics.ts";
import { createProject } from "./project.ts";
import type { ProtectedProject } from "./project.ts";
import { createTrustedProxies } from "./requests/trusted-proxies.ts";
import type { TrustedProxies } from "./requests/trusted-proxies.ts";
import { challengeScope } from "./server/answer.ts";
import { createLoad } from "./load.ts";
import { createResponseCounts } from "./reports/response-counts.ts";
import type { ResponseCounts } from "./reports/response-counts.ts";
import { createTraffic } from "./traffic.ts";

export interface CoreConfiguration extends GatePolicy {
  readonly hosts: readonly (ProjectReference & { readonly host: string })[];
  readonly trustedProxies: readonly string[];
  /** Null: bundles are not kept on disk. */
  readonly dir: string | null;
  /** Hosts, projects and ids of rules whose decisions are recorded and not acted on; `all` for all. */
  readonly detectOnly: readonly string[];
}

export interface GateDependencies {
  readonly controlPlane: ControlPlane;
  /** Names the control plane in files, so that bundles of another one are not used. */
  readonly server: string;
  readonly clock: () => number;
  readonly log: GateLog;
}

export interface GateCore {
  readonly decider: Decider;
  readonly challenges: Challenges;
  readonly trust: TrustedProxies;
  readonly metrics: GateMetrics;
  readonly responses: ResponseCounts;
  readonly projects: readonly ProtectedProject[];
  readonly log: GateLog;
  /** Resolves when the bundles are there, or cannot be had now. */
  start(): Promise<void>;
  /** Reports what was counted. */
  stop(): Promise<void>;
}

/** The projects of the hosts, each once. */
function projectsOf(hosts: CoreConfiguration["hosts"]): ReadonlyMap<string, ProtectedProject> {
  const projects = new Map<string, ProtectedProject>();
  for (const { team, project } of hosts) {
    const reference = { team, project };
    const key = projectKey(reference);
    if (!projects.has(key)) projects.set(key, createProject(reference));
  }
  return projects;
}

function createDetectOnly(names: readonly string[]) {
  const named = new Set(names.map((name) => name.toLowerCase()));
  return (host: string, { name }: ProtectedProject, ruleId: string | null): boolean =>
    named.size > 0 &&
    (named.has("all") ||
      named.has(host.toLowerCase().replace(/:\d*$/, "")) ||
      named.has(name.toLowerCase()) ||
      (ruleId !== null && named.has(ruleId.toLowerCase())));
}

export function createCore(configuration: CoreConfiguration, dependencies: GateDependencies): GateCore {
  const { controlPlane, server, clock, log } = dependencies;
  const { dir, hosts, detectOnly, trustedProxies, whenNoBundle } = configuration;
  const byKey = projectsOf(hosts);
  const projects = [...byKey.values()];
  const metrics = createGateMetrics(projects, clock);
  const responses = createResponseCounts(clock);
  const traffic = createTraffic({ controlPlane, clock, log, takeResponses: responses.take, onLost: metrics.lost });
  const challenges = createChallenges({ clock, load: createLoad(), spent: createSpentSolutions({ clock }) });
  const observer: DecisionObserver = {
    decided(project, request, decision, tookMs) {
      metrics.decided(project?.name ?? "", decision, tookMs);
      if (project) traffic.count(project, request, decision);
    },
    failed(project, { host, target }, error) {
      const [path] = target.split("?", 1);
      log.error({ err: error, project: project.name, host, path }, "no decision about a request (REEVE_GATE_ON_ERROR)");
    },
  };
  const decider = createDecider({
    hosts: createHostMap(
      hosts.map((entry) => ({ host: entry.host, project: byKey.get(projectKey(entry)) as ProtectedProject })),
    ),
    policy: configuration,
    isDetectOnly: createDetectOnly(detectOnly),
    hasPassed(request, project) {
      const scope = challengeScope(project);
      return scope !== null && challenges.hasPass(request, scope);
    },
    observer,
    clock,
  });
  const keeper = createBundleKeeper({
    projects,
    controlPlane,
    files: dir === null ? null : createBundleFiles(dir, server),
    clock,
    log,
    onRefresh: (_project, outcome) => metrics.refreshed(outcome),
  });

  function warnUnprotected(): void {
    const then = whenNoBundle === "open" ? "lets its requests through" : "refuses its requests";
    for (const { name, protection, problem } of projects) {
      if (!protection)
        log.error({ project: name, reason: problem }, `no bundle: the gate ${then} (REEVE_GATE_NO_BUNDLE)`);
    }
  }

  return {
    decider,
    challenges,
    trust: createTrustedProxies(trustedProxies),
    metrics,
    responses,
    projects,
    log,
    async start() {
      await keeper.start();
      warnUnprotected();
    },
    async stop() {
      keeper.stop();
      await traffic.stop();
    },
  };
}
