// The members of a firewall configuration that the evaluator reads. Stored configurations have more.

export const CRS_CATEGORIES = ["sd", "ma", "lfi", "rfi", "rce", "php", "gen", "xss", "sqli", "sf", "java"] as const;
export type CrsCategory = (typeof CRS_CATEGORIES)[number];

/** Of a condition on `ruleset`: what prose and code in bodies set off in the core rule set. */
export const PROSE = "prose";

export const MANAGED_SETS = [
  "bot_protection",
  "bot_filter",
  "ai_bots",
  "traffic_sources",
  "vercel_ruleset",
  "owasp",
] as const;
export type ManagedSet = (typeof MANAGED_SETS)[number];

/** The package that enforces each managed set and category; null: the switch is stored, and nothing enforces it. */
export const ENFORCED_BY = {
  managedRules: {
    bot_protection: "crawler-user-agents",
    bot_filter: "crawler-user-agents",
    ai_bots: "crawler-user-agents",
    traffic_sources: null,
    vercel_ruleset: null,
    owasp: null,
  },
  crs: Object.fromEntries(CRS_CATEGORIES.map((name) => [name, null])) as Record<CrsCategory, null>,
} as const satisfies { readonly managedRules: Record<ManagedSet, string | null>; readonly crs: object };
export type EnforcedSet = {
  [Set in ManagedSet]: (typeof ENFORCED_BY.managedRules)[Set] extends string ? Set : never;
}[ManagedSet];

export const CONDITION_TYPES = [
  "host",
  "path",
  "method",
  "header",
  "query",
  "cookie",
  "body",
  "target_path",
  "route",
  "raw_path",
  "ip_address",
  "region",
  "protocol",
  "scheme",
  "environment",
  "domain_environment",
  "user_agent",
  "geo_continent",
  "geo_country",
  "geo_country_region",
  "geo_city",
  "geo_as_number",
  "ja4_digest",
  "ja3_digest",
  "rate_limit_api_id",
  "server_action",
  "bot_name",
  "bot_category",
  "bot_status",
  "bot_protection",
  "shared_condition",
  "traffic_source",
  "ruleset",
  "trusted_source",
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export const OPERATORS = [
  "re",
  "eq",
  "neq",
  "ex",
  "nex",
  "inc",
  "ninc",
  "pre",
  "suf",
  "sub",
  "gt",
  "gte",
  "lt",
  "lte",
  "list",
] as const;
export type Operator = (typeof OPERATORS)[number];

export const RULE_ACTIONS = ["log", "challenge", "deny", "bypass", "rate_limit", "redirect"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

export const ACTION_DURATIONS = ["1m", "5m", "15m", "30m", "1h"] as const;
export type ActionDuration = (typeof ACTION_DURATIONS)[number];

export interface Condition {
  readonly type: ConditionType;
  readonly op: Operator;
  readonly neg?: boolean;
  /** The name of the header, query parameter or cookie. */
  readonly key?: string;
  readonly value?: string | number | readonly (string | number)[];
}

export interface ConditionGroup {
  readonly conditions: readonly Condition[];
}

export interface RateLimit {
  readonly algo: "fixed_window" | "token_bucket";
  /** Seconds. */
  readonly window: number;
  readonly limit: number;
  readonly keys: readonly string[];
  readonly action?: "log" | "challenge" | "deny" | "rate_limit" | "bypass" | "" | null;
}

export interface Mitigation {
  readonly action: RuleAction;
  readonly rateLimit?: RateLimit | null;
  readonly redirect?: { readonly location: string; readonly permanent: boolean } | null;
  readonly actionDuration?: ActionDuration | null;
  readonly bypassSystem?: boolean | null;
}

export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly conditionGroup: readonly ConditionGroup[];
  readonly action: { readonly mitigate?: Mitigation };
}

export type IpAction = "deny" | "challenge" | "log" | "bypass";

export interface IpEntry {
  readonly id: string;
  readonly hostname: string;
  /** An address or a network. */
  readonly ip: string;
  readonly action: IpAction;
}

export interface SharedCondition {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly conditionGroup: readonly ConditionGroup[];
}

export interface CategorySwitch {
  readonly active: boolean;
  readonly action: "deny" | "log";
}

export interface ManagedSwitch {
  /** Switches of the set's rule groups by name. */
  readonly ruleGroups?: Readonly<
    Record<string, { readonly active: boolean; readonly action?: "log" | "challenge" | "deny" }>
  >;
  readonly active: boolean;
  readonly action?: "log" | "challenge" | "deny";
}

/** docs/firewall.md specifies what a configuration means. */
export interface Configuration {
  readonly firewallEnabled: boolean;
  readonly crs?: Readonly<Record<CrsCategory, CategorySwitch>> | null;
  readonly managedRules?: Readonly<Partial<Record<ManagedSet, ManagedSwitch>>>;
  readonly rules: readonly Rule[];
  readonly ips: readonly IpEntry[];
  readonly conditions?: readonly SharedCondition[];
}
