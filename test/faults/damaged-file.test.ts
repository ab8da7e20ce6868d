// The embedded store's file is damaged under a running server, as by a failing disk or by a tool that writes into it: requests
// that need the damaged pages fail with that reason, and the server continues.
import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { request } from "undici";
import { serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";

const token = "an_administrators_token_of_this_test_file";
const PAGE_BYTES = 4_096;

type TestResponse = { readonly error: { readonly code: string; readonly checks: unknown } };

/** The damage to the file, whose first page stays intact. */
const DAMAGES: Readonly<Record<string, (file: string, whole: Buffer) => void>> = {
  "cut short": (file) => truncateSync(file, PAGE_BYTES),
  overwritten: (file, whole) => writeFileSync(file, Buffer.from(whole).fill(0xff, PAGE_BYTES)),
};

if (ENGINE === "sqlite") {
  for (const [what, damage] of Object.entries(DAMAGES)) {
    test(`a file that is ${what} fails the requests that need the damaged pages, and the server continues`, async () => {
      const storage = await createStorage();
      after(() => storage.remove());
      const server = await serveReeve({ ...storage.flags, bootstrapToken: token });
      const ask = async (path: string, sent?: object) => {
        const { statusCode, body } = await request(`${server.url}${path}`, {
          method: sent ? "POST" : "GET",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: sent ? JSON.stringify(sent) : null,
        });
        return { status: statusCode, body: (await body.json()) as TestResponse };
      };
      assert.equal((await ask("/v1/teams", { slug: "before" })).status, 200);

      const file = join(storage.flags.dataDir as string, "reeve.db");
      const other = new DatabaseSync(file);
      other.exec("pragma wal_checkpoint(truncate)");
      other.close();
      damage(file, readFileSync(file));
      for (const path of ["/v2/teams", "/v2/teams", "/v3/events"]) {
        // oxlint-disable-next-line no-await-in-loop -- each has to leave the connection fit for the next one
        const { status, body } = await ask(path);
        assert.deepEqual([status, body.error.code], [503, "store_unavailable"]);
      }
      const ready = await ask("/health/ready");
      assert.equal(ready.status, 503);
      assert.match(JSON.stringify(ready.body.error.checks), /store_damaged/);
      assert.equal((await ask("/health/live")).status, 200);

      assert.equal((await stopReeve(server)).code, 0);
    });
  }
}
