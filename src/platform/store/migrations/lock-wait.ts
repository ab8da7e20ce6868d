// Tells for whom a migration waits. It has no time limit on PostgreSQL, and a session that was left open in a transaction would stop it for
// ever without a word.
import { setTimeout as delay } from "node:timers/promises";
import type { Database, WriteTx } from "../database.ts";
import { findLockHolders } from "../postgres/lock-holders.ts";

const LOOK_MS = 1_000;
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
      const { key, text } = await findLockHolders(admin, Number(row?.["pid"]));
      if (key === "" || told.has(key) || ended.signal.aborted) continue;
      told.add(key);
      onWait(text);
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
