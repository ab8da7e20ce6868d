// Handlers of traffic.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import { listActions } from "./actions.ts";
import { baselineOf, findAlerts, joinAlerts, mayAlert, minutesFor } from "./attack-rules.ts";
import type { Alert } from "./attack-rules.ts";
import { listBusyHours, listHours, listMinutes } from "./attack-store.ts";
import { publicAttack } from "./attack-view.ts";
import type { trafficContract } from "./contract.ts";
import { report } from "./report.ts";
import { hourOf } from "./sum-rules.ts";

/** The most hours and hosts that one request reads. */
const MAX_BUSY_HOURS = 1_000;
const MAX_BUSY_HOSTS = 50;
const MAX_UNUSUAL_HOURS = 100;

/** Reads the hours with a busy minute, then the baseline of each, and only for unusual hours their minutes. */
async function readAttackStatus(tx: Tx, { scope, query, now }: Call<typeof trafficContract.getAttackStatus>) {
  const project = projectKeyOf({ scope, query });
  const since = now - (query.since ?? 1) * DAY_MS;
  const from = hourOf(since);
  const busy = await listBusyHours(tx, { ...project, from, limit: MAX_BUSY_HOURS });
  if (busy.length === 0) return { anomalies: [] };
  const hosts = [...new Set(busy.map(({ host }) => host))].slice(0, MAX_BUSY_HOSTS);
  const hours = await listHours(tx, { ...project, hosts: JSON.stringify(hosts), from: from - DAY_MS });
  const hoursOf = Map.groupBy(hours, ({ host }) => host);
  const unusual = busy
    .filter(({ host }) => hosts.includes(host))
    .map((at) => ({ at, baseline: baselineOf(hoursOf.get(at.host) ?? [], at.hour) }))
    .filter(({ at, baseline }) => mayAlert(at.peak, baseline))
    .slice(0, MAX_UNUSUAL_HOURS);
  const alerts: Alert[] = [];
  for (const { at, baseline } of unusual) {
    const minutes = await listMinutes(tx, { ...project, host: at.host, ...minutesFor(at) });
    alerts.push(...findAlerts(at, minutes, baseline).filter(({ minute }) => minute >= since));
  }
  return { anomalies: joinAlerts(alerts).map((attack) => publicAttack(attack, project, now)) };
}

export const trafficService: Implements<typeof trafficContract> = {
  reportTraffic: report,
  listTrafficActions: listActions,
  getAttackStatus: readAttackStatus,
  listAlertGroups: async () => [],
};
