// Sums counts of requests by minute, within the bounds of what is stored per minute.
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { MAX_ADDRESS_ENTRIES, MAX_ENTRIES, MAX_RULE_SUMS, OTHER_HOSTS } from "./traffic-schema.ts";

/** The requests of one minute that have all other attributes in common. */
export interface Count {
  readonly host: string;
  /** The start of the minute. */
  readonly minute: number;
  readonly ip: string;
  readonly action: string;
  readonly ruleId: string;
  readonly count: number;
}

export type Entry = { -readonly [K in keyof Count]: Count[K] };

export interface MinuteTotal {
  /** Empty: the whole project. */
  readonly host: string;
  readonly minute: number;
  total: number;
  denied: number;
  challenged: number;
  entries: number;
}

export interface HourTotal {
  readonly host: string;
  readonly hour: number;
  total: number;
  squares: number;
  peak: number;
}

/** The requests of an hour by outcome and rule. */
export interface RuleTotal {
  readonly hour: number;
  readonly action: string;
  /** Empty: no rule, or a rule beyond the limit of rules that are counted separately. */
  readonly ruleId: string;
  count: number;
}

/** The stored sums that the counts may change. `addCounts` updates them. */
export interface Sums {
  readonly entries: Map<string, Entry>;
  readonly minutes: Map<string, MinuteTotal>;
  readonly hours: Map<string, HourTotal>;
  readonly rules: Map<string, RuleTotal>;
  /** The number of rows with a rule by hour. */
  readonly rulesOfHours: Map<number, number>;
}

export const minuteOf = (at: number) => at - (at % MINUTE_MS);
export const hourOf = (at: number) => at - (at % HOUR_MS);

export function entryKey({ host, minute, ip, action, ruleId }: Omit<Count, "count">): string {
  return JSON.stringify([host, minute, ip, action, ruleId]);
}

export function totalKey(host: string, time: number): string {
  return `${time} ${host}`;
}

type RuleSumKey = Omit<RuleTotal, "count">;

export function ruleKey({ hour, action, ruleId }: RuleSumKey): string {
  return JSON.stringify([hour, action, ruleId]);
}

/** The sums by rule that a count may be added to, the most specific first. */
export function ruleSumCandidates({ minute, action, ruleId }: Count): readonly [RuleSumKey, RuleSumKey] {
  const hour = hourOf(minute);
  return [
    { hour, action, ruleId },
    { hour, action, ruleId: "" },
  ];
}

/** The entries that a count may be added to, the most specific first. */
export function entryCandidates(count: Count): readonly [Count, Count, Count] {
  return [count, { ...count, ip: "" }, { ...count, host: OTHER_HOSTS, ip: "", ruleId: "" }];
}

/** Adds, limited to the safe integers. */
function sum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER);
}

function getMinute({ minutes }: Sums, host: string, minute: number): MinuteTotal {
  const key = totalKey(host, minute);
  const total = minutes.get(key) ?? { host, minute, total: 0, denied: 0, challenged: 0, entries: 0 };
  minutes.set(key, total);
  return total;
}

function addToMinute(total: MinuteTotal, { action, count }: Count): void {
  total.total = sum(total.total, count);
  if (action === "deny") total.denied = sum(total.denied, count);
  if (action === "challenge") total.challenged = sum(total.challenged, count);
}

function addToHour({ hours }: Sums, { host, minute, total }: MinuteTotal, before: number): void {
  const hour = hourOf(minute);
  const key = totalKey(host, hour);
  const sums = hours.get(key) ?? { host, hour, total: 0, squares: 0, peak: 0 };
  sums.total = sum(sums.total, total - before);
  sums.squares += total ** 2 - before ** 2;
  sums.peak = Math.max(sums.peak, total);
  hours.set(key, sums);
}

function addToRules({ rules, rulesOfHours }: Sums, count: Count): void {
  const [exact, last] = ruleSumCandidates(count);
  const known = rulesOfHours.get(exact.hour) ?? 0;
  const isNew = exact.ruleId !== "" && !rules.has(ruleKey(exact));
  const target = isNew && known >= MAX_RULE_SUMS ? last : exact;
  if (target === exact && isNew) rulesOfHours.set(exact.hour, known + 1);
  const before = rules.get(ruleKey(target))?.count ?? 0;
  rules.set(ruleKey(target), { ...target, count: sum(before, count.count) });
}

/** The count itself, or the count of `OTHER_HOSTS` when its minute has the most hosts that are counted separately. */
function withinHosts(sums: Sums, count: Count): Count {
  const { host, minute } = count;
  const isKnown = sums.minutes.has(totalKey(host, minute));
  return isKnown || getMinute(sums, "", minute).entries < MAX_ENTRIES ? count : entryCandidates(count)[2];
}

function addEntry(sums: Sums, count: Count): void {
  const project = getMinute(sums, "", count.minute);
  const host = getMinute(sums, count.host, count.minute);
  const [exact, withoutAddress, last] = entryCandidates(count);
  const isMinuteFull = project.entries >= MAX_ENTRIES;
  const has = (target: Count) => sums.entries.has(entryKey(target));
  let target = exact;
  if (!has(target) && (isMinuteFull || (target.ip !== "" && host.entries >= MAX_ADDRESS_ENTRIES)))
    target = withoutAddress;
  if (!has(target) && isMinuteFull) target = last;
  const entry = sums.entries.get(entryKey(target));
  if (entry) {
    entry.count = sum(entry.count, count.count);
    return;
  }
  sums.entries.set(entryKey(target), { ...target });
  project.entries++;
  if (target.ip !== "") host.entries++;
}

/** Adds each count to its entry and to the totals of its minute and hour. Allowed requests have no entries. */
export function addCounts(sums: Sums, counts: readonly Count[]): void {
  for (const reported of counts) {
    addToRules(sums, reported);
    const count = withinHosts(sums, reported);
    const project = getMinute(sums, "", count.minute);
    if (!sums.minutes.has(totalKey(count.host, count.minute))) project.entries++;
    const minute = getMinute(sums, count.host, count.minute);
    const before = minute.total;
    addToMinute(minute, count);
    addToMinute(project, count);
    addToHour(sums, minute, before);
    if (count.action !== "allow") addEntry(sums, count);
  }
}
