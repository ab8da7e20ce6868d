// Detects the minutes in which a host had unusually many requests, as docs/firewall.md defines.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { hourOf } from "./sum-rules.ts";
import { MIN_REQUESTS } from "./traffic-schema.ts";

const MIN_ZSCORE = 3;
/** More requests than this within this many minutes are a flood. */
const FLOOD_REQUESTS = 100_000;
const FLOOD_MINUTES = 10;
/** Alerts that are at most this far apart belong to the same attack. */
const QUIET_MS = 5 * MINUTE_MS;
const MAX_HISTORY_MS = DAY_MS;
/** With less history, a new host would be compared with the time before its first request. */
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

/** A minute of a host with unusually many requests. */
export interface Alert extends HostMinute {
  readonly host: string;
  /** Null: the minute is not unusual, or the hours before it are unknown. */
  readonly unusual: (Baseline & { readonly zscore: number }) | null;
  /** The minutes of the flood; null: there is none. */
  readonly flood: readonly HostMinute[] | null;
}

/**
 * The baseline of an hour of a host: the day before it, or the part of that day since the host's first request. Undefined
 * when that part is too short.
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

/** The number of standard deviations above the mean. A deviation below one request counts as one. */
function zscoreOf({ mean, deviation }: Baseline, total: number): number {
  return (total - mean) / Math.max(1, deviation);
}

/** Whether an hour with this peak minute may have an alert. */
export function mayAlert(peak: number, baseline: Baseline | undefined): boolean {
  if (peak * FLOOD_MINUTES > FLOOD_REQUESTS) return true;
  return baseline !== undefined && zscoreOf(baseline, peak) >= MIN_ZSCORE;
}

/** The minutes needed to find the alerts of an hour. A flood in its first minutes began before it. */
export function minutesFor({ hour }: HostHour): { readonly from: number; readonly to: number } {
  return { from: hour - (FLOOD_MINUTES - 1) * MINUTE_MS, to: hour + HOUR_MS };
}

/** The alerts of an hour. Expects the minutes of `minutesFor` in order. */
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

/** The alerts of one attack, in order. */
export type Attack = readonly [Alert, ...Alert[]];

/** Joins alerts that follow each other closely, on any host, to attacks, newest first. */
export function joinAlerts(alerts: readonly Alert[]): Attack[] {
  const attacks: [Alert, ...Alert[]][] = [];
  for (const alert of alerts.toSorted((a, b) => a.minute - b.minute)) {
    const attack = attacks.at(-1);
    if (attack && alert.minute - (attack.at(-1) as Alert).minute <= QUIET_MS) attack.push(alert);
    else attacks.push([alert]);
  }
  return attacks.toReversed();
}

/** Whether the attack continues at `now`: its last alert is recent. */
export function isOngoing(attack: Attack, now: number): boolean {
  return now < (attack.at(-1) as Alert).minute + MINUTE_MS + QUIET_MS;
}
