// Which project protects a host.
import { compileHostPattern } from "../firewall/evaluator/request/host-pattern.ts";
import type { HostPattern } from "../firewall/evaluator/request/host-pattern.ts";
import { hostOf } from "../firewall/evaluator/request/url.ts";

/** A project as the operator names it. */
export interface ProjectReference {
  /** Slug or id of the team; null: what the API key belongs to. */
  readonly team: string | null;
  readonly project: string;
}

export function projectKey({ team, project }: ProjectReference): string {
  return `${team ?? ""}/${project}`;
}

export interface HostMap<P> {
  /** The project of a `Host` header; undefined: this gate has none for it. */
  find(host: string): P | undefined;
}

/** A client chooses its `Host`, so the number of remembered ones is bounded. */
const MAX_REMEMBERED = 1_000;
const RANKS: Readonly<Record<HostPattern["specificity"], number>> = { whole: 0, below: 1, all: 2 };

/** The most exact pattern wins: a whole name, then the longest `*.name`, then `*`. */
export function createHostMap<P>(entries: readonly { readonly host: string; readonly project: P }[]): HostMap<P> {
  const patterns = entries
    .map(({ host, project }) => ({ host, pattern: compileHostPattern(host), project }))
    .toSorted((a, b) => RANKS[a.pattern.specificity] - RANKS[b.pattern.specificity] || b.host.length - a.host.length);
  const known = new Map<string, P | undefined>();
  return {
    find(host) {
      if (known.has(host)) return known.get(host);
      const name = hostOf(host);
      const project = patterns.find(({ pattern }) => pattern.matches(name))?.project;
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(host, project);
      return project;
    },
  };
}
