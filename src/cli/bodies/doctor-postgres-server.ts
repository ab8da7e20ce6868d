// The checks of `reeve doctor` on what PostgreSQL says of itself, from the facts that metrics show too.
import type { Finding } from "../../platform/outcomes/finding.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Database } from "../../platform/store/database.ts";
import { MAX_CONNECTIONS } from "../../platform/store/postgres/driver.ts";
import { CONNECTION_SCOPES, SAFETY_SETTINGS, readServerFacts } from "../../platform/store/postgres/server-facts.ts";
import type { ServerFacts } from "../../platform/store/postgres/server-facts.ts";

const MIB = 1_048_576;
const GIB = 1_024 * MIB;
/** As in deploy/prometheus-alerts.yml. */
const MOST = {
  idleSeconds: (10 * MINUTE_MS) / SECOND_MS,
  activeSeconds: (4 * HOUR_MS) / SECOND_MS,
  deadRows: 100_000,
  lagBytes: 256 * MIB,
  retainedBytes: 10 * GIB,
  connections: 0.9,
};

const shownMib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
const shownSeconds = (seconds: number) => `${Math.round(seconds)} s`;

const grant = (role: string) => `\`grant pg_read_all_stats to ${role}\`, which pg_monitor includes`;

function describe(check: string, detail: string, advice: string | null): Finding {
  return advice === null ? { check, status: "ok", detail } : { check, status: "warning", detail, advice };
}

function examineSafety({ unsafe }: ServerFacts): Finding {
  if (unsafe.length === 0) return describe("durability", `${SAFETY_SETTINGS.join(", ")} are on`, null);
  const advice = "turn it on: a crash of the machine loses committed changes, or damages the database";
  return describe("durability", `off: ${unsafe.join(", ")}`, advice);
}

function examineTransactions({ oldestTransaction: { active, idle, prepared }, role }: ServerFacts): Finding {
  const check = "transactions";
  const isOld = prepared > MOST.idleSeconds || (idle ?? 0) > MOST.idleSeconds || (active ?? 0) > MOST.activeSeconds;
  const advice = "end it (pg_stat_activity, pg_prepared_xacts): until then dead rows stay, and locks may be held";
  if (active === null || idle === null) {
    const detail = `those of sessions are hidden from this role; the oldest prepared one: ${shownSeconds(prepared)}`;
    return describe(check, detail, isOld ? advice : grant(role));
  }
  const ages = { active, "idle in transaction": idle, prepared };
  const detail = `the oldest: ${Object.entries(ages)
    .map(([state, age]) => `${state} ${shownSeconds(age)}`)
    .join(", ")}`;
  return describe(check, detail, isOld ? advice : null);
}

function examineRows({ sizeBytes, rows: { live, dead } }: ServerFacts): Finding {
  const detail = `${shownMib(sizeBytes)}, about ${dead} dead rows beside ${live} live ones`;
  const isBloated = dead > MOST.deadRows && dead > live;
  const advice = "see that autovacuum runs, and that no old transaction or replication slot holds it back";
  return describe("size", detail, isBloated ? advice : null);
}

function examineReplication({ replication, slotRetainedBytes, role }: ServerFacts): Finding {
  const check = "replication";
  const kept = `${shownMib(slotRetainedBytes)} of the log kept for slots`;
  const slots = "drop the slots that nobody reads (pg_replication_slots): the log fills the disk";
  const isKept = slotRetainedBytes > MOST.retainedBytes;
  if (replication === null) {
    return describe(check, `standbys are hidden from this role; ${kept}`, isKept ? slots : grant(role));
  }
  const { standbys, lagBytes } = replication;
  const detail = `${standbys === 0 ? "no standby" : `${standbys} standbys, at most ${shownMib(lagBytes)} behind`}; ${kept}`;
  const isBehind = lagBytes > MOST.lagBytes;
  return describe(
    check,
    detail,
    isKept ? slots : isBehind ? "see what slows the standby down: pg_stat_replication" : null,
  );
}

function examineConnections({ connections }: ServerFacts): Finding {
  const limited = CONNECTION_SCOPES.flatMap((scope) => {
    const { used, limit } = connections[scope];
    return limit === null ? [] : [{ text: `${used} of ${limit} of the ${scope}`, share: used / limit }];
  });
  const isScarce = limited.some(({ share }) => share > MOST.connections);
  const advice = "raise the limit, start fewer servers, or end sessions that nobody uses";
  const detail = `${limited.map(({ text }) => text).join(", ")}; each server or worker takes at most ${MAX_CONNECTIONS}`;
  return describe("connections", detail, isScarce ? advice : null);
}

const CHECKS = [examineSafety, examineTransactions, examineRows, examineReplication, examineConnections];

export const examineFacts = (facts: ServerFacts): readonly Finding[] => CHECKS.map((examine) => examine(facts));

export async function examineServer({ admin }: Database): Promise<readonly Finding[]> {
  try {
    return examineFacts(await readServerFacts(admin));
  } catch (error) {
    const detail = `could not be looked at: ${(error as Error).message}`;
    return [
      { check: "server", status: "warning", detail, advice: "see that this role may read the views of statistics" },
    ];
  }
}
