// What is known of one request, as it comes in.
import type { ConditionGroup } from "../config.ts";

export interface RequestAttributes {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly ip?: string;
  readonly protocol?: string;
  readonly geo?: {
    readonly continent?: string;
    readonly country?: string;
    readonly region?: string;
    readonly city?: string;
    readonly asNumber?: string | number;
  };
  readonly ja3?: string;
  readonly ja4?: string;
  readonly region?: string;
  readonly environment?: string;
  readonly domainEnvironment?: string;
  readonly route?: string;
  readonly targetPath?: string;
  readonly serverAction?: string;
  readonly rateLimitApiId?: string;
  readonly bot?: {
    readonly name?: string;
    readonly category?: string;
    readonly status?: string;
    readonly protection?: string;
  };
  readonly trafficSource?: string;
  readonly trustedSource?: string;
  readonly rulesets?: readonly string[];
  readonly body?: string;
}

/** What of a project, beside its configuration, has a say. */
export interface Surroundings {
  readonly isAttackMode: boolean;
  readonly bypasses: readonly Bypass[];
  readonly bypassRules?: readonly BypassRule[];
}

export interface Bypass {
  /** A name, `*.example.com` or `*`; null: the whole project. */
  readonly domain: string | null;
  /** An address or a network; null: all sources. */
  readonly ip: string | null;
}

export interface BypassRule {
  /** A name, `*.example.com` or `*`. */
  readonly domain: string;
  readonly conditionGroup: readonly ConditionGroup[];
}
