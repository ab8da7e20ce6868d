// An embedded store that a process changes without end, so that it can be killed in the middle.
import { DatabaseSync } from "node:sqlite";

/** For a trigger of what it is to be killed in. */
export const ENDLESS = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n";

/** Whether somebody has the embedded store's write lock, and has had it for a while. */
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
