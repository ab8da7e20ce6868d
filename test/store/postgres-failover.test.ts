import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE } from "../harness.ts";
import { openPostgres } from "../../src/store/postgres.ts";

if (ENGINE === "postgres") {
  const given = new URL(process.env["REEVE_TEST_DATABASE_URL"] as string);

  test("hosts that refuse connections are passed over", async () => {
    // Port 1 of the loopback refuses at once.
    const list = `127.0.0.1:1,${given.host}`;
    const database = await openPostgres(given.href.replace(given.host, list));
    const [row] = await database.admin.query("select 1 as one");
    assert.equal(row?.["one"], 1);
    await database.close();
  });

  test("a server that accepts no writes is not used", async () => {
    const url = new URL(given.href);
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    url.searchParams.set("target_session_attrs", "read-write");
    await assert.rejects(openPostgres(url.href), /accepts no writes/);
  });
}
