// The words of plain requests for rules: how a sentence is cut into them, and what they mean.
import type { ConditionType, Operator } from "../../evaluator/config.ts";

export interface Word {
  readonly text: string;
  readonly lower: string;
  /** It stood in quotation marks, and so is a value whatever it says. */
  readonly isQuoted: boolean;
}

const WORD = /"([^"]*)"|'([^']*)'|`([^`]*)`|\d{1,3}(?:,\d{3})+(?![\w.,/])|[,;]|[^\s,;"`]+/g;

/** `100/minute` */
const RATE = /(?<![\w/.-])(\d[\d,]*)\/([a-z]+)(?![\w/])/gi;

/** The words of a sentence; a comma is one, a full stop at the end and a colon behind a word are none. */
export function splitWords(sentence: string): Word[] {
  const found = sentence
    .trim()
    .replace(/[.!?]+$/, "")
    .replaceAll(RATE, "$1 per $2")
    .matchAll(WORD);
  return [...found].map(([whole, ...quoted]) => {
    const inner = quoted.find((part) => part !== undefined);
    const text = inner ?? whole.replace(/^([A-Za-z-]+):$/, "$1");
    return { text, lower: text.toLowerCase(), isQuoted: inner !== undefined };
  });
}

/** The phrase of a table that the words begin with, from `at` on: its meaning, and how many words it has. */
export function findPhrase<T>(
  table: readonly (readonly [string, T])[],
  words: readonly Word[],
  at: number,
): { readonly meaning: T; readonly length: number } | undefined {
  for (const [phrase, meaning] of table) {
    const parts = phrase.split(" ");
    if (parts.every((part, index) => words[at + index]?.lower === part && !words[at + index]?.isQuoted)) {
      return { meaning, length: parts.length };
    }
  }
  return undefined;
}

/** Longer phrases first, or the shorter one would be found in them. */
function phrases<T>(table: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(table).toSorted(([one], [other]) => other.split(" ").length - one.split(" ").length);
}

export type Verb = "deny" | "challenge" | "log" | "bypass" | "rate_limit" | "redirect";

export const VERBS = phrases<Verb>({
  block: "deny",
  deny: "deny",
  reject: "deny",
  forbid: "deny",
  refuse: "deny",
  ban: "deny",
  disallow: "deny",
  challenge: "challenge",
  log: "log",
  record: "log",
  monitor: "log",
  allow: "bypass",
  bypass: "bypass",
  permit: "bypass",
  "let through": "bypass",
  "rate limit": "rate_limit",
  "rate-limit": "rate_limit",
  throttle: "rate_limit",
  limit: "rate_limit",
  redirect: "redirect",
});

/** What a condition may be about; `usual` is the operator when the sentence names none. */
export interface Subject {
  readonly type: ConditionType;
  readonly usual: Operator;
  readonly hasKey?: true;
}

const same = (type: ConditionType): Subject => ({ type, usual: "eq" });
const PATH: Subject = { type: "path", usual: "pre" };
const USER_AGENT: Subject = { type: "user_agent", usual: "sub" };
const keyed = (type: ConditionType): Subject => ({ type, usual: "ex", hasKey: true });

export const SUBJECTS = phrases<Subject>({
  path: PATH,
  paths: PATH,
  url: PATH,
  urls: PATH,
  "user agent": USER_AGENT,
  "user agents": USER_AGENT,
  "user-agent": USER_AGENT,
  "user-agents": USER_AGENT,
  ip: same("ip_address"),
  ips: same("ip_address"),
  "ip address": same("ip_address"),
  "ip addresses": same("ip_address"),
  address: same("ip_address"),
  addresses: same("ip_address"),
  network: same("ip_address"),
  networks: same("ip_address"),
  country: same("geo_country"),
  countries: same("geo_country"),
  continent: same("geo_continent"),
  city: same("geo_city"),
  asn: same("geo_as_number"),
  "as number": same("geo_as_number"),
  host: same("host"),
  hosts: same("host"),
  hostname: same("host"),
  domain: same("host"),
  domains: same("host"),
  method: same("method"),
  methods: same("method"),
  header: keyed("header"),
  cookie: keyed("cookie"),
  "query parameter": keyed("query"),
  query: keyed("query"),
  parameter: keyed("query"),
  ja3: same("ja3_digest"),
  ja4: same("ja4_digest"),
  scheme: same("scheme"),
  environment: same("environment"),
});

export const OPERATIONS = phrases<Operator>({
  is: "eq",
  are: "eq",
  "=": "eq",
  equals: "eq",
  "equal to": "eq",
  exactly: "eq",
  "is exactly": "eq",
  equal: "eq",
  "start with": "pre",
  "begin with": "pre",
  "end with": "suf",
  contain: "sub",
  match: "re",
  exist: "ex",
  "starts with": "pre",
  "starting with": "pre",
  "begins with": "pre",
  "beginning with": "pre",
  under: "pre",
  below: "pre",
  "ends with": "suf",
  "ending with": "suf",
  "ending in": "suf",
  contains: "sub",
  containing: "sub",
  including: "sub",
  matches: "re",
  matching: "re",
  exists: "ex",
});

/** Whether more than the next condition may be meant: what follows `except` can be a list of anything. */
export const NEGATIONS = phrases<"not" | "is not" | "except">({
  not: "not",
  "does not": "not",
  "do not": "not",
  "doesn't": "not",
  "is not": "is not",
  "are not": "is not",
  "isn't": "is not",
  without: "not",
  outside: "not",
  "outside of": "not",
  except: "except",
  "except for": "except",
  excluding: "except",
  unless: "except",
  "other than": "except",
});

/** Words for whatever comes; without a condition they mean all requests. */
export const EVERYTHING: ReadonlySet<string> = new Set("all any every everything everyone everybody anyone".split(" "));

/** Words that say nothing about which requests are meant. */
export const FILLERS: ReadonlySet<string> = new Set(
  (
    "a an the to from on in at of for with by that which whose where when if has have having coming come using use " +
    "sent send requests request traffic visitors visitor clients client users user people calls call access accessing " +
    "hits hitting its their please rule create add make me i we want would like should must must be"
  ).split(" "),
);
