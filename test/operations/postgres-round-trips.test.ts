// How often each change waits for PostgreSQL, counted on the wire, beside what docs/scaling.md says: the flights of its transaction, and those
// before it that ask what has changed, who calls, and what they may do in the team.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { allStatements } from "../../src/platform/store/prepared.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { statementsOf } from "../../src/platform/store/migrations/migrate.ts";
import { FOLLOWERS, PARENTS } from "../../src/platform/store/postgres/read-ahead.ts";
import { isWriting, readTable, writeTable } from "../harness/recorded-table.ts";
import { send } from "../harness/test-app.ts";
import { startDistance } from "../postgres/distance.ts";
import type { Flight } from "../postgres/distance.ts";
import { OPERATIONS, exampleOf, urlOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

/** A process learns what an operation reads from the first changes. */
const LEARNING = 3;
/** Counted until one takes no more than it may: work beside it, such as of another process, may have made the process ask again. */
const MOST_COUNTED = 8;

const world = await createWorld();
const url = new URL(world.settings.databaseUrl as string);
const distance = await startDistance({ host: url.hostname, port: Number(url.port) });
url.port = String(distance.port);
const far = await world.startAnother({ databaseUrl: url.href });
after(() => far.close().then(distance.close));

const namesOf = new Map(allStatements().map(({ index, name }) => [`s${index}`, name]));
const ASKS_WHO_CALLS = /^(?:changed-owners|teams\.findAuthorization.*|(?:tokens|sessions|apiKeys)\.find.*)$/;
const LOCKS_OWNER = /^lock-(?:free-)?owners?$/;
const ENDS = /^(?:COMMIT|ROLLBACK)$/;

/** What the flights of one request ask for. Background work of the process locks no owner. */
function flightsOfRequest(flights: readonly Flight[]): string[][] {
  const named = flights.map(({ connection, statements }) => ({
    connection,
    statements: statements.map((one) => namesOf.get(one) ?? one),
  }));
  const lock = named.findIndex(({ statements }) => statements.some((one) => LOCKS_OWNER.test(one)));
  const { connection } = named[lock] ?? assert.fail("it locked no owner");
  const begin = named.findLastIndex(
    (flight, at) => at <= lock && flight.connection === connection && flight.statements[0] === "BEGIN",
  );
  const before = named.slice(0, begin).filter(({ statements }) => statements.some((one) => ASKS_WHO_CALLS.test(one)));
  const own = named.slice(begin).filter((flight) => flight.connection === connection);
  const end = own.findIndex(({ statements }) => ENDS.test(statements.at(-1) ?? ""));
  assert.ok(end >= 0, "it did not end");
  return [...before, ...own.slice(0, end + 1)].map(({ statements }) => statements);
}

const documented = new Map(
  readTable("scaling.md", "round trips").flatMap(([count, operations = ""]) =>
    [...operations.matchAll(/`(\w+)`/g)].map(([, id = ""]): [string, number] => [id, Number(count)]),
  ),
);
const changes = OPERATIONS.filter(({ endpoint }) => isMutation(endpoint));

test("docs/scaling.md counts each change", () => {
  if (isWriting) return;
  assert.deepEqual([...documented.keys()].toSorted(), changes.map(({ id }) => id).toSorted());
});

const counted: (readonly [string, number])[] = [];
for (const operation of changes) {
  const { id, endpoint } = operation;
  test(`${id} takes no more round trips than docs/scaling.md says`, async () => {
    let least: string[][] | undefined;
    const most = isWriting ? 0 : (documented.get(id) ?? 0);
    for (let round = 0; round < LEARNING + MOST_COUNTED && (least?.length ?? Infinity) > most; round++) {
      const example = await exampleOf(operation, world);
      const token = example.token ?? world.owner.token;
      // The process has seen the caller: only then is nothing but the change counted.
      await send(far, "GET", "/v2/user", { token });
      distance.take();
      const { status } = await send(far, endpoint.method, urlOf(endpoint.path, example), {
        token,
        ...(example.body === undefined ? {} : { body: example.body }),
      });
      assert.ok(status < 300, `${status}`);
      const flights = flightsOfRequest(distance.take());
      if (round >= LEARNING && flights.length < (least?.length ?? Infinity)) least = flights;
    }
    const shown = least?.map((statements) => statements.join(", ")).join("\n");
    counted.push([id, least?.length ?? 0]);
    assert.ok(least !== undefined && (isWriting || least.length <= most), shown ?? "");
  });
}

test("deletions that take rows of other tables with them are known", () => {
  const texts = MIGRATIONS.flatMap((migration) => statementsOf(migration, "postgres"));
  const parents = texts.flatMap((text) =>
    [...text.matchAll(/references (\w+) \([^)]*\) on delete (?:cascade|set null)/g)].map(([, table = ""]) => table),
  );
  assert.deepEqual([...PARENTS].toSorted(), [...new Set(parents)].toSorted());
});

test("changes that triggers make in other tables are known", async () => {
  const triggers = await world.query(
    "select relname, pg_get_functiondef(tgfoid) as body from pg_trigger join pg_class on pg_class.oid = tgrelid where not tgisinternal",
  );
  const followers: Record<string, string> = {};
  for (const trigger of triggers) {
    const { relname, body } = trigger as { readonly relname: string; readonly body: string };
    const changed = [...body.matchAll(/\b(?:insert into|update|delete from)\s+(\w+)/gi)].map(([, table = ""]) => table);
    // What others have changed is asked outside of transactions.
    for (const table of changed) if (table !== "changed_owners" && table !== relname) followers[relname] = table;
  }
  assert.deepEqual(FOLLOWERS, followers);
});

after(() => {
  if (!isWriting) return;
  const rows = Object.entries(Object.groupBy(counted, ([, count]) => count));
  const namesIn = (group: typeof counted) => group.map(([id]) => `\`${id}\``).toSorted();
  writeTable(
    "scaling.md",
    "round trips",
    rows.map(([count, group = []]) => [count, namesIn(group).join(", ")]),
  );
});
