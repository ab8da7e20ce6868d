// Changes of an owner whose lock somebody holds keep no connection from changes of others.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { waitFor } from "../harness/wait-for.ts";
import { startFairServer } from "./quiet-tenant.ts";

const CHANGES = 48;
/** A quarter of the connections for changes (docs/postgresql.md). */
const QUARTER = 4;

const fair = await startFairServer();
const holder = new pg.Client({ connectionString: fair.databaseUrl as string, application_name: "holder" });
holder.on("error", () => undefined);
await holder.connect();
after(() => holder.end());

/** Connections of Reeve that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await holder.query(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'reeve-2' and wait_event_type = 'Lock'`,
  );
  return Number(rows[0].count);
}

/** Sends changes of a team that nobody answers, each again when it was refused. Returns what ends them. */
function sendChanges(teamId: string, key: string): () => Promise<void> {
  const over = new AbortController();
  const send = async (at: number) => {
    while (!over.signal.aborted) {
      // The record of a key is the credential's, so that the owner is not known before a transaction has begun.
      const headers = {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": `key-${at}`,
      };
      const body = JSON.stringify({ name: `secret_${at}`, value: "value" });
      const url = `${fair.url}/v2/secrets?teamId=${teamId}`;
      // oxlint-disable-next-line no-await-in-loop -- a client that tries again
      await fetch(url, { method: "POST", headers, body, signal: over.signal }).catch(() => undefined);
    }
  };
  const sending = Array.from({ length: CHANGES }, (_change, at) => send(at));
  return async () => {
    over.abort();
    await Promise.all(sending);
  };
}

test(`${CHANGES} changes of one owner whose lock is held`, async () => {
  const { teamId, key } = await fair.createMember();
  let most = 0;
  await fair.holds(async () => {
    await holder.query("begin");
    await holder.query("select 1 from owners where id = $1 for update", [teamId]);
    const stop = sendChanges(teamId, key);
    await waitFor("changes that wait for the lock", async () => (await countWaiting()) > 0);
    const looking = setInterval(() => {
      void countWaiting().then((count) => (most = Math.max(most, count)));
    }, 50);
    return async () => {
      clearInterval(looking);
      await stop();
      await holder.query("rollback");
    };
  });
  assert.ok(most > 0 && most <= QUARTER, `${most} connections waited for one owner's lock`);
});
