// A bundle, ready to decide by. What ends by itself (attack challenge mode, entries of the bypass list) ends by the gate's clock.
import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { warmUpBodies } from "../firewall/evaluator/body/warm-up.ts";
import type { Bundle } from "../firewall/evaluator/bundle.ts";
import { needsBody } from "../firewall/evaluator/condition.ts";
import type { Preparation } from "../firewall/evaluator/condition.ts";
import type { Configuration } from "../firewall/evaluator/config.ts";
import type { Counters, LocalCounters } from "../firewall/evaluator/counters.ts";
import type { Decision, Explanation } from "../firewall/evaluator/decision.ts";
import { compileConfiguration, decide } from "../firewall/evaluator/evaluator.ts";
import { explain } from "../firewall/evaluator/explain.ts";
import { compileBypassRules, compileProtectionContext } from "../firewall/evaluator/protection-context.ts";
import type { CompiledBypassRules, CompiledProtectionContext } from "../firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../firewall/evaluator/request/attributes.ts";
import { RequestView } from "../firewall/evaluator/request/request.ts";
import { withTimeLimit } from "../firewall/evaluator/time-limit.ts";
import { compileVerifiedBots } from "./bot-verification/verified-bots.ts";
import type { VerifiedBots } from "./bot-verification/verified-bots.ts";
import { compileNamedLimits } from "./rate-limit-api/named-limits.ts";
import type { NamedLimits } from "./rate-limit-api/named-limits.ts";
import { watchRules } from "./watched-rules.ts";
import type { WatchedConfiguration } from "./watched-rules.ts";

export interface Protection {
  readonly bundle: Bundle;
  /** Whether rules may decide by the body of this request. Throws a `TimeLimitError` as `decide` does. */
  needsBody(attributes: RequestAttributes, now: number): boolean;
  /**
   * The rule that decides by the body of this request, of those that do more than to log: `the rule "Bodies"`. Null: none does. Bypass
   * rules are none: what they cannot read is challenged.
   */
  findBodyReader(attributes: RequestAttributes): string | null;
  /** Throws a `TimeLimitError` after about 5 ms. */
  decide(attributes: RequestAttributes, counters: Counters, now: number): Decision;
  /** The same decision with its steps, within the same time; counts too. */
  explain(attributes: RequestAttributes, counters: LocalCounters, now: number): Explanation;
  /** The rules that applications ask about by id. */
  readonly namedLimits: NamedLimits;
  readonly bots: VerifiedBots;
  /** What the rules that are only watched would do, by their ids. */
  readonly watched: WatchedConfiguration["watched"];
}

/** Without an active configuration nothing but attack challenge mode applies. */
const NO_CONFIGURATION: Configuration = { firewallEnabled: false, rules: [], ips: [] };

interface TimedContext {
  readonly context: CompiledProtectionContext;
  /** ms; from then on, and before `from`, the context is another one. */
  readonly until: number;
  readonly from: number;
}

function contextAt({ attackMode, bypasses }: Bundle, rules: CompiledBypassRules, now: number): TimedContext {
  const isOn = attackMode.isEnabled && (attackMode.activeUntil === null || attackMode.activeUntil > now);
  const current = bypasses.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const ends = [attackMode.activeUntil, ...bypasses.map(({ expiresAt }) => expiresAt)];
  const ahead = ends.filter((end) => end !== null && end > now) as number[];
  return {
    context: compileProtectionContext({ isAttackMode: isOn, bypasses: current }, rules),
    until: ahead.reduce((first, end) => Math.min(first, end), Infinity),
    from: now,
  };
}

/** Time for expressions between two turns of the event loop. */
const SLICE_MS = 5;

async function runInSlices(preparations: readonly Preparation[]): Promise<void> {
  let startedAt = performance.now();
  for (const prepare of preparations) {
    if (performance.now() - startedAt > SLICE_MS) {
      await setImmediate();
      startedAt = performance.now();
    }
    try {
      prepare();
    } catch {
      // Requests that need this expression fail, and their policy applies; all others are decided.
    }
  }
}

/** Compiles all expressions beforehand, so that no request waits for that; `isWatched` chooses rules by their ids. Rejects when the configuration cannot be compiled. */
export async function compileProtection(
  bundle: Bundle,
  now: number,
  isWatched: (id: string) => boolean = () => false,
): Promise<Protection> {
  const { configuration, watched } = watchRules(bundle.configuration ?? NO_CONFIGURATION, isWatched);
  const compiled = compileConfiguration(configuration);
  const rules = compileBypassRules(bundle.bypassRules);
  await runInSlices([...compiled.preparations, ...rules.preparations]);
  let timed = contextAt(bundle, rules, now);

  function currentContext(at: number): CompiledProtectionContext {
    if (at >= timed.until || at < timed.from) timed = contextAt(bundle, rules, at);
    return timed.context;
  }

  const { beforeBody } = compiled;
  const readsBodies = beforeBody.length > 0 || rules.readsBodies;
  if (readsBodies) await warmUpBodies();

  const bots = compileVerifiedBots(bundle.bots ?? []);
  let namedLimits: NamedLimits | undefined;

  return {
    bundle,
    bots,
    watched,
    // Few applications ask, so that it is compiled with the first question.
    get namedLimits() {
      return (namedLimits ??= compileNamedLimits(configuration));
    },
    needsBody: (attributes, at) =>
      readsBodies &&
      withTimeLimit(() => {
        const request = new RequestView(attributes);
        return needsBody(beforeBody, request) || currentContext(at).needsBody(request);
      }),
    findBodyReader: (attributes) =>
      withTimeLimit(() => {
        const request = new RequestView(attributes);
        const rule = compiled.decidingByBody.find(({ before }) => needsBody(before, request));
        return rule ? `the rule ${JSON.stringify(rule.name)}` : null;
      }),
    decide: (attributes, counters, at) =>
      withTimeLimit(() => decide(compiled, currentContext(at), attributes, counters, at)),
    explain: (attributes, counters, at) =>
      withTimeLimit(() => explain(compiled, currentContext(at), attributes, counters, at)),
  };
}
