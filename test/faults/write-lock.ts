// Keeps a process inside a write to the embedded store, so that a test can kill it there.
import { DatabaseSync } from "node:sqlite";

/** The body of a trigger that never ends, for the write in which the process is killed. */
export const ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";

/** Whether a process has held the embedded store's write lock for a while. */
export function isWriteLocked(file: string): boolean {
  const store = new DatabaseSync(file, { timeout: 0 });
  try {
    for (let tries = 0; tries < 100; tries++) store.exec("begin immediate; rollback");
    return false;
  } catch {
    return true;
  } finally {
    store.close();
  }
}
