// Host patterns of configurations and bypasses: a whole name, `*.example.com` for every name below it, or `*` for all.

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const NAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`, "i");
export const MAX_HOST_NAME = 253;

export function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_NAME && NAME.test(text);
}

export function isHostPattern(text: string): boolean {
  return text === "*" || isHostName(text.startsWith("*.") ? text.slice(2) : text);
}

export type HostSpecificity = "whole" | "below" | "all";

export interface HostPattern {
  readonly specificity: HostSpecificity;
  /** Whether the pattern matches a host in lower case; undefined: the host is unknown. */
  matches(host: string | undefined): boolean;
}

/** Accepts any text. A text that is not a pattern matches no host. */
export function compileHostPattern(pattern: string): HostPattern {
  const lower = pattern.toLowerCase();
  if (lower === "*") return { specificity: "all", matches: () => true };
  if (!lower.startsWith("*.")) return { specificity: "whole", matches: (host) => host === lower };
  const suffix = lower.slice(1);
  return {
    specificity: "below",
    matches: (host) => host !== undefined && host.length > suffix.length && host.endsWith(suffix),
  };
}
