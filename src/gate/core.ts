// The parts of a gate without its HTTP server: what decides, what keeps the bundles current, and what counts. `reeve gate` and the
// middleware are made of it.
import type { CounterObserver } from "../firewall/evaluator/counters.ts";
import { createActivity } from "./activity.ts";
import type { Activity } from "./activity.ts";
import { createBundleFiles } from "./bundle/bundle-file.ts";
import { createBundleKeeper } from "./bundle/bundle-keeper.ts";
import type { ControlPlane } from "./bundle/control-plane.ts";
import { SETTING_NAMES } from "./bundle/problem.ts";
import type { SettingNames } from "./bundle/problem.ts";
import { createChallenges } from "./challenge/challenges.ts";
import type { Challenges } from "./challenge/challenges.ts";
import { createSpentSolutions } from "./challenge/spent-solutions.ts";
import { createWaiting } from "./challenge/waiting.ts";
import { counterScope } from "./counters/counter-store.ts";
import type { CounterScope, CounterStore } from "./counters/counter-store.ts";
import { createCounting } from "./counters/counting.ts";
import { watchCounters } from "./counters/full-counters.ts";
import type { FullCountersObserver } from "./counters/full-counters.ts";
import { createRedisStore } from "./counters/redis-store.ts";
import type { RedisStore } from "./counters/redis-store.ts";
import { createSharedSpent } from "./counters/shared-spent.ts";
import { createDecider } from "./decider.ts";
import type { Decider, DecisionObserver, GatePolicy } from "./decider.ts";
import type { GateLog } from "./gate-log.ts";
import { readHealth } from "./health.ts";
import type { GateHealth } from "./gate-status.ts";
import { NO_GEO, createGeoFolder } from "./geo/geo-folder.ts";
import { createHostMap, projectKey } from "./hosts.ts";
import type { ProjectReference } from "./hosts.ts";
import { createGateWarnings } from "./gate-warnings.ts";
import { createGateMetrics } from "./metrics.ts";
import type { GateMetrics } from "./metrics.ts";
import { createProject, refuseMistakes } from "./project.ts";
import type { ProtectedProject } from "./project.ts";
import { createRateLimitApi } from "./rate-limit-api/rate-limit-api.ts";
import type { RateLimitApi } from "./rate-limit-api/rate-limit-api.ts";
import { createReporter } from "./reports/reporter.ts";
import { createSamples } from "./reports/samples.ts";
import { createTraffic } from "./reports/traffic.ts";
import { createTrustedProxies } from "./requests/trusted-proxies.ts";
import type { TrustedProxies } from "./requests/trusted-proxies.ts";
import { challengeScope } from "./server/answer.ts";
import { createLoad } from "./cpu-load.ts";
import { createResponseCounts } from "./reports/response-counts.ts";
import type { ResponseCounts } from "./reports/response-counts.ts";

export interface CoreConfiguration extends GatePolicy {
  readonly hosts: readonly (ProjectReference & { readonly host: string })[];
  readonly trustedProxies: readonly string[];
  /** Bytes of a body that rules may decide by. */
  readonly bodyLimit: number;
  /** Null: bundles are not kept on disk. */
  readonly dir: string | null;
  /** Hosts, projects and ids of rules whose decisions are recorded and not acted on; `all` for all. */
  readonly detectOnly: readonly string[];
  /** Where gates share counters, holds and spent challenges; null: each has its own. */
  readonly redisUrl: string | null;
  /** What applications prove that they may ask for rate limits by id; absent or null: none may. */
  readonly rateLimitSecret?: string | null;
  /** Folder of databases of countries and networks; absent or null: there are none. */
  readonly geoDir?: string | null;
  /** Header in which trusted proxies say the JA4 digest of the client, in lower case; absent or null: none. */
  readonly ja4Header?: string | null;
}

/** Of what a client has sent. */
const MAX_LOGGED = 255;

export interface GateDependencies {
  readonly controlPlane: ControlPlane;
  /** Names the control plane in messages, and in files, so that bundles of another one are not used. */
  readonly server: string;
  /** What the settings of the control plane are called; absent: as those of `reeve gate`. */
  readonly settingNames?: SettingNames;
  readonly clock: () => number;
  readonly log: GateLog;
}

export interface GateCore {
  readonly decider: Decider;
  readonly challenges: Challenges;
  readonly rateLimitApi: RateLimitApi;
  readonly trust: TrustedProxies;
  readonly metrics: GateMetrics;
  readonly activity: Activity;
  readonly responses: ResponseCounts;
  readonly bodyLimit: number;
  readonly projects: readonly ProtectedProject[];
  /** Null: the gate counts by itself. */
  readonly counterStore: CounterStore | null;
  readonly log: GateLog;
  health(): GateHealth;
  /**
   * Resolves when the bundles are there, or cannot be had now. Rejects with a `GateMistakeError` for mistakes that leave projects without
   * one; the gate asks again all the same.
   */
  start(): Promise<void>;
  /** Reports what was counted. */
  stop(): Promise<void>;
}

/** The projects of the hosts, each once. */
function projectsOf(
  hosts: CoreConfiguration["hosts"],
  observerOf: (project: string) => CounterObserver,
): ReadonlyMap<string, ProtectedProject> {
  const projects = new Map<string, ProtectedProject>();
  for (const { team, project } of hosts) {
    const reference = { team, project };
    const key = projectKey(reference);
    if (!projects.has(key)) projects.set(key, createProject(reference, observerOf(key)));
  }
  return projects;
}

function createDetectOnly(named: ReadonlySet<string>) {
  return (host: string, { name }: ProtectedProject): boolean =>
    named.size > 0 &&
    (named.has("all") || named.has(host.toLowerCase().replace(/:\d*$/, "")) || named.has(name.toLowerCase()));
}

/** The scopes of the projects that have a bundle. */
function projectsByScope(
  projects: readonly ProtectedProject[],
): ReadonlyMap<CounterScope, readonly ProtectedProject[]> {
  const known = projects.flatMap((project) =>
    project.protection ? [{ scope: counterScope(project.protection.bundle), project }] : [],
  );
  return new Map(
    known.map(({ scope }) => [scope, known.filter((one) => one.scope === scope).map((one) => one.project)]),
  );
}

function createStore(
  url: string,
  projects: readonly ProtectedProject[],
  metrics: GateMetrics,
  { clock, log }: GateDependencies,
): RedisStore {
  return createRedisStore({
    url,
    clock,
    log,
    observer: metrics.counterStore,
    scopes: () => [...projectsByScope(projects).keys()],
    onHold(scope, rule, digest, hold) {
      const now = clock();
      for (const { counters } of projectsByScope(projects).get(scope) ?? []) {
        // Later requests do not extend a hold, and neither does hearing of it again.
        if (!counters.findHold(rule, digest, now)) counters.adopt(rule, digest, hold, now);
      }
    },
  });
}

export function createCore(configuration: CoreConfiguration, dependencies: GateDependencies): GateCore {
  const { controlPlane, server, clock, log } = dependencies;
  const {
    dir,
    hosts,
    detectOnly,
    redisUrl,
    trustedProxies,
    whenNoBundle,
    rateLimitSecret = null,
    geoDir = null,
    ja4Header = null,
  } = configuration;
  const detected = new Set(detectOnly.map((name) => name.toLowerCase()));
  const fullCounters: FullCountersObserver = {
    evicted: (project, counters) => metrics.counters.evicted(project, counters),
    notHeld: (project) => metrics.counters.notHeld(project),
  };
  const byKey = projectsOf(hosts, (project) => watchCounters(project, fullCounters, clock, log));
  const projects = [...byKey.values()];
  const metrics = createGateMetrics(projects, clock);
  const activity = createActivity(clock);
  const store = redisUrl === null ? null : createStore(redisUrl, projects, metrics, dependencies);
  if (store) metrics.watchCounterStore(store);
  const counting = createCounting(store);
  const ownSpent = createSpentSolutions({ clock });
  const challenges = createChallenges({
    clock,
    load: createLoad(),
    spent: store ? createSharedSpent(store, ownSpent, clock) : ownSpent,
    waiting: createWaiting(counting, clock),
  });
  const geo = geoDir === null ? null : createGeoFolder(geoDir, log);
  const responses = createResponseCounts(clock);
  const traffic = createTraffic({ controlPlane, clock, takeResponses: responses.take, onLost: metrics.lost });
  const samples = createSamples({
    controlPlane,
    explain: (...asked) => decider.explain(...asked),
    clock,
    log,
    onOutcome: metrics.sampled,
  });
  const reporter = createReporter([traffic, samples], log);
  let isBodyReadSaid = false;
  const observer: DecisionObserver = {
    decided(project, request, decision, tookMs) {
      activity.decided();
      metrics.decided(project?.name ?? "", decision, tookMs);
      if (!request) return;
      if (!project) {
        const host = request.host.slice(0, MAX_LOGGED);
        if (activity.refusedHost(host)) {
          log.warn(
            { host, setting: "REEVE_GATE_HOSTS" },
            "a request for a host that the gate has no project for was refused",
          );
        }
        return;
      }
      traffic.count(project, request, decision);
      samples.add(project, request, decision);
    },
    failed(project, { host, target }, error) {
      const [path = ""] = target.split("?", 1);
      const shown = { host: host.slice(0, MAX_LOGGED), path: path.slice(0, MAX_LOGGED) };
      log.error({ err: error, project: project.name, ...shown }, "no decision about a request (REEVE_GATE_ON_ERROR)");
    },
    bodyWasRead() {
      if (isBodyReadSaid) return;
      isBodyReadSaid = true;
      log.warn(
        { setting: "REEVE_GATE_ON_BODY" },
        "a body that a rule reads was read before the gate: put the gate before everything that reads bodies",
      );
    },
  };
  const decider: Decider = createDecider({
    hosts: createHostMap(
      hosts.map((entry) => ({ host: entry.host, project: byKey.get(projectKey(entry)) as ProtectedProject })),
    ),
    policy: configuration,
    isDetectOnly: createDetectOnly(detected),
    hasPassed(request, project) {
      const scope = challengeScope(project);
      return scope !== null && challenges.hasPass(request, scope);
    },
    counting,
    ja4Header,
    findGeo: ({ ip }) => geo?.find(ip) ?? NO_GEO,
    observer,
    clock,
  });
  const keeper = createBundleKeeper({
    projects,
    controlPlane,
    server,
    settingNames: dependencies.settingNames ?? SETTING_NAMES,
    files: dir === null ? null : createBundleFiles(dir, server),
    isWatched: (id) => detected.has(id.toLowerCase()),
    clock,
    log,
    onRefresh(_project, outcome) {
      metrics.refreshed(outcome);
      if (outcome === "changed") warnings.unknownIds();
    },
    onFileFailure: metrics.bundleFileFailed,
  });

  const warnings = createGateWarnings({ projects, hosts, detected, whenNoBundle, log });

  return {
    decider,
    challenges,
    rateLimitApi: createRateLimitApi({ decider, secret: rateLimitSecret, ja4Header, log }),
    trust: createTrustedProxies(trustedProxies, ja4Header),
    metrics,
    activity,
    responses,
    bodyLimit: configuration.bodyLimit,
    projects,
    counterStore: store,
    log,
    health: () => readHealth({ projects, activity, counterStore: store }, whenNoBundle, clock()),
    async start() {
      await Promise.all([keeper.start(), store?.start(), geo?.start()]);
      warnings.unprotected();
      warnings.unknownIds();
      refuseMistakes(projects);
    },
    async stop() {
      keeper.stop();
      store?.stop();
      geo?.stop();
      await reporter.stop();
    },
  };
}
