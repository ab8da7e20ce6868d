// Parses the action of a rule.
import { ACTION_DURATIONS, RULE_ACTIONS } from "../evaluator/config.ts";
import type { Mitigation, RateLimit, RuleAction } from "../evaluator/config.ts";
import { bool, choice, addError, integer, list, nullable, object, optional, required, text } from "./parse-rules.ts";
import type { Parse } from "./parse-rules.ts";

/** The stored action has more members than the evaluator reads. */
export interface StoredMitigation extends Mitigation {
  readonly logHeaders?: string | readonly string[] | null;
}

const HEADER_NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}";
const headerName = text({ max: 256, pattern: new RegExp(`^${HEADER_NAME}$`), what: "the name of a header" });

/** Parses `"*"`, a header name or a list of names. One name becomes a list: `"*"` is the only string that clients read. */
export const parseLogHeaders: Parse<string | string[]> = (value, at, context) => {
  if (Array.isArray(value)) return list(headerName, { max: 100, what: "names" })(value, at, context);
  return value === "*" ? value : [headerName(value, at, context)];
};

const LIMIT_KEY = new RegExp(
  `^(?:ip|ja3|ja4|host|path|method|user_agent|geo_country|geo_as_number|header:${HEADER_NAME}|(?:cookie|query):[^\\s]{1,256})$`,
);

const limitKey = text({
  max: 264,
  pattern: LIMIT_KEY,
  what: "ip, ja3, ja4, host, path, method, user_agent, geo_country, geo_as_number, header:<name>, cookie:<name> or query:<name>",
});

const exceeded = nullable(choice(["log", "challenge", "deny", "rate_limit", "bypass", ""]));

const parseRateLimit = object<RateLimit>({
  algo: required(choice(["fixed_window", "token_bucket"])),
  window: required(integer(10, 3_600)),
  limit: required(integer(1, 10_000_000)),
  keys: required(list(limitKey, { min: 1, max: 10, what: "keys" })),
  // One client sends the empty text for "not set" and reads null alike. Other clients do not read the empty text.
  action: optional((value, at, context) => exceeded(value, at, context) || null),
});

const parseRedirect = object<NonNullable<Mitigation["redirect"]>>({
  location: required(
    // Printable ASCII alone: no header holds anything else.
    text({
      max: 2_048,
      pattern: /^(?:\/|https?:\/\/)[!-~]*$/i,
      what: "a URL that begins with /, http:// or https://, in ASCII (percent-encode other characters)",
    }),
  ),
  permanent: required(bool),
});

const HOLDING: ReadonlySet<RuleAction> = new Set(["deny", "challenge", "rate_limit"]);

/** Members that belong to one action, which requires them: the member, the action, and a value as JSON. */
const OF_ONE_ACTION = [
  ["rateLimit", "rate_limit", '{"algo":"fixed_window","window":60,"limit":100,"keys":["ip"]}'],
  ["redirect", "redirect", '{"location":"/closed","permanent":false}'],
] as const;

const parseMitigation = object<StoredMitigation>(
  {
    action: required(choice(RULE_ACTIONS)),
    rateLimit: optional(nullable(parseRateLimit)),
    redirect: optional(nullable(parseRedirect)),
    actionDuration: optional(nullable(choice(ACTION_DURATIONS))),
    bypassSystem: optional(nullable(bool)),
    logHeaders: optional(nullable(parseLogHeaders)),
  },
  (mitigation, at, context, isValid) => {
    if (!isValid("action")) return;
    const { action, actionDuration, bypassSystem } = mitigation;
    for (const [member, owner, example] of OF_ONE_ACTION) {
      const isGiven = !isValid(member) || (mitigation[member] ?? null) !== null;
      if (isGiven && action !== owner) addError(context, `${at}.${member}`, `expected only with the action ${owner}`);
      if (!isGiven && action === owner) {
        addError(context, `${at}.${member}`, `is required with the action ${owner}, such as ${example}`);
      }
    }
    if (actionDuration && !HOLDING.has(action)) {
      addError(context, `${at}.actionDuration`, "expected only with the actions deny, challenge and rate_limit");
    }
    if (bypassSystem && action !== "bypass")
      addError(context, `${at}.bypassSystem`, "expected only with the action bypass");
  },
);

/** Parses the member `action` of a rule. */
export const parseAction = object<{ mitigate?: StoredMitigation }>({ mitigate: optional(parseMitigation) });
