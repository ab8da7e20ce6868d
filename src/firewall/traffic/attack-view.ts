// Attacks as responses show them.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { isOngoing } from "./attack-rules.ts";
import type { Alert, Attack, HostMinute } from "./attack-rules.ts";

/** Clients look up this name of the system's defence. */
const DEFENCE = "sys_dos_mitigation";

function minuteText(minute: number): string {
  return new Date(minute).toISOString();
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function strongest<T>(items: readonly T[], by: (item: T) => number): T {
  return items.reduce((best, item) => (by(item) > by(best) ? item : best));
}

function anomalyAlerts(alerts: readonly Alert[]) {
  const unusual = alerts.flatMap(({ unusual: found, ...alert }) => (found ? [{ ...alert, ...found }] : []));
  if (unusual.length === 0) return {};
  const { minute, total, mean, deviation, zscore } = strongest(unusual, (alert) => alert.zscore);
  const alert = {
    at_minute: minuteText(minute),
    zscore: rounded(zscore),
    avg_requests: rounded(mean),
    stddev_requests: rounded(deviation),
    total_requests_minute: total,
  };
  return { anomalyAlerts: { [alert.at_minute]: alert } };
}

function ddosAlerts(alerts: readonly Alert[]) {
  const floods = alerts.flatMap(({ flood }) => flood ?? []);
  if (floods.length === 0) return {};
  const minutes = [...new Map(floods.map((one) => [one.minute, one])).values()];
  const atMinute = minuteText(strongest(minutes, ({ total }) => total).minute);
  const sum = (read: (one: HostMinute) => number) => minutes.reduce((requests, one) => requests + read(one), 0);
  const counts = {
    deny: sum(({ denied }) => denied),
    challenge: sum(({ challenged }) => challenged),
    allow: sum(({ total, denied, challenged }) => total - denied - challenged),
  };
  const alertsByKey = Object.entries(counts)
    .filter(([, totalReqs]) => totalReqs > 0)
    .map(([action, totalReqs]) => [`${DEFENCE}:${action}`, { atMinute, totalReqs }]);
  return { ddosAlerts: Object.fromEntries(alertsByKey) };
}

export function publicAttack(attack: Attack, project: ProjectKey, now: number) {
  const isActive = isOngoing(attack, now);
  const last = attack.at(-1) as Alert;
  const hosts = [...new Set(attack.map(({ host }) => host))];
  return {
    projectId: project.projectId,
    ownerId: project.ownerId,
    startTime: attack[0].minute,
    endTime: isActive ? null : last.minute + MINUTE_MS,
    atMinute: strongest(attack, ({ total }) => total).minute,
    state: isActive ? ("active" as const) : ("ended" as const),
    affectedHostMap: Object.fromEntries(
      hosts.map((host) => {
        const alerts = attack.filter((alert) => alert.host === host);
        return [host, { ...anomalyAlerts(alerts), ...ddosAlerts(alerts) }];
      }),
    ),
  };
}
