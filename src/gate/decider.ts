// Decides about requests: finds the project of the host, has the evaluator decide, and applies the policies for what can fail.
import { performance } from "node:perf_hooks";
import { readOnly } from "../evaluator/counters.ts";
import type { Decision, Explanation } from "../evaluator/decision.ts";
import type { RequestAttributes } from "../evaluator/request/attributes.ts";
import { randomBase62 } from "../kernel/ids.ts";
import type { GateDecision, Reason } from "./decision.ts";
import type { HostMap } from "./hosts.ts";
import type { GateRequest } from "./message.ts";
import type { ProtectedProject } from "./project.ts";
import type { Protection } from "./protection.ts";

export type OpenOrClosed = "open" | "closed";

export interface GatePolicy {
  /** For projects of which the gate has never had a bundle. */
  readonly whenNoBundle: OpenOrClosed;
  /** For requests that the evaluator fails on. */
  readonly whenError: OpenOrClosed;
}

/** Told about every decision. */
export interface DecisionObserver {
  decided(project: ProtectedProject | null, request: GateRequest, decision: GateDecision, tookMs: number): void;
  failed(project: ProtectedProject, request: GateRequest, error: unknown): void;
}

export interface DeciderOptions {
  readonly hosts: HostMap<ProtectedProject>;
  readonly policy: GatePolicy;
  /** Whether the gate records decisions of this host, project or rule without acting on them. */
  isDetectOnly(host: string, project: ProtectedProject, ruleId: string | null): boolean;
  /** Whether the client has passed a challenge. Called when a step first challenges. */
  hasPassed(request: GateRequest, project: ProtectedProject): boolean;
  /** Attributes that the request itself does not have, such as the country of its address. */
  enrich?(request: GateRequest): Partial<RequestAttributes>;
  readonly observer: DecisionObserver;
  readonly clock: () => number;
}

export interface Decider {
  findProject(request: GateRequest): ProtectedProject | undefined;
  decide(request: GateRequest): GateDecision;
  /** What leads to the decision about a request at a time, by these rules. Counts nothing. */
  explain(project: ProtectedProject, protection: Protection, request: GateRequest, at: number): Explanation;
}

/** Unique over all gates: each process has a prefix of its own. */
function createIds(): () => string {
  const prefix = randomBase62(10);
  let count = 0;
  return () => `${prefix}${(count++).toString(36).padStart(4, "0")}`;
}

/** Proxies add these on the way, and clients may send them: no rule may depend on them. */
const NOT_OF_THE_CLIENT = new Set([
  "connection",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-method",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-forwarded-uri",
  "x-original-method",
  "x-original-uri",
  "x-real-ip",
  "x-reeve-decision",
]);

/** The headers that the client sent. */
export function clientHeaders({ headers }: GateRequest): Record<string, string | readonly string[]> {
  const own: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !NOT_OF_THE_CLIENT.has(name)) own[name] = value;
  }
  return own;
}

/** What the evaluator reads of a request. */
export function attributesOf(
  request: GateRequest,
  more: Partial<RequestAttributes>,
  hasPassed: () => boolean,
): RequestAttributes {
  const { method, scheme, host, target, ip } = request;
  return {
    url: `${scheme}://${host}${target}`,
    method,
    headers: { ...clientHeaders(request), host },
    ...(ip !== undefined && { ip }),
    ...more,
    // Computed when it is read: a pass is checked for those alone who would be challenged.
    get challengePassed() {
      return hasPassed();
    },
  };
}

export function createDecider(options: DeciderOptions): Decider {
  const { hosts, policy, observer, clock } = options;
  const nextId = createIds();

  function byPolicy(reason: Reason, choice: OpenOrClosed, version: number | null): GateDecision {
    return {
      id: nextId(),
      action: choice === "open" ? "allow" : "deny",
      status: choice === "open" ? null : 403,
      by: null,
      version,
      reason,
      wouldBe: null,
      location: null,
      retryAfter: null,
      logged: [],
    };
  }

  function byEvaluator(decision: Decision, project: ProtectedProject, host: string): GateDecision {
    const { action, status, by, location = null, retryAfter = null, logged } = decision;
    const version = project.protection?.bundle.configuration?.version ?? null;
    const rest = { id: nextId(), by, version, location, retryAfter, logged };
    if (status !== null && options.isDetectOnly(host, project, by?.id ?? null)) {
      return { ...rest, action: "allow", status: null, reason: "detect_only", wouldBe: action };
    }
    return { ...rest, action, status, reason: null, wouldBe: null };
  }

  function readAttributes(request: GateRequest, project: ProtectedProject): RequestAttributes {
    const more = options.enrich?.(request) ?? {};
    return attributesOf(request, more, () => options.hasPassed(request, project));
  }

  function evaluate(project: ProtectedProject, request: GateRequest): GateDecision {
    const { protection } = project;
    if (!protection) return byPolicy("no_bundle", policy.whenNoBundle, null);
    try {
      const attributes = readAttributes(request, project);
      return byEvaluator(protection.decide(attributes, project.counters, clock()), project, request.host);
    } catch (error) {
      observer.failed(project, request, error);
      return byPolicy("error", policy.whenError, protection.bundle.configuration?.version ?? null);
    }
  }

  const findProject = (request: GateRequest) => hosts.find(request.host);

  return {
    findProject,
    decide(request) {
      const startedAt = performance.now();
      const project = findProject(request);
      // A host that the gate does not know is not let through: whoever chooses it would choose to be unprotected.
      const decision = project ? evaluate(project, request) : byPolicy("unknown_host", "closed", null);
      observer.decided(project ?? null, request, decision, performance.now() - startedAt);
      return decision;
    },
    explain: (project, protection, request, at) =>
      protection.explain(readAttributes(request, project), readOnly(project.counters), at),
  };
}
