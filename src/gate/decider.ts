// Decides about requests: finds the project of the host, has the evaluator decide, and applies the policies for what can fail.
import { performance } from "node:perf_hooks";
import { readOnly } from "../evaluator/counters.ts";
import type { Counters } from "../evaluator/counters.ts";
import type { Decision, Explanation } from "../evaluator/decision.ts";
import type { RequestAttributes } from "../evaluator/request/attributes.ts";
import { TimeLimitError } from "../evaluator/time-limit.ts";
import { randomBase62 } from "../kernel/ids.ts";
import { counterScope } from "./counters/counter-store.ts";
import type { Counted, Counting } from "./counters/counting.ts";
import type { GateDecision, Reason } from "./decision.ts";
import type { Geo } from "./geo/geo-database.ts";
import type { HostMap } from "./hosts.ts";
import type { GateRequest } from "./message.ts";
import type { ProtectedProject } from "./project.ts";
import type { Protection } from "./protection.ts";

export type OpenOrClosed = "open" | "closed";

export interface GatePolicy {
  /** For projects of which the gate has never had a bundle. */
  readonly whenNoBundle: OpenOrClosed;
  /** For requests that the evaluator fails on, or takes more than 5 ms for. */
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
  readonly counting: Counting;
  /** The header in which proxies say the JA4 digest: no other condition reads it. */
  readonly ja4Header: string | null;
  /** Where the client is. Called when a step first reads it. */
  findGeo(request: GateRequest): Geo;
  readonly observer: DecisionObserver;
  readonly clock: () => number;
}

export interface Decider {
  findProject(request: GateRequest): ProtectedProject | undefined;
  /** A promise only if the request is counted in the store that gates share. It does not reject. */
  decide(request: GateRequest): GateDecision | Promise<GateDecision>;
  /** Counts a request for the rule that has this id in a condition. Null: no rule has it. */
  checkRateLimit(request: GateRequest, id: string): GateDecision | null | Promise<GateDecision | null>;
  /** What leads to the decision about a request at a time, by these rules. Counts nothing. */
  explain(project: ProtectedProject, protection: Protection, request: GateRequest, at: number): Explanation;
}

/** One of the ways to evaluate: by these counters, as often as it takes until what the store counts is known. */
type DecideBy = (protection: Protection, attributes: RequestAttributes, counters: Counters, now: number) => Decision;

const byAllRules: DecideBy = (protection, attributes, counters, now) => protection.decide(attributes, counters, now);
const byNamedLimits: DecideBy = ({ namedLimits }, attributes, counters, now) =>
  namedLimits.decide(attributes, counters, now);

function afterwards<T>(value: T | Promise<T>, next: (value: T) => T): T | Promise<T> {
  return value instanceof Promise ? value.then(next) : next(value);
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

/** The headers that the client sent. `ja4Header` is one that its proxy has set. */
export function clientHeaders(
  { headers }: GateRequest,
  ja4Header: string | null = null,
): Record<string, string | readonly string[]> {
  const own: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && name !== ja4Header && !NOT_OF_THE_CLIENT.has(name)) own[name] = value;
  }
  return own;
}

/** Attributes that are not in the request itself, and cost something to find out. */
interface Lookups {
  hasPassed(): boolean;
  findGeo(): Geo;
  /** The name of a verified bot. */
  findBot(): string | undefined;
}

/** What the evaluator reads of a request. */
export function attributesOf(
  request: GateRequest,
  own: Partial<RequestAttributes>,
  ja4Header: string | null,
  { hasPassed, findGeo, findBot }: Lookups,
): RequestAttributes {
  const { method, scheme, host, target, ip, ja4 } = request;
  let geo: Geo | undefined;
  let bot: RequestAttributes["bot"];
  function readBot(): NonNullable<RequestAttributes["bot"]> {
    if (bot) return bot;
    const name = findBot();
    return (bot = name === undefined ? {} : { name, status: "verified" });
  }
  return {
    url: `${scheme}://${host}${target}`,
    method,
    headers: { ...clientHeaders(request, ja4Header), host },
    ...(ip !== undefined && { ip }),
    ...(ja4 !== undefined && { ja4 }),
    ...own,
    // Computed when they are read: a pass is checked for those alone who would be challenged.
    get geo() {
      return (geo ??= findGeo());
    },
    get bot() {
      return readBot();
    },
    get challengePassed() {
      return hasPassed() || readBot().name !== undefined;
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

  function byEvaluator(
    { result, isLocal }: Counted<Decision>,
    project: ProtectedProject,
    { host }: GateRequest,
  ): GateDecision {
    const { action, status, by, location = null, retryAfter = null, logged } = result;
    const version = project.protection?.bundle.configuration?.version ?? null;
    const rest = { id: nextId(), by, version, location, retryAfter, logged };
    if (status !== null && options.isDetectOnly(host, project, by?.id ?? null)) {
      return { ...rest, action: "allow", status: null, reason: "detect_only", wouldBe: action };
    }
    return { ...rest, action, status, reason: isLocal ? "local_counters" : null, wouldBe: null };
  }

  function readAttributes(
    request: GateRequest,
    project: ProtectedProject,
    { bots }: Protection,
    now: number,
    own: Partial<RequestAttributes> = {},
  ): RequestAttributes {
    return attributesOf(request, own, options.ja4Header, {
      hasPassed: () => options.hasPassed(request, project),
      findGeo: () => options.findGeo(request),
      findBot: () => bots.find(request, now),
    });
  }

  function evaluate(
    project: ProtectedProject,
    request: GateRequest,
    decideBy: DecideBy,
    own: Partial<RequestAttributes> = {},
  ): GateDecision | Promise<GateDecision> {
    const { protection } = project;
    if (!protection) return byPolicy("no_bundle", policy.whenNoBundle, null);
    const { bundle } = protection;
    const fail = (error: unknown) => {
      observer.failed(project, request, error);
      const reason = error instanceof TimeLimitError ? "too_slow" : "error";
      return byPolicy(reason, policy.whenError, bundle.configuration?.version ?? null);
    };
    try {
      const now = clock();
      const attributes = readAttributes(request, project, protection, now, own);
      const counted = options.counting.run(project.counters, counterScope(bundle), now, (counters) =>
        decideBy(protection, attributes, counters, now),
      );
      if (!(counted instanceof Promise)) return byEvaluator(counted, project, request);
      return counted.then((late) => byEvaluator(late, project, request)).catch(fail);
    } catch (error) {
      return fail(error);
    }
  }

  const findProject = (request: GateRequest) => hosts.find(request.host);

  return {
    findProject,
    decide(request) {
      const startedAt = performance.now();
      const project = findProject(request);
      // A host that the gate does not know is not let through: whoever chooses it would choose to be unprotected.
      const decision = project ? evaluate(project, request, byAllRules) : byPolicy("unknown_host", "closed", null);
      // Without the time that the store takes, which has a metric of its own.
      const tookMs = performance.now() - startedAt;
      return afterwards(decision, (made) => {
        observer.decided(project ?? null, request, made, tookMs);
        return made;
      });
    },
    checkRateLimit(request, id) {
      const startedAt = performance.now();
      const project = findProject(request);
      if (!project || project.protection?.namedLimits.has(id) === false) return null;
      const decision = evaluate(project, request, byNamedLimits, { rateLimitApiId: id });
      const tookMs = performance.now() - startedAt;
      return afterwards(decision, (made) => {
        // What is within the limit was counted as a request when it came.
        if (made.by || made.logged.length > 0) observer.decided(project, request, made, tookMs);
        return made;
      });
    },
    explain: (project, protection, request, at) =>
      protection.explain(readAttributes(request, project, protection, at), readOnly(project.counters), at),
  };
}
