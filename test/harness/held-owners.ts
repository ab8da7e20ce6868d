// Holds locks of owners on PostgreSQL from a session that is not Reeve's, so that a change waits between its two looks at the store.
import pg from "pg";
import type { TestApp } from "./test-app.ts";
import { waitFor } from "./wait-for.ts";

export interface Interruption<T> {
  /** The owners whose locks are held; without it, those of all. */
  readonly owner?: string;
  /** Starts the change. */
  readonly change: () => Promise<T>;
  /** Statements that the other session commits while the change waits. */
  readonly meanwhile: readonly string[];
}

/** Starts a change while locks are held; once it waits, commits what happens meanwhile. Returns what became of the change. */
export async function changeBehindLock<T>(
  { settings }: Pick<TestApp, "settings">,
  { owner, change, meanwhile }: Interruption<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: settings.databaseUrl ?? undefined });
  await client.connect();
  try {
    await client.query("begin");
    const which = owner === undefined ? "" : `where id = '${owner}'`;
    await client.query(`select 1 from owners ${which} order by id for update`);
    // A change that holds other locks while it waits could deadlock: what happens meanwhile must not wait for it.
    await client.query("set local lock_timeout = '200ms'");
    const changed = change();
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    changed.then(over, over);
    await waitFor("a change that waits for a lock", async () => {
      const waiting = "select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))";
      return isOver || (await client.query(waiting)).rows.length > 0;
    });
    for (const sql of meanwhile) await client.query(sql);
    await client.query("commit");
    return await changed;
  } finally {
    await client.end();
  }
}
