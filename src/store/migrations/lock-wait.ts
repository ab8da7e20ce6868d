// Tells for whom a migration waits. It has no time limit on PostgreSQL, and a session that was left open in a transaction would stop it for
// ever without a word.
import { setTimeout as delay } from "node:timers/promises";
import type { Database, WriteTx } from "../database.ts";

const LOOK_MS = 1_000;
/** Sessions that are named; there may be many more. */
const MAX_NAMED = 3;

const HOLDERS = `select pid, coalesce(application_name, '') as name, coalesce(host(client_addr), 'this machine') as address,
    coalesce(usename::text, '') as role, state, round(extract(epoch from clock_timestamp() - xact_start)) as seconds
  from pg_stat_activity where pid = any (pg_blocking_pids($1)) order by xact_start`;

function describe({ pid, name, address, role, state, seconds }: Record<string, unknown>): string {
  const program = name === "" ? "" : ` (${String(name)})`;
  return `session ${String(pid)}${program} of ${String(role)} from ${String(address)}, ${String(state)}, in a transaction for ${String(seconds)} s`;
}

/** Runs `work` in a transaction. While it waits for a lock, `onWait` learns once of each group of sessions that hold it. */
export async function watchLocks<T>(
  { engine, admin }: Pick<Database, "engine" | "admin">,
  tx: WriteTx,
  onWait: (holders: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  if (engine === "sqlite") return await work();
  const [row] = await tx.query("select pg_backend_pid() as pid");
  const ended = new AbortController();
  const told = new Set<string>();

  async function look(): Promise<void> {
    for (;;) {
      await delay(LOOK_MS, undefined, { signal: ended.signal, ref: false });
      const holders = await admin.query(HOLDERS, [Number(row?.["pid"])]);
      const pids = holders.map(({ pid }) => String(pid)).join();
      if (pids === "" || told.has(pids) || ended.signal.aborted) continue;
      told.add(pids);
      const more = holders.length > MAX_NAMED ? `, and ${holders.length - MAX_NAMED} more` : "";
      onWait(holders.slice(0, MAX_NAMED).map(describe).join("; ") + more);
    }
  }

  // What it cannot find out, it does not tell: the migration itself fails or goes on.
  void look().catch(() => undefined);
  try {
    return await work();
  } finally {
    ended.abort();
  }
}
