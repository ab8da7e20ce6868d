// The inputs of a decision besides the configuration: attack challenge mode, and the project's exceptions from it.
import { NO_SHARED_CONDITIONS, compileGroups, groupsBeforeBody, isMatching, preparationsOf } from "./condition.ts";
import type { CompiledGroup, Preparation } from "./condition.ts";
import type { ConditionGroup } from "./config.ts";
import { compileHostPattern } from "./request/host-pattern.ts";
import type { HostPattern } from "./request/host-pattern.ts";
import { indexNetworks } from "./index/network-index.ts";
import type { RequestView } from "./request/request.ts";

export interface ProtectionContext {
  readonly isAttackMode: boolean;
  readonly bypasses: readonly BypassEntry[];
  readonly bypassRules?: readonly BypassRule[];
}

export interface BypassEntry {
  /** A host name, `*.example.com` or `*`; null: the whole project. */
  readonly domain: string | null;
  /** An address or a network; null: any client. */
  readonly ip: string | null;
}

export interface BypassRule {
  /** A host name, `*.example.com` or `*`. */
  readonly domain: string;
  readonly conditionGroup: readonly ConditionGroup[];
}

export interface CompiledProtectionContext {
  readonly isAttackMode: boolean;
  /** The bypass entry that matches a request, else the bypass rule that matches it. */
  findBypass(request: RequestView): BypassEntry | BypassRule | undefined;
}

interface CompiledBypassEntry {
  readonly source: BypassEntry;
  readonly host: HostPattern;
}

function compileBypassEntry(source: BypassEntry): CompiledBypassEntry {
  return { source, host: compileHostPattern(source.domain ?? "*") };
}

/** Indexes the bypass entries of one network by host name: there may be thousands. */
function indexByHost(bypasses: readonly CompiledBypassEntry[]): (host: string | undefined) => BypassEntry | undefined {
  const isWhole = ({ host }: CompiledBypassEntry) => host.specificity === "whole";
  const whole = new Map(bypasses.filter(isWhole).map(({ source }) => [source.domain?.toLowerCase(), source]));
  const others = bypasses.filter((bypass) => !isWhole(bypass));
  return (host) => whole.get(host) ?? others.find((bypass) => bypass.host.matches(host))?.source;
}

export interface CompiledBypassRules {
  find(request: RequestView, host: string | undefined): BypassRule | undefined;
  readonly preparations: readonly Preparation[];
  /** For `needsBody`. */
  readonly beforeBody: readonly CompiledGroup[];
}

export function compileBypassRules(rules: readonly BypassRule[]): CompiledBypassRules {
  const compiled = rules.map((source) => ({
    source,
    host: compileHostPattern(source.domain),
    groups: compileGroups(source.conditionGroup, NO_SHARED_CONDITIONS),
  }));
  return {
    find: (request, name) =>
      compiled.find(({ host, groups }) => host.matches(name) && isMatching(groups, request))?.source,
    beforeBody: groupsBeforeBody(compiled.flatMap(({ groups }) => groups)),
    preparations: compiled.flatMap(({ groups }) => preparationsOf(groups)),
  };
}

export function compileProtectionContext(
  { isAttackMode, bypasses, bypassRules = [] }: ProtectionContext,
  rules = compileBypassRules(bypassRules),
): CompiledProtectionContext {
  const compiled = bypasses.map(compileBypassEntry);
  const findForAll = indexByHost(compiled.filter(({ source }) => source.ip === null));
  const networks = indexNetworks(
    compiled.flatMap((bypass) => (bypass.source.ip === null ? [] : [[bypass.source.ip, bypass] as const])),
    indexByHost,
  );
  return {
    isAttackMode,
    findBypass(request) {
      const host = request.textOf("host");
      let found = findForAll(host);
      if (!found && request.address) {
        networks.visit(request.address, (find) => (found = find(host)) !== undefined);
      }
      return found ?? rules.find(request, host);
    },
  };
}
