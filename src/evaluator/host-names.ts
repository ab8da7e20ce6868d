// Names of hosts in a configuration: a whole one, `*.example.com` for every name below it, or `*` for all.

export type HostSpecificity = "whole" | "below" | "all";

export interface HostName {
  readonly specificity: HostSpecificity;
  /** Whether a host (in lower case; undefined: unknown) is meant. */
  fits(host: string | undefined): boolean;
}

export function compileHostName(name: string): HostName {
  const lower = name.toLowerCase();
  if (lower === "*") return { specificity: "all", fits: () => true };
  if (!lower.startsWith("*.")) return { specificity: "whole", fits: (host) => host === lower };
  const suffix = lower.slice(1);
  return {
    specificity: "below",
    fits: (host) => host !== undefined && host.length > suffix.length && host.endsWith(suffix),
  };
}
