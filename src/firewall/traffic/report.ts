// The handler that stores a report of the outcomes of requests.
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ApiError } from "../../platform/kernel/errors.ts";
import { formatAddress, parseAddress } from "../../platform/kernel/network/network.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { requireProject } from "../../teams/projects/existence.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import type { Responses } from "./automatic/minutes.ts";
import { judgeReport } from "./automatic/switch.ts";
import type { trafficContract } from "./contract.ts";
import { countRules, findRules, putRules } from "./rule-sums-store.ts";
import { findEntries, findHours, findMinutes, putEntries, putHours, putMinutes } from "./store.ts";
import {
  addCounts,
  entryKey,
  hourOf,
  minuteOf,
  entryCandidates,
  ruleKey,
  ruleSumCandidates,
  totalKey,
} from "./sum-rules.ts";
import type { Count, Entry, HourTotal, MinuteTotal, RuleTotal, Sums } from "./sum-rules.ts";
import { KEPT_DAYS, MAX_AHEAD_MINUTES, MAX_REQUESTS, OTHER_HOSTS } from "./traffic-schema.ts";

type ReportCall = Call<typeof trafficContract.reportTraffic>;

function invalid(field: string, expected: string): ApiError {
  return fieldError("bad_request", field, `expected ${expected}`);
}

function requireRecent(field: string, time: number, now: number): void {
  if (time < now - KEPT_DAYS * DAY_MS || time > now + MAX_AHEAD_MINUTES * MINUTE_MS) {
    throw invalid(field, `a time within the last ${KEPT_DAYS} days, in ms since the epoch`);
  }
}

function readCounts({ body, now }: ReportCall): Count[] {
  const inMinutes = new Map<number, number>();
  return body.counts.map(({ at: time, host, action, ip = "", ruleId, count }, at) => {
    requireRecent(`body.counts[${at}].at`, time, now);
    const address = ip === "" ? null : parseAddress(ip);
    if (ip !== "" && !address) throw invalid(`body.counts[${at}].ip`, "an IPv4 or IPv6 address");
    const inMinute = (inMinutes.get(minuteOf(time)) ?? 0) + count;
    inMinutes.set(minuteOf(time), inMinute);
    if (inMinute > MAX_REQUESTS) {
      throw invalid(`body.counts[${at}].count`, `at most ${MAX_REQUESTS} requests of a minute in one report`);
    }
    return {
      host: host.toLowerCase(),
      minute: minuteOf(time),
      ip: address ? formatAddress(address) : "",
      action,
      ruleId: ruleId ?? "",
      count,
    };
  });
}

function readResponses({ body: { responses = [] }, now }: ReportCall): Responses[] {
  return responses.map(({ at: time, count, errors, latencies = null }, at) => {
    requireRecent(`body.responses[${at}].at`, time, now);
    if (errors > count) throw invalid(`body.responses[${at}].errors`, "at most `count`");
    return { minute: minuteOf(time), count, errors, latencies };
  });
}

/** The distinct keys as a JSON array. */
function jsonOf<K>(keys: readonly K[], nameOf: (key: K) => string): string {
  return JSON.stringify([...new Map(keys.map((key) => [nameOf(key), key])).values()]);
}

function timeKeys(counts: readonly Count[], timeOf: (minute: number) => number, also: readonly string[]): string {
  const keys = counts.flatMap(({ host, minute }) =>
    [host, ...also].map((name) => ({ host: name, time: timeOf(minute) })),
  );
  return jsonOf(keys, ({ host, time }) => totalKey(host, time));
}

/** The rows that exist. A missing row has null in all columns but its keys. */
function stored<T extends object>(rows: readonly { readonly [K in keyof T]: T[K] | null }[]): T[] {
  return rows.filter((row): row is T => Object.values(row).every((value) => value !== null));
}

/** Reads the stored sums that the counts may be added to. */
async function readSums(tx: Tx, project: ProjectKey, counts: readonly Count[]): Promise<Sums> {
  const hourKeys = jsonOf(
    counts.map(({ minute }) => ({ hour: hourOf(minute) })),
    ({ hour }) => String(hour),
  );
  const [entries, minutes, hours, rules, rulesOfHours] = await Promise.all([
    findEntries(tx, { ...project, keys: jsonOf(counts.flatMap(entryCandidates), entryKey) }),
    findMinutes(tx, { ...project, keys: timeKeys(counts, (minute) => minute, ["", OTHER_HOSTS]) }),
    findHours(tx, { ...project, keys: timeKeys(counts, hourOf, [OTHER_HOSTS]) }),
    findRules(tx, { ...project, keys: jsonOf(counts.flatMap(ruleSumCandidates), ruleKey) }),
    countRules(tx, { ...project, keys: hourKeys }),
  ]);
  return {
    entries: new Map(stored<Entry>(entries).map((entry) => [entryKey(entry), entry])),
    minutes: new Map(stored<MinuteTotal>(minutes).map((total) => [totalKey(total.host, total.minute), total])),
    hours: new Map(stored<HourTotal>(hours).map((total) => [totalKey(total.host, total.hour), total])),
    rules: new Map(stored<RuleTotal>(rules).map((total) => [ruleKey(total), total])),
    rulesOfHours: new Map(rulesOfHours.map(({ hour, rows }) => [hour, rows ?? 0])),
  };
}

/** Adds the counts to the stored sums. Returns the requests so far of each of their minutes. */
async function addToSums(tx: Tx, project: ProjectKey, counts: readonly Count[]): Promise<Map<number, number>> {
  if (counts.length === 0) return new Map();
  const sums = await readSums(tx, project, counts);
  addCounts(sums, counts);
  await putEntries(tx, { ...project, rows: JSON.stringify([...sums.entries.values()]) });
  await putMinutes(tx, { ...project, rows: JSON.stringify([...sums.minutes.values()]) });
  await putHours(tx, { ...project, rows: JSON.stringify([...sums.hours.values()]) });
  await putRules(tx, { ...project, rows: JSON.stringify([...sums.rules.values()]) });
  return new Map(counts.map(({ minute }) => [minute, sums.minutes.get(totalKey("", minute))?.total ?? 0]));
}

/** The transaction has the owner's lock, so no other report changes the sums after they are read. */
export async function report(tx: Tx, call: ReportCall) {
  const counts = readCounts(call);
  const responses = readResponses(call);
  if (counts.length + responses.length === 0) throw invalid("body.counts", "at least one count, or `responses`");
  const project = projectKeyOf(call);
  await requireProject(tx, project);
  const totals = await addToSums(tx, project, counts);
  await judgeReport(tx, project, { requests: totals, responses }, call.now);
  return { ok: true, requests: counts.reduce((requests, { count }) => requests + count, 0) };
}
