// A decider with one project, whose rules and policies a test chooses, and what it has told its observer. Nothing else of a gate is there.
import { createCounting } from "../../src/gate/counters/counting.ts";
import type { CounterStore } from "../../src/gate/counters/counter-store.ts";
import { createDecider } from "../../src/gate/decider.ts";
import type { GatePolicy } from "../../src/gate/decider.ts";
import type { GateDecision } from "../../src/gate/decision.ts";
import { createHostMap } from "../../src/gate/hosts.ts";
import type { GateRequest } from "../../src/gate/message.ts";
import { createProject } from "../../src/gate/project.ts";
import { compileProtection } from "../../src/gate/protection.ts";
import type { PeekedBody } from "../../src/gate/requests/peek-body.ts";
import type { Condition, Mitigation, Rule } from "../../src/firewall/evaluator/config.ts";
import { configurationOf, ruleOf } from "../resources/evaluation.ts";

export const CLOSED: GatePolicy = { whenNoBundle: "closed", whenError: "closed", whenBodyUnread: "closed" };
export const OPEN: GatePolicy = { whenNoBundle: "open", whenError: "open", whenBodyUnread: "open" };

export const onPath = (value: string): Condition => ({ type: "path", op: "eq", value });
export const BROKEN: Condition = { type: "path", op: "re", value: "(" };
export const ADMIN = ruleOf("admin", { action: "deny" }, [onPath("/admin")]);
export const WATCH = ruleOf("watch", { action: "log" }, [onPath("/watch")]);
export const ROLE = ruleOf("role", { action: "deny" }, [{ type: "body", key: "role", op: "eq", value: "admin" }]);
export const limited = (id: string, condition: Condition): Rule => {
  const rateLimit: Mitigation["rateLimit"] = { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"] };
  return ruleOf(id, { action: "rate_limit", rateLimit }, [condition]);
};

interface Options {
  /** Null: the gate has no bundle. */
  readonly rules?: readonly Rule[] | null;
  readonly policy?: GatePolicy;
  readonly isDetectOnly?: boolean;
  readonly store?: CounterStore | null;
}

export async function openGate({
  rules = [ADMIN, WATCH],
  policy = CLOSED,
  isDetectOnly = false,
  store = null,
}: Options = {}) {
  const project = createProject({ team: "acme", project: "shop" });
  const bundle = {
    ownerId: "team",
    projectId: "shop",
    configuration: { version: 3, ...configurationOf({ rules: rules ?? [] }) },
    attackMode: { isEnabled: false, activeUntil: null },
    bypasses: [],
    bypassRules: [],
    challengeKeys: [],
  };
  if (rules) project.protection = await compileProtection(bundle, 0);
  const told: (readonly [project: string | null, target: string | null, decision: GateDecision, tookMs: number])[] = [];
  const failed: unknown[] = [];
  let bodiesReadBefore = 0;
  const decider = createDecider({
    hosts: createHostMap([{ host: "shop.test", project }]),
    policy,
    isDetectOnly: () => isDetectOnly,
    hasPassed: () => false,
    counting: createCounting(store),
    ja4Header: null,
    findGeo: () => ({}),
    observer: {
      decided: (of, request, ...rest) => void told.push([of?.name ?? null, request?.target ?? null, ...rest]),
      failed: (_project, _request, error) => void failed.push(error),
      bodyWasRead: () => void bodiesReadBefore++,
    },
    clock: () => 0,
  });
  const requestOf = (target: string, host = "shop.test"): GateRequest => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return { method: "POST", scheme: "https", host, target, headers, ip: "192.0.2.1" };
  };
  /** With a body the gate has a way to read it. */
  async function ask(target: string, body?: PeekedBody) {
    let isRead = false;
    const readBody = async () => {
      isRead = true;
      return body as PeekedBody;
    };
    const decision = await decider.decide(requestOf(target), body === undefined ? undefined : readBody);
    return { isRead, decision, said: wordsOf(decision) };
  }
  return { project, decider, told, failed, requestOf, ask, bodiesReadBefore: () => bodiesReadBefore };
}

/** How a decision reads: `deny 403 role error`. */
export function wordsOf({ action, status, by, reason, wouldBe }: GateDecision): string {
  return [action, status, by?.id, reason, wouldBe && `would=${wouldBe}`].filter((part) => part ?? false).join(" ");
}

/** The body of a form. */
export const form = (text: string) => Buffer.from(text);
