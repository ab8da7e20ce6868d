// Reads of which no answer is kept: on SQLite an answer holds until anybody commits something, and between two commits of a
// busy instance hardly anything is asked twice. Here this process commits, every millisecond, so that the server pays
// nothing for it but having to make its answers.
import { DatabaseSync } from "node:sqlite";
import type { Scenario } from "./scenarios.ts";

const EVERY_MS = 1;
const BUSY_TIMEOUT_MS = 1_000;

/** The scenario beside commits to the file of this data directory. Its requests must be of many URLs or credentials. */
export function madeAnew(dataDir: string, scenario: Scenario): Scenario {
  return {
    name: scenario.name,
    async measure(durationMs) {
      const db = new DatabaseSync(`${dataDir}/reeve.db`, { timeout: BUSY_TIMEOUT_MS });
      // A row of its own: an update that changes nothing would not be a commit.
      db.exec(`
        pragma synchronous = off;
        create table if not exists commits (count integer);
        insert into commits values (0);
      `);
      const touch = db.prepare("update commits set count = count + 1");
      const committing = setInterval(() => touch.run(), EVERY_MS);
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
