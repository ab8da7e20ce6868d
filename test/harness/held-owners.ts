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

/** What a change that waited for the lock too long is answered. */
const isBusy = (outcome: unknown): boolean =>
  typeof outcome === "object" && outcome !== null && "status" in outcome && outcome.status === 503;

/** Commits `meanwhile` while the change waits for a lock that `client` holds; without it, if the change waited too long. */
async function interrupt<T>(client: pg.Client, { owner, change, meanwhile }: Interruption<T>): Promise<T> {
  await client.query("begin");
  const which = owner === undefined ? "" : `where id = '${owner}'`;
  await client.query(`select 1 from owners ${which} order by id for update`);
  // A change that holds other locks while it waits could deadlock: what happens meanwhile must not wait for it.
  await client.query("set local lock_timeout = '200ms'");
  let isOver = false;
  const changed = change().finally(() => {
    isOver = true;
  });
  changed.catch(() => undefined);
  await waitFor("a change that waits for a lock", async () => {
    const waiting = "select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))";
    return isOver || (await client.query(waiting)).rows.length > 0;
  });
  for (const sql of meanwhile) await client.query(sql);
  await client.query(isOver && isBusy(await changed) ? "rollback" : "commit");
  return await changed;
}

/** Starts a change while locks are held; once it waits, commits what happens meanwhile. Returns what became of the change. */
export async function changeBehindLock<T>(
  { settings }: Pick<TestApp, "settings">,
  interruption: Interruption<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: settings.databaseUrl ?? undefined });
  await client.connect();
  try {
    // On a machine with other work a change may have waited too long before it was seen to wait: nothing has changed then.
    for (let left = 3; ; left -= 1) {
      const outcome = await interrupt(client, interruption);
      if (left === 1 || !isBusy(outcome)) return outcome;
    }
  } finally {
    await client.end();
  }
}
