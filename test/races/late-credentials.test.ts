// Reads of one turn of the event loop share a snapshot (platform/store/sqlite/reader.ts), and another process may commit meanwhile.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createCredential } from "../../src/platform/kernel/credential.ts";
import { createKey } from "../resources/api-keys.ts";
import { ENGINE, send, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";

const client = await startOwnApp();
const { app, settings, createUser, createTeam, query } = client;

const KINDS = ["token", "key"] as const;
const TABLES = { token: "access_tokens", key: "api_keys" } as const;

/** Lets another process commit in the middle of a turn, and sends a request before that turn ends. */
async function askAfter(sql: string, url: string, token: string): Promise<TestResponse> {
  if (ENGINE === "postgres") {
    await query(sql);
  } else {
    app.runner.versions?.present();
    using store = new DatabaseSync(join(settings.dataDir, "reeve.db"));
    store.exec(sql);
  }
  return await send(app, "GET", url, { token });
}

for (const kind of KINDS) {
  test(`a ${kind} that another process has just created is accepted, although the snapshot of the turn is older`, async () => {
    const user = await createUser();
    await createKey(client, user.token);
    for (let round = 0; round < 3; round++) {
      const { value, hash } = createCredential(kind);
      const change = `update ${TABLES[kind]} set hash = '${hash}' where user_id = '${user.id}'`;
      const { status, body, text } = await askAfter(change, "/v2/user", value);
      assert.equal(status, 200, `round ${round}: ${text}`);
      assert.equal(body.user.id, user.id);
    }
  });

  test(`a ${kind} that another process has just revoked is refused, although the snapshot of the turn is older`, async () => {
    for (const isKept of [false, true]) {
      const user = await createUser();
      const key = await createKey(client, user.token);
      const value = kind === "key" ? key.body.value : user.token;
      // The second response comes from the cache, without a read of the store.
      if (isKept) assert.equal((await send(app, "GET", "/v2/user", { token: value })).status, 200);
      const revoke = `delete from ${TABLES[kind]} where user_id = '${user.id}'`;
      assert.equal((await askAfter(revoke, "/v2/user", value)).status, 401);
    }
  });
}

test("a member whom another process has just removed from a team is refused the team's data", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const url = `/v2/teams/${team.id}`;
  assert.equal((await send(app, "GET", url, { token: user.token })).status, 200);
  const remove = `delete from memberships where user_id = '${user.id}'`;
  assert.equal((await askAfter(remove, url, user.token)).status, 404);
});
