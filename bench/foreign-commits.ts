// Reads of which none is answered from a cache.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Scenario } from "./scenarios.ts";

const COMMIT_EVERY_MS = 1;
const BUSY_TIMEOUT_MS = 1_000;

/** The file that a server on SQLite serves. */
export const storeFile = (dataDir: string) => join(dataDir, "reeve.db");

/** How that is made sure, for the notes of tables. */
export const UNCACHED_NOTE =
  "Nothing is cached: while reads are measured on SQLite, the client commits a row of its own to the file of the server every " +
  "millisecond. No record says whose rows it changes, so the server forgets all that it has read, and no request comes again " +
  "before that.";

/**
 * The scenario while this process commits to the file of its store: the server drops its caches. The commits have turns between the
 * client's requests, so the requests must be of more URLs or credentials than there are connections.
 */
export function withoutCache(file: string, scenario: Scenario): Scenario {
  return {
    name: scenario.name,
    async measure(durationMs) {
      const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
      // A row of its own: an update that changes nothing would not be a commit.
      db.exec(`
        pragma synchronous = off;
        create table if not exists commits (count integer);
        insert into commits values (0);
      `);
      const touch = db.prepare("update commits set count = count + 1");
      const committing = setInterval(() => touch.run(), COMMIT_EVERY_MS);
      try {
        return await scenario.measure(durationMs);
      } finally {
        clearInterval(committing);
        db.exec("delete from commits");
        db.close();
      }
    },
  };
}
