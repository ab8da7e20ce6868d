// A bundle, ready to decide by. What ends by itself (attack challenge mode, entries of the bypass list) ends by the gate's clock.
import type { Bundle } from "../evaluator/bundle.ts";
import type { Configuration } from "../evaluator/config.ts";
import type { Counters } from "../evaluator/counters.ts";
import type { Decision, Explanation } from "../evaluator/decision.ts";
import { compileConfiguration, decide } from "../evaluator/evaluator.ts";
import { explain } from "../evaluator/explain.ts";
import { compileProtectionContext } from "../evaluator/protection-context.ts";
import type { CompiledProtectionContext } from "../evaluator/protection-context.ts";
import type { RequestAttributes } from "../evaluator/request/attributes.ts";
import { compileVerifiedBots } from "./bots/verified-bots.ts";
import type { VerifiedBots } from "./bots/verified-bots.ts";
import { compileNamedLimits } from "./rate-limit-api/named-limits.ts";
import type { NamedLimits } from "./rate-limit-api/named-limits.ts";

export interface Protection {
  readonly bundle: Bundle;
  /** Whether the configuration is on, or attack challenge mode. */
  decide(attributes: RequestAttributes, counters: Counters, now: number): Decision;
  /** The same decision with its steps; counts too. */
  explain(attributes: RequestAttributes, counters: Counters, now: number): Explanation;
  /** The rules that applications ask about by id. */
  readonly namedLimits: NamedLimits;
  readonly bots: VerifiedBots;
}

/** Without an active configuration nothing but attack challenge mode applies. */
const NO_CONFIGURATION: Configuration = { firewallEnabled: false, rules: [], ips: [] };

interface TimedContext {
  readonly context: CompiledProtectionContext;
  /** ms; from then on, and before `from`, the context is another one. */
  readonly until: number;
  readonly from: number;
}

function contextAt({ attackMode, bypasses, bypassRules }: Bundle, now: number): TimedContext {
  const isOn = attackMode.isEnabled && (attackMode.activeUntil === null || attackMode.activeUntil > now);
  const current = bypasses.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
  const ends = [attackMode.activeUntil, ...bypasses.map(({ expiresAt }) => expiresAt)];
  const ahead = ends.filter((end) => end !== null && end > now) as number[];
  return {
    context: compileProtectionContext({ isAttackMode: isOn, bypasses: current, bypassRules }),
    until: ahead.reduce((first, end) => Math.min(first, end), Infinity),
    from: now,
  };
}

/** Throws when the configuration cannot be compiled. */
export function compileProtection(bundle: Bundle, now: number): Protection {
  const compiled = compileConfiguration(bundle.configuration ?? NO_CONFIGURATION);
  let timed = contextAt(bundle, now);

  function currentContext(at: number): CompiledProtectionContext {
    if (at >= timed.until || at < timed.from) timed = contextAt(bundle, at);
    return timed.context;
  }

  let namedLimits: NamedLimits | undefined;
  let bots: VerifiedBots | undefined;

  return {
    bundle,
    // Few applications ask, so that it is compiled with the first question.
    get namedLimits() {
      return (namedLimits ??= compileNamedLimits(bundle.configuration ?? NO_CONFIGURATION));
    },
    get bots() {
      return (bots ??= compileVerifiedBots(bundle.bots ?? []));
    },
    decide: (attributes, counters, at) => decide(compiled, currentContext(at), attributes, counters, at),
    explain: (attributes, counters, at) => explain(compiled, currentContext(at), attributes, counters, at),
  };
}
