// Names the sessions that hold locks for which others wait.
import type { Admin } from "../database.ts";

/** Sessions, and tables of each, that are named; there may be many more. */
const MAX_NAMED = 3;

const COLUMNS = `pid, coalesce(application_name, '') as name, coalesce(host(client_addr), 'this machine') as address,
  coalesce(usename::text, '') as role, coalesce(state, 'state unknown') as state,
  round(extract(epoch from clock_timestamp() - xact_start)) as seconds`;

const OF_ONE = `select ${COLUMNS} from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start`;

/**
 * Of other programs that have held locks on tables of Reeve for a while. Nobody waits for them any more when a change has failed. Without
 * pg_read_all_stats it is not visible for how long those of other roles last.
 */
const OF_OTHERS = `select ${COLUMNS}, tables from pg_stat_activity as session cross join lateral (
      select array_to_string((array_agg(distinct held.relname::text))[1:${MAX_NAMED}], ', ') as tables
      from pg_locks as lock join pg_class as held on held.oid = lock.relation
      where lock.pid = session.pid and lock.granted and lock.locktype = 'relation' and lock.mode <> 'AccessShareLock'
        and held.relkind in ('r', 'p')
        and held.relnamespace = (select oid from pg_namespace where nspname = current_schema())) as held
  where datname = current_database() and application_name <> current_setting('application_name')
    and coalesce(xact_start < clock_timestamp() - interval '2 seconds', true) and tables is not null
  order by xact_start`;

export interface LockHolders {
  /** Differs when other sessions hold the lock. */
  readonly key: string;
  /** For people; empty when nobody holds one. */
  readonly text: string;
}

function describe({ pid, name, address, role, state, seconds, tables }: Record<string, unknown>): string {
  const program = name === "" ? "" : ` (${String(name)})`;
  // A number arrives as text.
  const since = typeof seconds === "string" ? `, in a transaction for ${seconds} s` : "";
  const locked = typeof tables === "string" ? `, with locks on ${tables}` : "";
  return `session ${String(pid)}${program} of ${String(role)} from ${String(address)}, ${String(state)}${since}${locked}`;
}

/** For whom a session waits; with null, other programs that hold locks. */
export async function findLockHolders(admin: Pick<Admin, "query">, pid: number | null): Promise<LockHolders> {
  const holders = pid === null ? await admin.query(OF_OTHERS) : await admin.query(OF_ONE, [pid]);
  const more = holders.length > MAX_NAMED ? `, and ${holders.length - MAX_NAMED} more` : "";
  return {
    key: holders.map((holder) => String(holder["pid"])).join(),
    text: holders.slice(0, MAX_NAMED).map(describe).join("; ") + more,
  };
}
