// A firewall configuration with something of everything that all releases of the SDK read, and every change that
// `updateFirewallConfig` takes, with what it makes of that configuration.
import type { Body } from "../../harness/test-app.ts";

const ON_PATH = [{ conditions: [{ type: "path", op: "pre", neg: false, key: "", value: "/admin" }] }];

export const FULL_CONFIG: Body = {
  firewallEnabled: true,
  crs: { sqli: { active: true, action: "deny" }, xss: { active: true, action: "log" } },
  managedRules: {
    bot_protection: { active: true, action: "challenge" },
    ai_bots: { active: true, action: "deny" },
    owasp: { active: true },
  },
  rules: [
    {
      id: "rule_admin",
      name: "Block admin",
      description: "Nobody but us",
      active: true,
      conditionGroup: [
        ...ON_PATH,
        {
          conditions: [
            { type: "geo_country", op: "inc", neg: true, value: ["DE", "FR"] },
            { type: "header", op: "ex", key: "x-probe" },
            { type: "geo_as_number", op: "eq", value: "64500" },
          ],
        },
      ],
      action: {
        mitigate: { action: "deny", rateLimit: null, redirect: null, actionDuration: "1h", bypassSystem: null },
      },
    },
    {
      id: "rule_limit",
      name: "Limit API",
      active: false,
      conditionGroup: [{ conditions: [{ type: "path", op: "re", value: "^/api/" }] }],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "token_bucket", window: 60, limit: 100, keys: ["ip", "header:x-key"], action: null },
          redirect: null,
          actionDuration: null,
          logHeaders: ["x-key"],
        },
      },
    },
    {
      id: "rule_away",
      name: "Away",
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/old" }] }],
      action: { mitigate: { action: "redirect", redirect: { location: "/new", permanent: true } } },
    },
    {
      id: "rule_pass",
      name: "Pass",
      active: true,
      conditionGroup: [{ conditions: [{ type: "query", op: "eq", key: "key", value: "ä€😀" }] }],
      action: { mitigate: { action: "bypass", bypassSystem: true } },
    },
  ],
  ips: [
    { id: "ip_net", hostname: "*", ip: "192.0.2.0/24", notes: "A net", action: "deny" },
    { id: "ip_one", hostname: "a.example.com", ip: "2001:db8::1", action: "bypass" },
  ],
  botIdEnabled: true,
  logHeaders: ["x-key"],
  conditions: [{ id: "sc_1", name: "Shared", active: true, conditionGroup: ON_PATH }],
  rulesets: { set_1: { action: "deny" } },
};

const DENY: Body = { name: "New", active: true, conditionGroup: ON_PATH, action: { mitigate: { action: "deny" } } };
const LIMIT: Body = {
  ...DENY,
  action: {
    mitigate: {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 10, limit: 1, keys: ["ip"], action: "deny" },
      actionDuration: "5m",
    },
  },
};
const REDIRECT: Body = {
  ...DENY,
  action: { mitigate: { action: "redirect", redirect: { location: "https://example.com/", permanent: false } } },
};
const ENTRY: Body = { hostname: "b.example.com", ip: "198.51.100.0/28", notes: "New", action: "challenge" };

const OFF = { active: false, action: "log" };

interface Change {
  readonly body: Body;
  /** Makes the same change of the content of `FULL_CONFIG`. */
  make(content: Body): void;
  /** Changes nothing. */
  readonly isSilent?: true;
}

const setEnabled = (value: boolean): Change => ({
  body: { action: "firewallEnabled", value },
  make: (content) => (content.firewallEnabled = value),
  ...(value && { isSilent: true }),
});
const insertRule = (value: Body): Change => ({
  body: { action: "rules.insert", value },
  make: ({ rules }) => rules.push({ id: "new", ...value }),
});
const insertEntry = (value: Body): Change => ({
  body: { action: "ip.insert", value },
  make: ({ ips }) => ips.push({ id: "new", ...value }),
});
const DISABLE_CRS: Change = {
  body: { action: "crs.disable" },
  make: ({ crs }) => Object.keys(crs).forEach((name) => (crs[name] = OFF)),
};

export const CHANGES: readonly Change[] = [
  setEnabled(false),
  setEnabled(true),
  insertRule(DENY),
  insertRule(LIMIT),
  insertRule(REDIRECT),
  {
    body: { action: "rules.update", id: "rule_away", value: LIMIT },
    make: ({ rules }) => (rules[2] = { id: "rule_away", ...LIMIT }),
  },
  { body: { action: "rules.remove", id: "rule_admin" }, make: ({ rules }) => rules.shift() },
  { body: { action: "rules.remove", id: "rule_admin", value: null }, make: ({ rules }) => rules.shift() },
  { body: { action: "rules.priority", id: "rule_pass", value: 0 }, make: ({ rules }) => rules.unshift(rules.pop()) },
  {
    body: { action: "crs.update", id: "rce", value: { active: true, action: "deny" } },
    make: ({ crs }) => (crs.rce = { active: true, action: "deny" }),
  },
  DISABLE_CRS,
  insertEntry(ENTRY),
  {
    body: { action: "ip.update", id: "ip_net", value: ENTRY },
    make: ({ ips }) => (ips[0] = { id: "ip_net", ...ENTRY }),
  },
  { body: { action: "ip.remove", id: "ip_net" }, make: ({ ips }) => ips.shift() },
  {
    body: { action: "managedRules.update", id: "ai_bots", value: { active: false, action: "log" } },
    make: ({ managedRules }) => (managedRules.ai_bots = { active: false, action: "log" }),
  },
  {
    body: { action: "managedRules.update", id: "bot_filter", value: { active: true, action: "challenge" } },
    make: ({ managedRules }) => (managedRules.bot_filter = { active: true, action: "challenge" }),
  },
  {
    body: { action: "managedRuleGroup.update", id: "ai_bots", value: { crawlers: { active: true, action: "deny" } } },
    make: ({ managedRules }) => (managedRules.ai_bots.ruleGroups = { crawlers: { active: true, action: "deny" } }),
  },
  {
    body: { action: "managedRuleGroup.update", id: "owasp", value: { java: { active: true, action: "deny" } } },
    make: ({ crs }) => (crs.java = { active: true, action: "deny" }),
  },
  { body: { action: "botId.toggle", value: false }, make: (content) => (content.botIdEnabled = false) },
  { body: { action: "logHeaders.update", value: "*" }, make: (content) => (content.logHeaders = "*") },
  { body: { action: "logHeaders.update", value: ["x-a"] }, make: (content) => (content.logHeaders = ["x-a"]) },
];

/** Those without an id, and what the newest release makes of them when `id` is null all the same. */
export const IDLESS_CHANGES: readonly (Change & { readonly newest: "made" | "unsent" | "refused" })[] = [
  { ...setEnabled(false), newest: "unsent" },
  { ...insertRule(DENY), newest: "made" },
  { ...insertRule(LIMIT), newest: "unsent" },
  { ...insertRule(REDIRECT), newest: "unsent" },
  { ...DISABLE_CRS, newest: "made" },
  // It sends the entry's action alone.
  { ...insertEntry(ENTRY), newest: "refused" },
];
