// The metrics of a PostgreSQL server. What its role may not see has no sample, so no alert takes it for zero.
import type { GaugeId } from "../../platform/kernel/telemetry/metric-list.ts";
import type { Sample } from "../../platform/kernel/telemetry/metrics.ts";
import { CONNECTION_SCOPES, SAFETY_SETTINGS } from "../../platform/store/postgres/server-facts.ts";
import type { ServerFacts } from "../../platform/store/postgres/server-facts.ts";

type Values = Readonly<Partial<Record<GaugeId, (facts: ServerFacts) => readonly Sample[]>>>;

const shown = (value: number | null | undefined, labels: Sample["labels"] = {}): readonly Sample[] =>
  value === null || value === undefined ? [] : [{ labels, value }];

export const POSTGRES_VALUES: Values = {
  storeSize: ({ sizeBytes }) => shown(sizeBytes, { file: "database" }),
  postgresHidden: ({ replication }) => shown(replication === null ? 1 : 0),
  postgresOldestTransaction: ({ oldestTransaction }) =>
    Object.entries(oldestTransaction).flatMap(([state, age]) => shown(age, { state })),
  postgresRows: ({ rows }) => Object.entries(rows).flatMap(([state, count]) => shown(count, { state })),
  postgresSlotRetained: ({ slotRetainedBytes }) => shown(slotRetainedBytes),
  postgresStandbys: ({ replication }) => shown(replication?.standbys),
  postgresReplicationLag: ({ replication }) => shown(replication?.lagBytes),
  postgresConnections: ({ connections }) =>
    CONNECTION_SCOPES.flatMap((scope) => shown(connections[scope].used, { scope })),
  postgresConnectionLimit: ({ connections }) =>
    CONNECTION_SCOPES.flatMap((scope) => shown(connections[scope].limit, { scope })),
  postgresUnsafe: ({ unsafe }) =>
    SAFETY_SETTINGS.flatMap((setting) => shown(unsafe.includes(setting) ? 1 : 0, { setting })),
};
