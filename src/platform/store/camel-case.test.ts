// Columns have one name in statements and rows, and one in the database.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { columnName } from "./camel-case.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { allStatements, prepare } from "./prepared.ts";
import { listTables } from "./tables/inventory.ts";
import { COLUMNS } from "./tables/tables.ts";
import type { Tables } from "./tables/tables.ts";

test("each column has a name that leads to its own in the database", () => {
  const tables = listTables(MIGRATIONS.length);
  assert.ok(tables.length > 40);
  for (const { name, columns } of tables) {
    const named = COLUMNS[name as keyof Tables].split(" ").map(columnName);
    assert.deepEqual(
      named,
      columns.map((column) => column.name),
    );
  }
});

test("a result has aliases for the names that differ, and nothing else has", () => {
  prepare<{ userId: string }>("test.join").many(({ db, p }) =>
    db
      .selectFrom("declined_requests as one")
      .innerJoin(db.selectFrom("teams").select(["id as teamId", "slug"]).as("team"), "team.teamId", "one.teamId")
      .selectAll("one")
      .select(["team.slug", sql<number>`1`.as("isOne")])
      .where("one.userId", "=", p("userId")),
  );
  prepare<{ userId: string; teamId: string; now: number }>("test.upsert").one(({ db, p, params, excluded }) =>
    db
      .insertInto("declined_requests")
      .values({ ...params("userId", "teamId"), declinedAt: p("now") })
      .onConflict((conflict) => conflict.columns(["teamId", "userId"]).doUpdateSet(excluded("declinedAt")))
      .returning(["declinedAt", "teamId as id"]),
  );
  const textOf = (name: string) =>
    allStatements()
      .find((statement) => statement.name === name)
      ?.compiled("postgres").sql;
  assert.equal(
    textOf("test.join"),
    'select "one"."team_id" as "teamId", "one"."user_id" as "userId", "one"."declined_at" as "declinedAt", "team"."slug", 1 as "isOne" ' +
      'from "declined_requests" as "one" ' +
      'inner join (select "id" as "team_id", "slug" from "teams") as "team" on "team"."team_id" = "one"."team_id" ' +
      'where "one"."user_id" = $1',
  );
  assert.equal(
    textOf("test.upsert"),
    'insert into "declined_requests" ("user_id", "team_id", "declined_at") values ($1, $2, $3) ' +
      'on conflict ("team_id", "user_id") do update set "declined_at" = "excluded"."declined_at" ' +
      'returning "declined_at" as "declinedAt", "team_id" as "id"',
  );
});
