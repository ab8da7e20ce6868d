// A newer Reeve changes the schema under a running process: calls that can no longer work are refused as temporary, and the
// others continue to work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { migrate } from "../../src/platform/store/migrations/migrate.ts";
import type { Migration } from "../../src/platform/store/migrations/migration.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";

const lines: string[] = [];
const api = await startOwnApp({ logLevel: "error" }, (line) => lines.push(line));
const { request, withStore } = api;
const execute = (sql: string) => withStore(({ transaction }) => transaction((tx) => tx.exec(sql)));

function assertUnavailable({ status, headers, body }: TestResponse): void {
  assert.deepEqual([status, body.error.code, headers["retry-after"]], [503, "store_unavailable", "1"]);
}

const NEWER = "insert into schema_migrations (version, name, applied_at) values (9999, 'later', 0)";
const OWN = "delete from schema_migrations where version = 9999";

test("an old process on a newer schema returns 503 where it cannot work, and serves the rest", async () => {
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const { token } = owner;
  const read = () => request("GET", `/v2/teams/${team.id}`, { token });
  const rename = () => request("PATCH", `/v2/teams/${team.id}`, { token, body: { name: "Renamed" } });
  assert.equal((await read()).status, 200);
  const before = await api.readEvents(team.id);
  await execute("alter table teams rename column name to title");
  await execute(NEWER);
  for (const ask of [read, rename, () => request("POST", "/v1/teams", { token, body: { slug: "newer" } })]) {
    assertUnavailable(await ask());
  }
  // The caller cannot be identified either.
  await execute("alter table access_tokens rename to tokens");
  assertUnavailable(await request("GET", "/v2/user", { token }));
  await execute("alter table tokens rename to access_tokens");
  assert.equal((await request("GET", "/v2/user", { token })).status, 200);
  const told = lines.filter((line) => line.includes('"request failed"'));
  assert.equal(told.length, 1, told.join(""));
  assert.match(told[0] as string, /has schema version 9999, this Reeve works with \d+/);
  await execute("alter table teams rename column title to name");
  assert.deepEqual(await api.readEvents(team.id), before);
  assert.equal((await rename()).status, 200);
  await execute(OWN);
});

test("an old process stays ready beside migrations that say it may go on, and beside no others", async () => {
  const last = (MIGRATIONS.at(-1) as Migration).version;
  const later = (more: number, oldestBeside?: number): Migration => ({
    version: last + more,
    name: `later-${more}`,
    ...(oldestBeside !== undefined && { oldestBeside }),
    statements: () => [`alter table teams add column later_${more} text`],
  });
  const ready = async () => {
    const { status, body } = await request("GET", "/health/ready", { token: null });
    return [status, (status === 200 ? body : body.error).checks?.schema?.code];
  };
  const cases: readonly (readonly [Migration, readonly [number, string]])[] = [
    [later(1, last), [200, "schema_newer"]],
    [later(2, last + 1), [503, "schema_newer"]],
    [later(3, last - 1), [200, "schema_newer"]],
    [later(4), [503, "schema_newer"]],
  ];
  const newer: Migration[] = [];
  for (const [migration, expected] of cases) {
    newer.push(migration);
    await withStore((database) => migrate(database, null, 0, [...MIGRATIONS, ...newer]));
    // A result is kept for a second.
    await waitFor(`${migration.name} to be told`, async () => isDeepStrictEqual(await ready(), expected) || undefined);
    if (expected[0] === 503) await execute(`delete from schema_migrations where version = ${newer.pop()?.version}`);
  }
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const body = { name: "Beside" };
  assert.equal((await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body })).status, 200);
  await execute(`delete from schema_migrations where version > ${last}`);
  await waitFor(
    "the process to be as before",
    async () => isDeepStrictEqual(await ready(), [200, undefined]) || undefined,
  );
});

test("a failure on its own schema is still an internal error", async () => {
  await execute("alter table access_tokens rename to tokens");
  assert.equal((await request("GET", "/v2/user")).status, 500);
  await execute("alter table tokens rename to access_tokens");
  assert.equal((await request("GET", "/v2/user")).status, 200);
});

if (ENGINE === "postgres") {
  test("a statement prepared before a column changed its type is prepared again, for reads and changes", async () => {
    const owner = await api.createUser();
    const team = await api.createTeam(owner);
    const { token } = owner;
    const read = () => request("GET", `/v2/teams/${team.id}`, { token });
    const rename = (name: string) => request("PATCH", `/v2/teams/${team.id}`, { token, body: { name } });
    for (const type of ["varchar(500)", 'text collate "C"']) {
      // On every open connection.
      await Promise.all(Array.from({ length: 40 }, read));
      await Promise.all(Array.from({ length: 10 }, (_, n) => rename(`Name ${n}`)));
      await execute(`alter table teams alter column name type ${type}`);
      const responses = await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 4 ? read() : rename(`Name ${n}`))));
      assert.deepEqual(
        [...new Set(responses.map(({ status }) => status))],
        [200],
        responses.map(({ text }) => text).join(),
      );
    }
  });
}
