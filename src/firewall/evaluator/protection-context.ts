// The inputs of a decision besides the configuration: attack challenge mode, and the project's exceptions from it.
import {
  NO_SHARED_CONDITIONS,
  compileGroups,
  groupsBeforeBody,
  isGroupMatching,
  needsBody,
  preparationsOf,
  readBodies,
} from "./condition.ts";
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
  /** Whether the body decides if a bypass rule exempts the request: never outside of attack challenge mode. */
  needsBody(request: RequestView): boolean;
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
  /** Whether the body decides if a rule of this host matches. */
  needsBody(request: RequestView, host: string | undefined): boolean;
  readonly preparations: readonly Preparation[];
  /** Whether any rule reads bodies. */
  readonly readsBodies: boolean;
}

/** What a body that cannot be read holds is unknown, so no condition on it exempts a request. */
function isExempting(groups: readonly CompiledGroup[], request: RequestView): boolean {
  return groups.some(
    (group) => isGroupMatching(group, request) && !(readBodies([group]) && request.body.problem !== null),
  );
}

export function compileBypassRules(rules: readonly BypassRule[]): CompiledBypassRules {
  const compiled = rules.map((source) => {
    const groups = compileGroups(source.conditionGroup, NO_SHARED_CONDITIONS);
    return { source, host: compileHostPattern(source.domain), groups, before: groupsBeforeBody(groups) };
  });
  return {
    find: (request, name) =>
      compiled.find(({ host, groups }) => host.matches(name) && isExempting(groups, request))?.source,
    needsBody: (request, name) =>
      compiled.some(({ host, before }) => before.length > 0 && host.matches(name) && needsBody(before, request)),
    readsBodies: compiled.some(({ before }) => before.length > 0),
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
    needsBody: (request) => isAttackMode && rules.readsBodies && rules.needsBody(request, request.textOf("host")),
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
