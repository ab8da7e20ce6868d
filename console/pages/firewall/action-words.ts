// What actions of rules and decisions of gates are called.
export const ACTION_VERBS = {
  deny: "refuses",
  challenge: "challenges",
  rate_limit: "limits",
  redirect: "redirects",
  bypass: "lets past",
  log: "logs",
};
export const DECISION_NAMES = {
  allow: "allowed",
  deny: "denied",
  challenge: "challenged",
  redirect: "redirected",
  rate_limit: "limited",
  bypass: "let past",
  log: "logged",
};
