// Finds the minutes in which a host had unusually many requests. docs/firewall.md says what is unusual.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import { hourOf } from "./sum-rules.ts";
import { MIN_REQUESTS } from "./traffic-schema.ts";

const MIN_ZSCORE = 3;
/** A flood: so many requests in so many minutes. */
const FLOOD_REQUESTS = 100_000;
const FLOOD_MINUTES = 10;
/** Minutes that lie no further apart belong to the same attack. */
const QUIET_MS = 5 * MINUTE_MS;
const MAX_HISTORY_MS = DAY_MS;
/** With less, a host that is new would be compared with the time before it was there. */
const MIN_HISTORY_MS = 3 * HOUR_MS;

export interface HostHour {
  readonly host: string;
  readonly hour: number;
}

export interface Baseline {
  readonly mean: number;
  readonly deviation: number;
}

export interface HostMinute {
  readonly minute: number;
  readonly total: number;
  readonly denied: number;
  readonly challenged: number;
}

/** What was unusual about a minute of a host. */
export interface Alert extends HostMinute {
  readonly host: string;
  /** Null: it is not unusual, or nothing is known of the hours before. */
  readonly unusual: (Baseline & { readonly zscore: number }) | null;
  /** Requests of the minutes that made it a flood; null: it is none. */
  readonly flood: readonly HostMinute[] | null;
}

/**
 * What was usual in the day before an hour of a host, or in as much of it as there is since the first request. Undefined
 * when that is too short.
 */
export function baselineOf(
  hoursOfHost: readonly { readonly hour: number; readonly total: number; readonly squares: number }[],
  hour: number,
): Baseline | undefined {
  const before = hoursOfHost.filter((one) => one.hour < hour && one.hour >= hour - MAX_HISTORY_MS);
  const known = before.reduce((first, one) => Math.min(first, one.hour), hour);
  if (hour - known < MIN_HISTORY_MS) return undefined;
  const minutes = (hour - known) / MINUTE_MS;
  const mean = before.reduce((sum, one) => sum + one.total, 0) / minutes;
  const squares = before.reduce((sum, one) => sum + one.squares, 0) / minutes;
  return { mean, deviation: Math.sqrt(Math.max(0, squares - mean ** 2)) };
}

/** How many deviations a number lies above the mean; one below a single request counts as that. */
function zscoreOf({ mean, deviation }: Baseline, total: number): number {
  return (total - mean) / Math.max(1, deviation);
}

/** Whether an hour with this busiest minute may have had an alert. */
export function mayAlert(peak: number, baseline: Baseline | undefined): boolean {
  if (peak * FLOOD_MINUTES > FLOOD_REQUESTS) return true;
  return baseline !== undefined && zscoreOf(baseline, peak) >= MIN_ZSCORE;
}

/** The minutes that have to be read to find the alerts of an hour: the floods of its first minutes began before it. */
export function minutesFor({ hour }: HostHour): { readonly from: number; readonly to: number } {
  return { from: hour - (FLOOD_MINUTES - 1) * MINUTE_MS, to: hour + HOUR_MS };
}

/** The alerts of an hour; `minutes` are those of `minutesFor`, in order. */
export function findAlerts(at: HostHour, minutes: readonly HostMinute[], baseline: Baseline | undefined): Alert[] {
  const alerts: Alert[] = [];
  for (const minute of minutes) {
    if (hourOf(minute.minute) !== at.hour || minute.total < MIN_REQUESTS) continue;
    const zscore = baseline ? zscoreOf(baseline, minute.total) : 0;
    const since = minute.minute - FLOOD_MINUTES * MINUTE_MS;
    const recent = minutes.filter((one) => one.minute > since && one.minute <= minute.minute);
    const isFlood = recent.reduce((sum, { total }) => sum + total, 0) > FLOOD_REQUESTS;
    const unusual = baseline && zscore >= MIN_ZSCORE ? { ...baseline, zscore } : null;
    if (unusual || isFlood) alerts.push({ ...minute, host: at.host, unusual, flood: isFlood ? recent : null });
  }
  return alerts;
}

/** Alerts of one attack, in order. */
export type Attack = readonly [Alert, ...Alert[]];

/** Alerts that follow each other closely, whatever their hosts, are one attack; the newest comes first. */
export function joinAlerts(alerts: readonly Alert[]): Attack[] {
  const attacks: [Alert, ...Alert[]][] = [];
  for (const alert of alerts.toSorted((a, b) => a.minute - b.minute)) {
    const attack = attacks.at(-1);
    if (attack && alert.minute - (attack.at(-1) as Alert).minute <= QUIET_MS) attack.push(alert);
    else attacks.push([alert]);
  }
  return attacks.toReversed();
}

/** Whether the attack goes on at `now`: it has not been quiet for long enough. */
export function isGoingOn(attack: Attack, now: number): boolean {
  return now < (attack.at(-1) as Alert).minute + MINUTE_MS + QUIET_MS;
}
