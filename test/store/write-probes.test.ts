// The probe of writing leaves no row, and on PostgreSQL no pages that a vacuum does not give back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeProbe } from "../../src/platform/store/probe.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";

const { withStore } = await startOwnApp();

test("probes leave nothing that stays in the file", async () => {
  await withStore(async (store) => {
    const sizeOf = async () =>
      Number((await store.admin.query("select pg_total_relation_size('write_probes') as bytes"))[0]?.["bytes"]);
    if (ENGINE === "postgres") await store.admin.exec("vacuum write_probes");
    const before = ENGINE === "postgres" ? await sizeOf() : 0;
    for (let probe = 0; probe < 20; probe++) await store.transaction(writeProbe);
    assert.deepEqual(await store.admin.query("select id from write_probes"), []);
    if (ENGINE === "sqlite") return;
    // Each needed a page that the table did not have.
    assert.ok((await sizeOf()) >= before + 20 * 8_000, `${before} and then ${await sizeOf()} bytes`);
    await store.admin.exec("vacuum write_probes");
    // An index keeps pages, and the map of free space.
    assert.ok((await sizeOf()) <= before + 100_000, `${before} and then ${await sizeOf()} bytes`);
    const [options] = await store.admin.query(
      "select reloptions as own, (select reloptions from pg_class toast where toast.oid = c.reltoastrelid) as of_toast from pg_class c where relname = 'write_probes'",
    );
    assert.deepEqual({ ...options }, { own: null, of_toast: null });
  });
});
