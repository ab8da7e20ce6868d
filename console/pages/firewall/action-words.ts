// What actions of rules, decisions of gates and managed sets are called.
export const ACTION_NAMES = {
  deny: "Deny",
  challenge: "Challenge",
  rate_limit: "Limit",
  log: "Log",
  redirect: "Redirect",
  bypass: "Bypass",
};
export const DECISION_NAMES = {
  allow: "allowed",
  deny: "denied",
  challenge: "challenged",
  redirect: "redirected",
  rate_limit: "limited",
  bypass: "bypassed",
  log: "logged",
};
export const SET_NAMES = {
  bot_protection: "Programs that are no browsers",
  bot_filter: "Crawlers of search, archives and scanners",
  ai_bots: "Crawlers for AI",
  traffic_sources: "Sources of traffic",
  vercel_ruleset: "The hosted service’s own rules",
  owasp: "OWASP core rules",
};
