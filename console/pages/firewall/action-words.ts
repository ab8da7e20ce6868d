// What actions of rules and decisions of gates are called, and their signs.
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
