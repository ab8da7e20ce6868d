// What of a project, beside its configuration, has a say: attack challenge mode, and who is excepted from it.
import { NO_SHARED_CONDITIONS, compileGroups, isMatching } from "./condition.ts";
import type { Bypass, BypassRule, Surroundings } from "./request/attributes.ts";
import { compileHostPattern } from "./request/host-pattern.ts";
import type { HostPattern } from "./request/host-pattern.ts";
import { indexNetworks } from "./index/network-index.ts";
import type { RequestView } from "./request/request.ts";

export interface CompiledProtectionContext {
  readonly isAttackMode: boolean;
  /** The entry of the bypass list that fits a request, or else the bypass rule. */
  findBypass(request: RequestView): Bypass | BypassRule | undefined;
}

interface CompiledBypass {
  readonly source: Bypass;
  readonly host: HostPattern;
}

function compileBypass(source: Bypass): CompiledBypass {
  return { source, host: compileHostPattern(source.domain ?? "*") };
}

/** Bypasses of one network: by name where they name a host, since there may be thousands. */
function findAmong(bypasses: readonly CompiledBypass[]): (host: string | undefined) => Bypass | undefined {
  const isWhole = ({ host }: CompiledBypass) => host.specificity === "whole";
  const whole = new Map(bypasses.filter(isWhole).map(({ source }) => [source.domain?.toLowerCase(), source]));
  const others = bypasses.filter((bypass) => !isWhole(bypass));
  return (host) => whole.get(host) ?? others.find((bypass) => bypass.host.fits(host))?.source;
}

type FindRule = (request: RequestView, host: string | undefined) => BypassRule | undefined;

function compileRules(rules: readonly BypassRule[]): FindRule {
  const compiled = rules.map((source) => ({
    source,
    host: compileHostPattern(source.domain),
    groups: compileGroups(source.conditionGroup, NO_SHARED_CONDITIONS),
  }));
  return (request, name) => compiled.find(({ host, groups }) => host.fits(name) && isMatching(groups, request))?.source;
}

export function compileProtectionContext({
  isAttackMode,
  bypasses,
  bypassRules = [],
}: Surroundings): CompiledProtectionContext {
  const compiled = bypasses.map(compileBypass);
  const findForAll = findAmong(compiled.filter(({ source }) => source.ip === null));
  const networks = indexNetworks(
    compiled.flatMap((bypass) => (bypass.source.ip === null ? [] : [[bypass.source.ip, bypass] as const])),
    findAmong,
  );
  const findRule = compileRules(bypassRules);
  return {
    isAttackMode,
    findBypass(request) {
      const host = request.textOf("host");
      let found = findForAll(host);
      if (!found && request.address) {
        networks.visit(request.address, (find) => (found = find(host)) !== undefined);
      }
      return found ?? findRule(request, host);
    },
  };
}
