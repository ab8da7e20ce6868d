// The metrics of a gate, as data for the metrics page and docs/gate.md. Labels have a small, fixed set of values: the operator's projects,
// and names of ours.
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RefreshOutcome } from "./bundle/bundle-keeper.ts";
import type { CounterStore } from "./counters/counter-store.ts";
import type { FullCountersObserver } from "./counters/full-counters.ts";
import type { StoreObserver } from "./counters/redis-store.ts";
import { REASONS } from "./decision.ts";
import type { GateDecision } from "./decision.ts";
import { ageOf, stateOf } from "./project.ts";
import type { ProtectedProject } from "./project.ts";

const SLOW_MS = 5;

export const GATE_METRICS = {
  decisions: {
    name: "reeve_gate_decisions_total",
    type: "counter",
    help: "Decisions by project and action; project is empty for hosts that the gate does not know.",
    labels: ["project", "action"],
  },
  policies: {
    name: "reeve_gate_policies_total",
    type: "counter",
    help: `Decisions that a policy made or changed, by its reason: ${Object.keys(REASONS).join(", ")}.`,
    labels: ["reason"],
  },
  duration: {
    name: "reeve_gate_decision_duration_seconds",
    type: "histogram",
    help: "Time to decide about one request, without waiting for the counter store.",
    labels: [],
  },
  slow: {
    name: "reeve_gate_slow_decisions_total",
    type: "counter",
    help: "Decisions that took more than 5 ms.",
    labels: [],
  },
  refreshes: {
    name: "reeve_gate_bundle_refreshes_total",
    type: "counter",
    help: "Attempts to confirm bundles, by outcome: changed, unchanged, failed (no answer), mistake (a refusal that an operator has to repair).",
    labels: ["outcome"],
  },
  lost: {
    name: "reeve_gate_unreported_requests_total",
    type: "counter",
    help: "Decisions whose counts could not be reported to the control plane.",
    labels: [],
  },
  samples: {
    name: "reeve_gate_samples_total",
    type: "counter",
    help: "Decisions to be found by their id in the control plane, by outcome: taken, left_out (beyond the bounds of a minute), lost.",
    labels: ["outcome"],
  },
  files: {
    name: "reeve_gate_bundle_file_failures_total",
    type: "counter",
    help: "Bundles that could not be read from REEVE_GATE_DIR, or written there, by operation: read, write.",
    labels: ["operation"],
  },
  peers: {
    name: "reeve_gate_refused_peers_total",
    type: "counter",
    help: "Requests for a decision by peers that are not in REEVE_GATE_TRUSTED_PROXIES.",
    labels: [],
  },
  upstream: {
    name: "reeve_gate_upstream_failures_total",
    type: "counter",
    help: "Requests that were let through and that the application (REEVE_GATE_UPSTREAM) did not answer: clients got 502.",
    labels: [],
  },
  age: {
    name: "reeve_gate_bundle_age_seconds",
    type: "gauge",
    help: "Time since the control plane confirmed the bundle of a project; absent while there is none.",
    labels: ["project"],
  },
  projects: {
    name: "reeve_gate_projects",
    type: "gauge",
    help: "Projects by the state of their bundle: current, stale (not confirmed for a minute), missing.",
    labels: ["state"],
  },
  evicted: {
    name: "reeve_gate_counters_evicted_total",
    type: "counter",
    help: "Counters of rate limits that were forgotten before their end, because a project has at most 100 000 of them.",
    labels: ["project"],
  },
  notHeld: {
    name: "reeve_gate_holds_not_stored_total",
    type: "counter",
    help: "Holds that did not begin, because there were no places: the requests were decided all the same.",
    labels: ["project"],
  },
  storeUp: {
    name: "reeve_gate_counter_store_up",
    type: "gauge",
    help: "1 while the counter store answers, 0 while the gate counts by itself; absent without REEVE_GATE_REDIS_URL.",
    labels: [],
  },
  storeDuration: {
    name: "reeve_gate_counter_store_duration_seconds",
    type: "histogram",
    help: "Time until the counter store has answered.",
    labels: [],
  },
  storeFailures: {
    name: "reeve_gate_counter_store_failures_total",
    type: "counter",
    help: "Questions that the counter store did not answer, by reason: timeout (50 ms), error.",
    labels: ["reason"],
  },
} as const;

/** In seconds. */
const STORE_TIMES = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05];
const TIMES = [0.000_002, 0.000_005, 0.000_01, 0.000_05, 0.000_1, 0.000_5, 0.001, 0.005, 0.05];

export type SampleOutcome = "taken" | "left_out" | "lost";

export interface GateMetrics {
  readonly registry: Registry;
  decided(project: string, decision: GateDecision, tookMs: number): void;
  refreshed(outcome: RefreshOutcome): void;
  lost(requests: number): void;
  readonly counterStore: StoreObserver;
  watchCounterStore(store: CounterStore): void;
  sampled(outcome: SampleOutcome, count: number): void;
  readonly counters: FullCountersObserver;
  bundleFileFailed(operation: "read" | "write"): void;
  refusedPeer(): void;
  upstreamFailed(): void;
}

export function createGateMetrics(projects: readonly ProtectedProject[], clock: () => number): GateMetrics {
  const registry = new Registry();
  const optionsOf = ({ name, help, labels }: (typeof GATE_METRICS)[keyof typeof GATE_METRICS]) => ({
    name,
    help,
    labelNames: labels as readonly string[],
    registers: [],
  });
  const decisions = new Counter(optionsOf(GATE_METRICS.decisions));
  const policies = new Counter(optionsOf(GATE_METRICS.policies));
  const slow = new Counter(optionsOf(GATE_METRICS.slow));
  const refreshes = new Counter(optionsOf(GATE_METRICS.refreshes));
  const lost = new Counter(optionsOf(GATE_METRICS.lost));
  const samples = new Counter(optionsOf(GATE_METRICS.samples));
  const files = new Counter(optionsOf(GATE_METRICS.files));
  const peers = new Counter(optionsOf(GATE_METRICS.peers));
  const upstream = new Counter(optionsOf(GATE_METRICS.upstream));
  const evicted = new Counter(optionsOf(GATE_METRICS.evicted));
  const notHeld = new Counter(optionsOf(GATE_METRICS.notHeld));
  const duration = new Histogram({ ...optionsOf(GATE_METRICS.duration), buckets: TIMES });
  const storeFailures = new Counter(optionsOf(GATE_METRICS.storeFailures));
  const storeDuration = new Histogram({ ...optionsOf(GATE_METRICS.storeDuration), buckets: STORE_TIMES });
  const age = new Gauge({
    ...optionsOf(GATE_METRICS.age),
    collect() {
      this.reset();
      for (const project of projects) {
        const ageMs = ageOf(project, clock());
        if (ageMs !== null) this.set({ project: project.name }, ageMs / 1_000);
      }
    },
  });
  const states = new Gauge({
    ...optionsOf(GATE_METRICS.projects),
    collect() {
      const all = projects.map((project) => stateOf(project, clock()));
      for (const state of ["current", "stale", "missing"] as const) {
        this.set({ state }, all.filter((one) => one === state).length);
      }
    },
  });
  for (const metric of [
    decisions,
    policies,
    duration,
    slow,
    refreshes,
    lost,
    samples,
    files,
    peers,
    upstream,
    evicted,
    notHeld,
    age,
    states,
  ])
    registry.registerMetric(metric);
  // One look-up of a series by its labels for each request would take longer than most decisions.
  const series = new Map<string, { inc(): void }>();
  function decisionsOf(project: string, action: string): { inc(): void } {
    const key = `${project} ${action}`;
    const known = series.get(key) ?? decisions.labels({ project, action });
    series.set(key, known);
    return known;
  }
  return {
    registry,
    decided(project, { action, reason }, tookMs) {
      decisionsOf(project, action).inc();
      if (reason !== null) policies.inc({ reason });
      if (tookMs > SLOW_MS) slow.inc();
      duration.observe(tookMs / 1_000);
    },
    refreshed: (outcome) => refreshes.inc({ outcome }),
    lost: (requests) => lost.inc(requests),
    counterStore: {
      answered: (tookMs) => storeDuration.observe(tookMs / 1_000),
      failed: (reason) => storeFailures.inc({ reason }),
    },
    watchCounterStore(store) {
      const up = new Gauge({
        ...optionsOf(GATE_METRICS.storeUp),
        collect() {
          this.set(store.isUp ? 1 : 0);
        },
      });
      for (const metric of [up, storeDuration, storeFailures]) registry.registerMetric(metric);
    },
    sampled: (outcome, count) => samples.inc({ outcome }, count),
    counters: {
      evicted: (project, counters) => evicted.inc({ project }, counters),
      notHeld: (project) => notHeld.inc({ project }),
    },
    bundleFileFailed: (operation) => files.inc({ operation }),
    refusedPeer: () => peers.inc(),
    upstreamFailed: () => upstream.inc(),
  };
}
