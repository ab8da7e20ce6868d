// Reads of which none is answered from a cache.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { BenchDatabase } from "./postgres.ts";
import type { Scenario } from "./scenarios.ts";

const COMMIT_EVERY_MS = 1;
/** Before 64 connections ask for one of 200 owners again. Each takes PostgreSQL CPU, which counts as that of the reads. */
const COMMIT_ON_POSTGRES_EVERY_MS = 5;
const BUSY_TIMEOUT_MS = 1_000;

/** The file that a server on SQLite serves. */
export const storeFile = (dataDir: string) => join(dataDir, "reeve.db");

/** How that is made sure, for the notes of tables. */
export const UNCACHED_NOTE =
  "Nothing is cached: while reads are measured on SQLite, the client commits a row of its own to the file of the server every " +
  "millisecond. No record says whose rows it changes, so the server forgets all that it has read, and no request comes again " +
  "before that.";
export const UNCACHED_ON_POSTGRES_NOTE =
  "No read is cached: while reads are measured, the client commits every five milliseconds that anything may have changed, so the " +
  "server forgets all that it has read, and no request comes again before that. These commits count as CPU of the database.";

interface Commits {
  stop(): Promise<void>;
}

function commitToFile(file: string): Commits {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  // A row of its own: an update that changes nothing would not be a commit.
  db.exec(`
    pragma synchronous = off;
    create table if not exists commits (count integer);
    insert into commits values (0);
  `);
  const touch = db.prepare("update commits set count = count + 1");
  const committing = setInterval(() => touch.run(), COMMIT_EVERY_MS);
  return {
    async stop() {
      clearInterval(committing);
      db.exec("delete from commits");
      db.close();
    },
  };
}

async function commitToPostgres(url: string): Promise<Commits> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let last: Promise<unknown> = Promise.resolve();
  const committing = setInterval(() => {
    last = client.query({ name: "commit", text: "insert into changed_owners default values" });
  }, COMMIT_ON_POSTGRES_EVERY_MS);
  return {
    async stop() {
      clearInterval(committing);
      await last;
      await client.end();
    },
  };
}

/**
 * The scenario while this process commits to the file, or to the database, of its store: the server drops its caches. The commits have
 * turns between the client's requests, so the requests must be of more URLs or credentials than there are connections.
 */
export function withoutCache(store: string | BenchDatabase, { name, measure }: Scenario): Scenario {
  return {
    name,
    async measure(durationMs) {
      const commits = typeof store === "string" ? commitToFile(store) : await commitToPostgres(store.url);
      try {
        return await measure(durationMs);
      } finally {
        await commits.stop();
      }
    },
  };
}
