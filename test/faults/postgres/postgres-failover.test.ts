// PostgreSQL restarts, is killed and is replaced by its synchronous standby while Reeve serves mixed load: no acknowledged
// write is lost, and Reeve continues by itself. The servers belong to these tests. `npm run proof -- --long` repeats it more
// often.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Statement } from "../../../src/platform/kernel/tx.ts";
import { storeFailureReason } from "../../../src/platform/store/failure.ts";
import { openPostgres } from "../../../src/platform/store/postgres/postgres.ts";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { Body } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { checkLoad, startLoad, untilDelivered } from "../load/mixed-load.ts";
import { createPostgresNode } from "../../postgres/node.ts";
import type { PostgresNode } from "../../postgres/node.ts";

const ROUNDS = Number(process.env["FAULT_ROUNDS"] ?? 1);
/** Measured from the moment when a server accepts writes again. */
const BACK_WITHIN_MS = 10_000;
/** Acknowledged writes between two faults. */
const STEADY_WRITES = 40;
const token = "an_administrators_token_of_this_test_file";

const dataDir = mkdtempSync(join(tmpdir(), "reeve-failover-"));
const nodes = new Set<PostgresNode>();
after(async () => {
  for (const node of nodes) await node.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

function keep(node: PostgresNode): PostgresNode {
  nodes.add(node);
  return node;
}

async function discard(node: PostgresNode): Promise<void> {
  nodes.delete(node);
  await node.remove();
}

async function addStandby(primary: PostgresNode, name: string, port?: number): Promise<PostgresNode> {
  const standby = keep(await primary.makeStandby(name, port));
  await standby.start();
  return standby;
}

/** The store's failure in readiness, as soon as there is one: a response is cached for a second. */
async function untilNotReady(url: string): Promise<string> {
  return await waitFor("readiness to tell", async () => {
    const response = await fetch(`${url}/health/ready`);
    const body = (await response.json()) as Body;
    return response.status === 503 ? (body.error.checks.store.code as string) : undefined;
  });
}

/** Durations in ms. */
class Stopwatch {
  readonly #times = new Map<string, number[]>();

  note(what: string, since: number): void {
    const ms = Math.round(performance.now() - since);
    this.#times.set(what, [...(this.#times.get(what) ?? []), ms]);
  }

  print(): void {
    for (const [what, times] of this.#times) {
      const sorted = times.toSorted((a, b) => a - b);
      console.log(
        `${what}: ${sorted[sorted.length >> 1]} ms (median of ${sorted.length}), ${sorted.at(-1)} ms at most`,
      );
    }
  }
}

test(`PostgreSQL restarts and fails over ${ROUNDS} times under load, and no acknowledged write is lost`, async () => {
  let primary = keep(await createPostgresNode("node0"));
  await primary.start();
  let standby = await addStandby(primary, "node1");
  // The URL names the standby first: a starting server has to skip it.
  const databaseUrl = `postgres://${primary.login}@${standby.host},${primary.host}/postgres?target_session_attrs=read-write`;
  const flags = { dataDir, databaseUrl, ...LOOPBACK, bootstrapToken: token, rateLimit: "0", logLevel: "fatal" };
  const server = await serveReeve(flags);
  const receiver = await startReceiver();
  const load = await startLoad({ urls: () => [server.url], token, receiver, lanes: 4 });
  const watch = new Stopwatch();

  /** Waits until writes that were sent after `since` are acknowledged, and some more. */
  async function untilServed(what: string, since: number): Promise<void> {
    await load.untilAcknowledged(load.acknowledged + 1);
    watch.note(what, since);
    assert.ok(performance.now() - since < BACK_WITHIN_MS, `${what} took longer than ${BACK_WITHIN_MS} ms`);
    await load.untilAcknowledged(load.acknowledged + STEADY_WRITES);
    await load.follow();
  }

  await load.untilAcknowledged(STEADY_WRITES);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const mode of ["immediate", "fast"] as const) {
      const stoppedAt = performance.now();
      await primary.stop(mode);
      await primary.start();
      watch.note(`${mode} restart of PostgreSQL`, stoppedAt);
      await untilServed(`first write after a restart (${mode})`, performance.now());
    }
    await primary.requireStandby(standby);
    await load.untilAcknowledged(load.acknowledged + STEADY_WRITES);
    const killedAt = performance.now();
    await primary.kill();
    const ready = await untilNotReady(server.url);
    assert.match(ready, /^store_(?:unreachable|standby)$/);
    await standby.promote();
    watch.note("promotion", killedAt);
    await untilServed("first write after a promotion", performance.now());
    // The lost server returns and considers itself the primary: servers that are connected to the other one stay with it.
    await primary.start();
    await load.untilAcknowledged(load.acknowledged + STEADY_WRITES);
    const sessions = await primary.query("select 1 from pg_stat_activity where application_name = 'reeve-2'");
    assert.equal(sessions.length, 0);
    await discard(primary);
    const { port } = primary;
    primary = standby;
    if (round < ROUNDS) standby = await addStandby(primary, `node${round + 1}`, port);
  }
  await load.stop();
  await untilDelivered(load);
  const figures = await checkLoad(load);
  assert.deepEqual(figures.deliveries.waiting, {});
  const verified = await runReeve(["events", "verify", "--json"], flags);
  assert.equal(JSON.parse(verified.stdout).intact, true, verified.stdout);
  const { code, stderr } = await stopReeve(server);
  assert.equal(code, 0, stderr);
  watch.print();
  console.log(JSON.stringify({ ...figures, notExecuted: Object.fromEntries(load.notExecuted) }));
  await discard(primary);
});

const PORT: Statement = {
  index: 1_000_000,
  name: "port",
  compiled: () => ({ sql: "select inet_server_port() as port", bind: [], isRead: true }),
};

test("a primary that becomes silent, or that accepts no more writes, is abandoned", async () => {
  const primary = keep(await createPostgresNode("silent0"));
  await primary.start();
  const standby = await addStandby(primary, "silent1");
  const hosts = `${primary.host},${standby.host}`;
  // Short, so that the test is; long enough for all other statements.
  const bounds = "query_timeout=4000&statement_timeout=3000";
  const databaseUrl = `postgres://${primary.login}@${hosts}/postgres?${bounds}`;
  const database = await openPostgres(databaseUrl);
  const serving = async () => {
    const [row] = await database.admin.query("select inet_server_port() as port");
    return row?.["port"];
  };
  // On separate connections, which nothing writes on.
  const readFrom = async () => ((await database.reader.one(PORT, {})) as { readonly port: number }).port;
  assert.equal(await serving(), primary.port);
  await primary.query("create table counted (n integer)");
  const count = () =>
    database.transaction(async (tx) => {
      await tx.exec("insert into counted values (1)");
    });
  await count();

  // Several connections, some of them idle when the server becomes silent.
  await Promise.all(Array.from({ length: 8 }, serving));
  const readers = () => Promise.all(Array.from({ length: 8 }, readFrom));
  assert.deepEqual(new Set(await readers()), new Set([primary.port]));
  await waitFor("the standby to have it", async () => {
    const [row] = await standby.query("select pg_last_wal_replay_lsn() as lsn");
    const [sent] = await primary.query(`select pg_current_wal_flush_lsn() <= '${String(row?.["lsn"])}' as has`);
    return sent?.["has"] === true || undefined;
  });
  const thaw = await primary.freeze();
  const silentAt = performance.now();
  await Promise.all(
    [serving(), readFrom()].map((asked) => assert.rejects(asked, (error) => storeFailureReason(error) === "silent")),
  );
  await standby.promote();
  const promotedAt = performance.now();
  assert.equal(await serving(), standby.port);
  // They ask no silent host about another one.
  assert.deepEqual(new Set(await readers()), new Set([standby.port]));
  await count();
  console.log(
    `a silent primary was given up after ${Math.round(promotedAt - silentAt)} ms, ` +
      `and the other one was used ${Math.round(performance.now() - promotedAt)} ms after its promotion`,
  );
  await thaw();
  await primary.kill();

  // Open connections continue, and refuse.
  await standby.query("alter system set default_transaction_read_only = on");
  await standby.query("select pg_reload_conf()");
  await waitFor("it to be read-only", async () => {
    const [row] = await database.admin.query("show transaction_read_only").catch(() => []);
    return row?.["transaction_read_only"] === "on" || undefined;
  });
  await assert.rejects(count(), (error) => storeFailureReason(error) === "read_only");
  await assert.rejects(count(), (error) => storeFailureReason(error) !== null);
  await standby.query("alter system reset default_transaction_read_only");
  await standby.query("select pg_reload_conf()");
  await waitFor("writes to be taken again", async () => {
    return await count().then(
      () => true,
      (error: unknown) => {
        if (storeFailureReason(error) === null) throw error;
        return undefined;
      },
    );
  });
  assert.equal((await standby.query("table counted")).length, 3);
  await database.close();
  await discard(primary);
  await discard(standby);
});
