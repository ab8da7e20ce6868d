// Decides about requests: finds the project of the host, has the evaluator decide, and applies the policies for what can fail.
import { performance } from "node:perf_hooks";
import { UNREAD_BODY } from "../firewall/evaluator/body/decode-body.ts";
import { NO_ANSWERS, countersOf } from "../firewall/evaluator/awaited-counters.ts";
import type { Counters } from "../firewall/evaluator/counters.ts";
import type { Decision, Explanation } from "../firewall/evaluator/decision.ts";
import type { RequestAttributes } from "../firewall/evaluator/request/attributes.ts";
import { TimeLimitError, withTimeLimit } from "../firewall/evaluator/time-limit.ts";
import { randomBase62 } from "../platform/kernel/ids.ts";
import { counterScope } from "./counters/counter-store.ts";
import type { Counted, Counting } from "./counters/counting.ts";
import type { Evidence, GateDecision, Reason } from "./decision.ts";
import { FailingBody } from "./failing-body.ts";
import type { Geo } from "./geo/geo-database.ts";
import type { HostMap } from "./hosts.ts";
import type { GateRequest } from "./message.ts";
import { openMistake } from "./project.ts";
import type { ProtectedProject } from "./project.ts";
import type { PeekedBody } from "./requests/peek-body.ts";
import { attributesOf, bodyOf } from "./requests/request-attributes.ts";
import type { OwnAttributes, UnreadBody } from "./requests/request-attributes.ts";
import type { Protection } from "./protection.ts";
import { annotateWatched } from "./watched-rules.ts";

export type OpenOrClosed = "open" | "closed";

export interface GatePolicy {
  /** For projects of which the gate has never had a bundle, unless that is a mistake. */
  readonly whenNoBundle: OpenOrClosed;
  /** For requests that the evaluator fails on, or takes more than 5 ms for. */
  readonly whenError: OpenOrClosed;
  /** For requests whose body a rule reads and the gate cannot: open lets the rules see no body. */
  readonly whenBodyUnread: OpenOrClosed;
}

/** Told about every decision. */
export interface DecisionObserver {
  /** Without a request: the gate could not read it. */
  decided(project: ProtectedProject | null, request: GateRequest | null, decision: GateDecision, tookMs: number): void;
  failed(project: ProtectedProject, request: GateRequest, error: unknown): void;
  /** A rule reads a body that somebody has read before the gate. */
  bodyWasRead(): void;
}

export interface DeciderOptions {
  readonly hosts: HostMap<ProtectedProject>;
  readonly policy: GatePolicy;
  /** Whether the gate records decisions of this host or project without acting on them. Of rules it does so by watching them. */
  isDetectOnly(host: string, project: ProtectedProject): boolean;
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

export type ReadBody = () => Promise<PeekedBody>;

export interface Decider {
  findProject(request: GateRequest): ProtectedProject | undefined;
  /**
   * Reads the body if rules decide by it; without a way to read it they see none. A promise only if it is read, or if the request is counted
   * in the store that gates share. Rejects as reading does, when the client has left.
   */
  decide(request: GateRequest, readBody?: ReadBody): GateDecision | Promise<GateDecision>;
  /** The decision about a request that the gate could not read. */
  refuseUnreadable(status: number): GateDecision;
  /** Counts a request for the rule that has this id in a condition. Null: no rule has it. */
  checkRateLimit(request: GateRequest, id: string): GateDecision | null | Promise<GateDecision | null>;
  /** What led to the decision about a request at a time, by these rules. Counts nothing. */
  explain(
    project: ProtectedProject,
    protection: Protection,
    request: GateRequest,
    at: number,
    evidence: Evidence | undefined,
  ): Explanation;
}

/** One of the ways to evaluate: by these counters, as often as it takes until what the store counts is known. */
type DecideBy = (protection: Protection, attributes: RequestAttributes, counters: Counters, now: number) => Decision;

const byAllRules: DecideBy = (protection, attributes, counters, now) => protection.decide(attributes, counters, now);
const byNamedLimits: DecideBy = ({ namedLimits }, attributes, counters, now) =>
  namedLimits.decide(attributes, counters, now);

function versionOf({ protection }: ProtectedProject): number | null {
  return protection?.bundle.configuration?.version ?? null;
}

function afterwards<T>(value: T | Promise<T>, next: (value: T) => T): T | Promise<T> {
  return value instanceof Promise ? value.then(next) : next(value);
}

const NO_EVIDENCE: Evidence = { answers: NO_ANSWERS, body: undefined };

/** Unique over all gates: each process has a prefix of its own. */
function createIds(): () => string {
  const prefix = randomBase62(10);
  let count = 0;
  return () => `${prefix}${(count++).toString(36).padStart(4, "0")}`;
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

  /** What is only recorded in detect only. */
  function inForce(decision: GateDecision, project: ProtectedProject, { host }: GateRequest): GateDecision {
    const { action, status } = decision;
    if (status === null || !options.isDetectOnly(host, project)) return decision;
    return { ...decision, action: "allow", status: null, reason: decision.reason ?? "detect_only", wouldBe: action };
  }

  function byFailure(error: unknown, project: ProtectedProject, request: GateRequest): GateDecision {
    observer.failed(project, request, error);
    const reason = error instanceof TimeLimitError ? "too_slow" : "error";
    return inForce(byPolicy(reason, policy.whenError, versionOf(project)), project, request);
  }

  function byEvaluator(
    { result, isLocal, answers }: Counted<Decision>,
    project: ProtectedProject,
    body: Evidence["body"],
    unread: UnreadBody | null,
  ): GateDecision {
    const { action, status, by, location = null, retryAfter = null, logged } = result;
    return {
      id: nextId(),
      action,
      status,
      by,
      version: versionOf(project),
      reason: isLocal ? "local_counters" : null,
      ...unread,
      wouldBe: null,
      location,
      retryAfter,
      logged,
      evidence: { answers, body: body instanceof FailingBody ? undefined : body },
    };
  }

  function readAttributes(
    request: GateRequest,
    project: ProtectedProject,
    { bots }: Protection,
    now: number,
    own: OwnAttributes = {},
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
    own: OwnAttributes = {},
    unread: UnreadBody | null = null,
  ): GateDecision | Promise<GateDecision> {
    const { protection } = project;
    if (!protection) {
      // The policy is for outages: what is refused by mistake would stay open for good.
      const choice = openMistake(project) ? "closed" : policy.whenNoBundle;
      return inForce(byPolicy("no_bundle", choice, versionOf(project)), project, request);
    }
    const finish = (counted: Counted<Decision>) =>
      inForce(annotateWatched(byEvaluator(counted, project, own.body, unread), protection.watched), project, request);
    const fail = (error: unknown) => byFailure(error, project, request);
    try {
      const now = clock();
      const attributes = readAttributes(request, project, protection, now, own);
      const counted = options.counting.run(project.counters, counterScope(protection.bundle), now, (counters) =>
        decideBy(protection, attributes, counters, now),
      );
      return counted instanceof Promise ? counted.then(finish).catch(fail) : finish(counted);
    } catch (error) {
      return fail(error);
    }
  }

  /** The refusal of a request whose body cannot be read; null: nothing but what logs would read it. */
  function refuseUnread(
    project: ProtectedProject,
    request: GateRequest,
    { reason, detail }: UnreadBody,
  ): GateDecision | null {
    const { protection } = project;
    const reader = protection?.findBodyReader(readAttributes(request, project, protection, clock()));
    if (!reader) return null;
    const found = [detail ?? [], `${reader} reads it`].flat().join("; ");
    return { ...byPolicy(reason, "closed", versionOf(project)), detail: found };
  }

  function decideByBody(project: ProtectedProject, request: GateRequest, read: PeekedBody) {
    if (read === "already_read") observer.bodyWasRead();
    try {
      // Decoding takes longer than most rules, so that both have one limit.
      return withTimeLimit(() => {
        const { body, unread } = bodyOf(request, read);
        const refused = unread && policy.whenBodyUnread === "closed" ? refuseUnread(project, request, unread) : null;
        if (refused) return inForce(refused, project, request);
        const seen = unread && body.problem === null ? UNREAD_BODY : body;
        return evaluate(project, request, byAllRules, { body: seen }, unread);
      }, true);
    } catch (error) {
      return evaluate(project, request, byAllRules, { body: new FailingBody(error) });
    }
  }

  const findProject = (request: GateRequest) => hosts.find(request.host);

  function needsBody(project: ProtectedProject, request: GateRequest): boolean {
    const { protection } = project;
    try {
      const now = clock();
      return protection?.needsBody(readAttributes(request, project, protection, now), now) ?? false;
    } catch {
      // Deciding evaluates the same conditions, unless what comes before decides: it fails by itself.
      return true;
    }
  }

  function observe(
    project: ProtectedProject | undefined,
    request: GateRequest,
    startedAt: number,
    decision: GateDecision | Promise<GateDecision>,
  ): GateDecision | Promise<GateDecision> {
    // Without the time that the store takes, which has a metric of its own.
    const tookMs = performance.now() - startedAt;
    return afterwards(decision, (made) => {
      observer.decided(project ?? null, request, made, tookMs);
      return made;
    });
  }

  return {
    findProject,
    decide(request, readBody) {
      const startedAt = performance.now();
      const project = findProject(request);
      // A host that the gate does not know is not let through: anyone who chooses it would choose to be unprotected.
      if (!project) return observe(project, request, startedAt, byPolicy("unknown_host", "closed", null));
      if (readBody && needsBody(project, request)) {
        return readBody().then((body) => {
          const readAt = performance.now();
          return observe(project, request, readAt, decideByBody(project, request, body));
        });
      }
      return observe(project, request, startedAt, evaluate(project, request, byAllRules));
    },
    refuseUnreadable(status) {
      const decision = { ...byPolicy("bad_request", "closed", null), status };
      observer.decided(null, null, decision, 0);
      return decision;
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
    explain: (project, protection, request, at, { answers, body } = NO_EVIDENCE) =>
      protection.explain(
        readAttributes(request, project, protection, at, body && { body }),
        countersOf(answers, project.counters),
        at,
      ),
  };
}
