// Requests while PostgreSQL is slow, locked, out of connections, or breaks connections: waiting is bounded, the response names
// the reason, no change is partial, and service resumes as soon as the failure is over.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import pg from "pg";
import type { Flags } from "../../../src/serve/config/config.ts";
import type { App } from "../../../src/serve/app.ts";
import { StoreError } from "../../../src/platform/store/database.ts";
import { storeFailureReason } from "../../../src/platform/store/failure.ts";
import { openPostgres } from "../../../src/platform/store/postgres/postgres.ts";
import { POOL_SIZE } from "../../../src/platform/store/postgres/driver.ts";
import { ENGINE, send, startOwnApp, uniqueName } from "../../harness/test-app.ts";
import type { TestResponse, RequestOptions, TestTeam, TestUser } from "../../harness/test-app.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { startTcpProxy } from "../tcp-proxy.ts";

/** Longer than any test takes. */
const LONG_MS = "600000";

if (ENGINE === "postgres") {
  const api = await startOwnApp({ logLevel: "fatal" });

  /** The database's URL with parameters of the connection. */
  function urlWith(parameters: Readonly<Record<string, string>>): string {
    const url = new URL(api.settings.databaseUrl as string);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href.replaceAll("+", "%20");
  }

  async function startWith(parameters: Readonly<Record<string, string>>, flags: Flags = {}) {
    return await api.startAnother({ databaseUrl: urlWith(parameters), ...flags });
  }

  /** A session beside Reeve's, until the test ends. */
  async function openSession(t: TestContext): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: api.settings.databaseUrl as string });
    await client.connect();
    t.after(() => client.end());
    return client;
  }

  async function lockOwner(session: pg.Client, ownerId: string): Promise<void> {
    await session.query("select 1 from owners where id = $1 for update", [ownerId]);
  }

  async function openTeam(): Promise<{ readonly owner: TestUser; readonly team: TestTeam }> {
    const owner = await api.createUser();
    return { owner, team: await api.createTeam(owner) };
  }

  const renaming = (
    app: App,
    { owner, team }: { owner: TestUser; team: TestTeam },
    name: string,
    more?: RequestOptions,
  ) => send(app, "PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name }, ...more });

  function assertBusy({ status, headers, body }: TestResponse): void {
    assert.deepEqual([status, body.error.code, headers["retry-after"]], [503, "store_busy", "1"]);
  }

  async function countWaiting(): Promise<number> {
    const [row] = await api.query(
      "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return Number(row?.["n"]);
  }

  test("when all connections are in use changes wait briefly and are refused, and reads continue; one free connection ends that", async (t) => {
    // Changes of one owner alone take a part of the connections only.
    const [other, ...teams] = [await openTeam(), ...(await Promise.all(Array.from({ length: POOL_SIZE }, openTeam)))];
    const app = await startWith({ lock_timeout: LONG_MS, statement_timeout: LONG_MS, query_timeout: `${LONG_MS}0` });
    const session = await openSession(t);
    await session.query("begin");
    for (const { team } of teams) await lockOwner(session, team.id);
    const held = teams.map((one) => renaming(app, one, "held"));
    await waitFor("all connections to be in use", async () => (await countWaiting()) === POOL_SIZE || undefined);
    const others = Array.from({ length: 50 }, (_, n) => renaming(app, other, `name ${n}`));
    const ready = await send(app, "GET", "/health/ready", {});
    assert.deepEqual([ready.status, ready.body.error.checks.store.code], [503, "pool_exhausted"]);
    assert.equal((await send(app, "GET", "/v2/user", { token: other.owner.token })).status, 200);
    for (const response of await Promise.all(others)) assertBusy(response);
    assert.equal((await send(app, "GET", "/health/live", {})).status, 200);
    await session.query("commit");
    for (const { status } of await Promise.all(held)) assert.equal(status, 200);
    await waitFor("readiness", async () => (await send(app, "GET", "/health/ready", {})).status === 200 || undefined);
    await app.close();
  });

  test("a statement that takes too long is cancelled, and nothing of its request remains", async () => {
    const one = await openTeam();
    const before = await api.readEvents(one.team.id);
    // Long enough for everything else, however slow the machine is.
    const app = await startWith({ statement_timeout: "2000" });
    await api.withStore(({ admin }) =>
      admin.exec(`
        create function take_long() returns trigger as 'begin perform pg_sleep(600); return new; end' language plpgsql;
        create trigger take_long before insert on events for each row execute function take_long()`),
    );
    const idempotent = { headers: { "idempotency-key": uniqueName("key") } };
    const create = () =>
      send(app, "POST", "/v1/teams", { token: one.owner.token, body: { slug: "slow-team" }, ...idempotent });
    assertBusy(await renaming(app, one, "slow"));
    assertBusy(await create());
    await api.withStore(({ admin }) => admin.exec("drop trigger take_long on events; drop function take_long"));
    assert.deepEqual(await api.readEvents(one.team.id), before);
    assert.equal((await renaming(app, one, "fast")).status, 200);
    // The refused request stored no response for its idempotency key.
    const created = await create();
    assert.deepEqual([created.status, created.headers["idempotency-replayed"]], [200, undefined]);
    await app.close();
  });

  test("a connection survives a cancelled statement", async () => {
    const database = await openPostgres(urlWith({ statement_timeout: "2000" }));
    const session = async () => (await database.admin.query("select pg_backend_pid() as pid"))[0]?.["pid"];
    const before = await session();
    const slow = database.transaction((tx) => tx.exec("select pg_sleep(600)"));
    await assert.rejects(slow, (error) => storeFailureReason(error) === "busy");
    assert.equal(await session(), before);
    await database.close();
  });

  test("every session has its limits", async () => {
    const database = await openPostgres(api.settings.databaseUrl as string);
    const [limits] = await database.admin.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`,
    );
    assert.deepEqual({ ...limits }, { statement: "10s", lock: "5s", idle: "10s" });
    await database.close();
  });

  test("waiting for a lock is bounded", async (t) => {
    const one = await openTeam();
    const app = await startWith({ lock_timeout: "100" });
    const session = await openSession(t);
    await session.query("begin");
    await lockOwner(session, one.team.id);
    assertBusy(await renaming(app, one, "locked"));
    await session.query("rollback");
    assert.equal((await renaming(app, one, "free")).status, 200);
    await app.close();
  });

  test("a transaction that hangs between two statements loses its locks", async (t) => {
    const one = await openTeam();
    const database = await openPostgres(urlWith({ idle_in_transaction_session_timeout: "2000" }));
    const session = await openSession(t);
    const { promise: hanging, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: locked, resolve: hasLocked } = Promise.withResolvers<void>();
    const transaction = database.transaction(async (tx) => {
      await tx.lockOwner(one.team.id);
      hasLocked();
      await hanging;
      await tx.query("select 1");
    });
    await locked;
    await lockOwner(session, one.team.id);
    goOn();
    await assert.rejects(transaction, StoreError);
    assert.equal((await database.admin.query("select 1 as one"))[0]?.["one"], 1);
    await database.close();
  });

  /** Deadlocks with every attempt of a request that locks the user first and then the team. */
  async function startCircle(t: TestContext, one: { owner: TestUser; team: TestTeam }) {
    const session = await openSession(t);
    // The other session detects the deadlock, so PostgreSQL cancels that one.
    await session.query("set deadlock_timeout = '1h'");
    await session.query("begin");
    await lockOwner(session, one.team.id);
    const stop = new AbortController();
    let attempts = 0;
    async function goRound(): Promise<void> {
      while (!stop.signal.aborted) {
        await session.query("savepoint circle");
        if ((await countWaiting()) === 1) {
          await lockOwner(session, one.owner.id);
          attempts++;
        }
        await session.query("rollback to circle");
      }
      await session.query("rollback");
    }
    const going = goRound();
    return {
      get attempts() {
        return attempts;
      },
      async end() {
        stop.abort();
        await going;
      },
    };
  }

  test("a deadlocked transaction is tried five times in all, and then refused", async (t) => {
    const one = await openTeam();
    // PostgreSQL checks for a deadlock once, after this time: the other session has to be waiting by then.
    const app = await startWith({ options: "-c deadlock_timeout=1s" });
    const choose = () =>
      send(app, "PATCH", "/v2/user", { token: one.owner.token, body: { defaultTeamId: one.team.id } });
    const endless = await startCircle(t, one);
    assertBusy(await choose());
    await endless.end();
    // Not the number of deadlocks: an attempt may lock the row before the waiting session does.
    assert.match((await send(app, "GET", "/metrics", {})).text, /^reeve_store_transaction_retries_total 4$/m);
    assert.equal((await api.request("GET", "/v2/user", { token: one.owner.token })).body.user.defaultTeamId, null);
    const short = await startCircle(t, one);
    const response = choose();
    await waitFor("two attempts to fail", () => short.attempts >= 2 || undefined);
    await short.end();
    assert.equal((await response).status, 200);
    const events = await api.readEvents(one.owner.id);
    assert.equal(events.filter(({ next }) => next?.defaultTeamId === one.team.id).length, 1);
    await app.close();
  });

  test("a transaction with a serialization failure, of a statement or of the commit, is tried five times in all", async () => {
    const trigger = { statement: "trigger conflict before", commit: "constraint trigger conflict after" };
    for (const [place, beginning] of Object.entries(trigger)) {
      const one = await openTeam();
      for (const [failures, status] of [
        [4, 200],
        [5, 503],
      ] as const) {
        // A sequence keeps its value when a transaction is rolled back.
        await api.withStore(({ admin }) =>
          admin.exec(`create sequence conflicts;
            create function conflict() returns trigger language plpgsql as $$ begin
              if nextval('conflicts') <= ${failures} then
                raise exception using errcode = '40001', message = 'could not serialize access';
              end if;
              return new; end $$;
            create ${beginning} insert on events ${place === "commit" ? "deferrable initially deferred" : ""}
              for each row execute function conflict()`),
        );
        const response = await renaming(api.app, one, `conflict ${failures}`);
        const [row] = await api.query("select last_value as n from conflicts");
        await api.withStore(({ admin }) => admin.exec("drop function conflict cascade; drop sequence conflicts"));
        assert.deepEqual([response.status, Number(row?.["n"])], [status, 5], `${place}: ${response.text}`);
        if (status === 503) assertBusy(response);
        const events = await api.readEvents(one.team.id);
        assert.equal(events.filter(({ next }) => next?.name === `conflict ${failures}`).length, status === 200 ? 1 : 0);
      }
    }
  });

  test("a commit whose response is lost is reported as unknown, and its idempotency key reveals the outcome", async () => {
    const owner = await api.createUser();
    const url = new URL(api.settings.databaseUrl as string);
    const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${proxy.port}`;
    const app = await api.startAnother({ databaseUrl: url.href });
    const create = () =>
      send(app, "POST", "/v1/teams", {
        token: owner.token,
        body: { slug: "lost-answer" },
        headers: { "idempotency-key": "lost-answer" },
      });
    let lost = 0;
    proxy.mayPass = (response) => {
      if (!response.includes("COMMIT\0")) return true;
      lost++;
      return false;
    };
    const refused = await create();
    assert.deepEqual([refused.status, refused.body.error.code], [503, "outcome_unknown"]);
    assert.equal(refused.headers["retry-after"], undefined);
    assert.equal(lost, 1);
    proxy.mayPass = () => true;
    const again = await create();
    assert.deepEqual([again.status, again.headers["idempotency-replayed"]], [200, "true"]);
    const teams = await api.request("GET", "/v2/teams", { token: owner.token });
    assert.equal(teams.body.teams.length, 1);
    await app.close();
    proxy.cut();
  });

  test("a session that is ended during a commit leaves nothing behind, and is not reported as a success", async () => {
    const one = await openTeam();
    const before = await api.readEvents(one.team.id);
    await api.withStore(({ admin }) =>
      admin.exec(`
        create function end_session() returns trigger as
          'begin perform pg_terminate_backend(pg_backend_pid()); return null; end' language plpgsql;
        create constraint trigger end_session after insert on events deferrable initially deferred
          for each row execute function end_session()`),
    );
    const refused = await renaming(api.app, one, "ended");
    await api.withStore(({ admin }) => admin.exec("drop trigger end_session on events; drop function end_session"));
    assert.deepEqual([refused.status, refused.body.error.code], [503, "outcome_unknown"]);
    assert.deepEqual(await api.readEvents(one.team.id), before);
    assert.equal((await renaming(api.app, one, "alive")).status, 200);
  });
}
