// Makes a rule of a plain request such as "block path /admin", by fixed forms; says so when a request has another one.
import type { ActionDuration, Condition, ConditionGroup, Mitigation, Rule } from "../../evaluator/config.ts";
import { readRule } from "./config-rules.ts";
import { LIMITS } from "./config-schema.ts";
import { NotUnderstood, readConditions } from "./generate-conditions-rules.ts";
import { FILLERS, VERBS, findPhrase, splitWords } from "./generate-words-rules.ts";
import type { Verb, Word } from "./generate-words-rules.ts";
import { newReading } from "./reading-rules.ts";

export interface GeneratedRule extends Omit<Rule, "id"> {
  /** The rule in words, as it was understood. */
  readonly description: string;
}

export type Generated = { readonly rule: GeneratedRule } | { readonly error: string };

const FORMS =
  'Say what to do (block, challenge, log, allow, "rate limit ... to 100 per minute by ip", "redirect ... to /new") and which ' +
  'requests are meant: "path /admin", "user agent curl", "ip 192.0.2.0/24", "country DE, FR", "host example.com", ' +
  '"method POST", "header x-debug is 1", joined by "and" or "or", each with "not" before it. For example: block path ' +
  "/admin and not country DE for 5 minutes.";

const NUMBER = /^\d{1,9}(?:,\d{3})*$/;
const numberOf = (text: string) => Number(text.replaceAll(",", ""));

// Maps: the words come from whoever asks, and an object knows some of its own.
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ second: 1, sec: 1, s: 1, minute: 60, min: 60, m: 60, hour: 3_600, hr: 3_600, h: 3_600 }),
);

/** Seconds of a unit of time. */
function unitOf(word: string | undefined): number | undefined {
  return word === undefined ? undefined : (UNITS.get(word) ?? UNITS.get(word.replace(/s$/, "")));
}

/** Cuts `length` words out from `at` on. */
function without(words: readonly Word[], at: number, length: number): Word[] {
  return [...words.slice(0, at), ...words.slice(at + length)];
}

function lowerAt(words: readonly Word[], at: number): string | undefined {
  const word = words[at];
  return word && !word.isQuoted ? word.lower : undefined;
}

const DURATIONS: Readonly<Record<number, ActionDuration>> = {
  60: "1m",
  300: "5m",
  900: "15m",
  1_800: "30m",
  3_600: "1h",
};

/** `for 5 minutes` */
function takeDuration(words: readonly Word[]): { readonly rest: readonly Word[]; readonly duration?: ActionDuration } {
  const at = words.findIndex((_, index) => lowerAt(words, index) === "for" && unitOf(lowerAt(words, index + 2)));
  const count = lowerAt(words, at + 1);
  if (at < 0 || count === undefined || !NUMBER.test(count)) return { rest: words };
  const seconds = numberOf(count) * (unitOf(lowerAt(words, at + 2)) as number);
  const duration = DURATIONS[seconds];
  if (!duration) throw new NotUnderstood(`a duration other than 1, 5, 15 or 30 minutes or 1 hour`);
  return { rest: without(words, at, 3), duration };
}

const COUNTED: ReadonlySet<string> = new Set(["requests", "request", "req", "calls", "hits", "times"]);
const PER: ReadonlySet<string> = new Set(["per", "a", "an", "each", "every", "/"]);

/** Limits are kept for at least so many seconds. */
const MIN_WINDOW = 10;

/** `to 100 requests per minute`, `to 5 per 10 seconds` */
function takeRate(words: readonly Word[]) {
  const at = words.findIndex(
    (_, index) => lowerAt(words, index) === "to" && NUMBER.test(lowerAt(words, index + 1) ?? ""),
  );
  if (at < 0) throw new NotUnderstood('how many requests: "to 100 per minute"');
  const limit = numberOf(lowerAt(words, at + 1) as string);
  let next = at + 2;
  if (COUNTED.has(lowerAt(words, next) ?? "")) next++;
  if (!PER.has(lowerAt(words, next) ?? "")) throw new NotUnderstood('how many requests: "to 100 per minute"');
  next++;
  const count = NUMBER.test(lowerAt(words, next) ?? "") ? numberOf(lowerAt(words, next++) as string) : 1;
  const unit = unitOf(lowerAt(words, next));
  if (unit === undefined) throw new NotUnderstood("a limit per anything but seconds, minutes or hours");
  const window = count * unit;
  const times = window < MIN_WINDOW ? Math.ceil(MIN_WINDOW / window) : 1;
  return { rest: without(words, at, next + 1 - at), limit: limit * times, window: window * times };
}

const LIMIT_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ip: "ip",
    address: "ip",
    host: "host",
    path: "path",
    method: "method",
    ja3: "ja3",
    ja4: "ja4",
    country: "geo_country",
    asn: "geo_as_number",
  }),
);

const KEYED: ReadonlySet<string> = new Set(["header", "cookie", "query"]);

/** `by ip`, `per header x-api-key`, `by ip and host`; by ip when nothing is said. */
function takeKeys(words: readonly Word[]): { readonly rest: readonly Word[]; readonly keys: readonly string[] } {
  const at = words.findIndex((_, index) => ["by", "per"].includes(lowerAt(words, index) ?? ""));
  if (at < 0) return { rest: words, keys: ["ip"] };
  const keys: string[] = [];
  let next = at + 1;
  while (next < words.length) {
    const word = lowerAt(words, next);
    const named = LIMIT_KEYS.get(word ?? "");
    const name = words[next + 1]?.lower;
    if (named) keys.push(named);
    else if (word === "user" && name === "agent") keys.push("user_agent");
    else if (KEYED.has(word ?? "") && name) keys.push(`${word}:${name}`);
    else break;
    next += named ? 1 : 2;
    if (lowerAt(words, next) === "address") next++;
    if (lowerAt(words, next) !== "and" || !LIMIT_KEYS.has(lowerAt(words, next + 1) ?? "")) break;
    next++;
  }
  return keys.length > 0 ? { rest: without(words, at, next - at), keys } : { rest: words, keys: ["ip"] };
}

/** `to /new permanently` */
function takeTarget(words: readonly Word[]) {
  const at = words.findLastIndex((_, index) => lowerAt(words, index) === "to");
  const target = words[at + 1];
  if (at < 0 || !target) throw new NotUnderstood('where to: "redirect /old to /new"');
  const how = lowerAt(words, at + 2);
  const length = how === "permanently" || how === "temporarily" ? 3 : 2;
  return { rest: without(words, at, length), redirect: { location: target.text, permanent: how === "permanently" } };
}

/** What to do, and the words that say with which requests. */
function readAction(
  verb: Verb,
  words: readonly Word[],
): { readonly mitigate: Mitigation; readonly rest: readonly Word[] } {
  if (verb === "redirect") {
    const { rest, redirect } = takeTarget(words);
    return { mitigate: { action: verb, redirect }, rest };
  }
  if (verb === "log" || verb === "bypass") return { mitigate: { action: verb }, rest: words };
  const { rest, duration } = takeDuration(words);
  const held = duration ? { actionDuration: duration } : {};
  if (verb !== "rate_limit") return { mitigate: { action: verb, ...held }, rest };
  const { rest: behind, limit, window } = takeRate(rest);
  const { rest: left, keys } = takeKeys(behind);
  return { mitigate: { action: verb, rateLimit: { algo: "fixed_window", window, limit, keys }, ...held }, rest: left };
}

const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  eq: "is",
  inc: "is one of",
  pre: "begins with",
  suf: "ends with",
  sub: "contains",
  re: "matches",
  ex: "is there",
};

function describeCondition({ type, op, neg, key, value }: Condition): string {
  const what = [type.replaceAll("_", " "), ...(key === undefined ? [] : [key])].join(" ");
  const operator = OPERATOR_WORDS[op] ?? op;
  const shown = value === undefined ? "" : ` ${[value].flat().join(", ")}`;
  return neg ? `not (${what} ${operator}${shown})` : `${what} ${operator}${shown}`;
}

function describeAction({ action, rateLimit, redirect, actionDuration }: Mitigation): string {
  const what = rateLimit
    ? `rate limit to ${rateLimit.limit} in ${rateLimit.window} s by ${rateLimit.keys.join(", ")}`
    : redirect
      ? `redirect to ${redirect.location}${redirect.permanent ? " permanently" : ""}`
      : action;
  return actionDuration ? `${what} for ${actionDuration}` : what;
}

function describe(mitigate: Mitigation, groups: readonly ConditionGroup[]): string {
  const conditions = groups.map((group) => group.conditions.map(describeCondition).join(" and ")).join(", or ");
  const text = `${describeAction(mitigate)}: ${conditions}`;
  return text.length <= LIMITS.descriptionLength ? text : `${text.slice(0, LIMITS.descriptionLength - 3)}...`;
}

function nameOf(prompt: string): string {
  const text = prompt.trim().replaceAll(/\s+/g, " ");
  const name = (text.charAt(0).toUpperCase() + text.slice(1)).replace(/[.!?]+$/, "");
  return name.length <= LIMITS.nameLength ? name : `${name.slice(0, LIMITS.nameLength - 3)}...`;
}

function readPrompt(prompt: string): GeneratedRule {
  const words = splitWords(prompt);
  const start = words.findIndex((word, at) => findPhrase(VERBS, words, at) !== undefined || !FILLERS.has(word.lower));
  const verb = findPhrase(VERBS, words, Math.max(0, start));
  if (!verb) throw new NotUnderstood("what to do with the requests");
  const { mitigate, rest } = readAction(verb.meaning, words.slice(start + verb.length));
  const conditionGroup = readConditions(rest, verb.meaning === "redirect" ? "eq" : "pre");
  return {
    name: nameOf(prompt),
    description: describe(mitigate, conditionGroup),
    active: true,
    conditionGroup,
    action: { mitigate },
  };
}

/** The rule that a request asks for, as it may be stored, or what was not understood of it. */
export function generateRule(prompt: string): Generated {
  try {
    const rule = readPrompt(prompt);
    const reading = newReading(Infinity);
    readRule(rule, "rule", reading);
    const [fault] = reading.faults;
    return fault ? { error: `${fault.field}: ${fault.message}. ${FORMS}` } : { rule };
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    return { error: `Not understood: ${error.message}. ${FORMS}` };
  }
}
