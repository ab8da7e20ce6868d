// Evaluations that wait count for the account that answers for a credential, over all its teams.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as sendRequest } from "node:http";
import { test } from "node:test";
import { listen } from "../../../test/http/raw-connection.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { createTeamKey } from "../../../test/resources/api-keys.ts";
import { FLAGS, FOREVER_MS, mixedUrl, openSlow } from "../../../test/resources/slow-rules.ts";

test("keys of two teams have the places of one account", async () => {
  const client = await startOwnApp(FLAGS, undefined, {
    evaluation: { deadlineMs: FOREVER_MS, maxWaitMs: FOREVER_MS, maxWaitingOfOne: 1 },
  });
  const slow = await openSlow(client, 500);
  const [greedy, other] = [await client.createUser(), await client.createUser()];
  const keys = [await createTeamKey(client, greedy), await createTeamKey(client, greedy)];
  const quiet = await createTeamKey(client, other);
  for (const { scope, value } of [...keys, quiet]) {
    const path = `/v1/firewalls${scope}&projectId=shop`;
    // oxlint-disable-next-line no-await-in-loop -- one after another
    assert.equal((await client.request("PUT", path, { token: value, body: { firewallEnabled: true } })).status, 200);
  }

  const headers = { authorization: `Bearer ${slow.token}`, "content-type": "application/json" };
  const port = await listen(client.app);
  const occupies = sendRequest({ host: "127.0.0.1", port, path: slow.path, method: "POST", headers });
  occupies.on("error", () => undefined);
  const arrived = once(client.app.server.server, "request");
  occupies.end(JSON.stringify({ requests: Array.from({ length: 400 }, (_, index) => ({ url: mixedUrl(index) })) }));
  await arrived;
  const evaluate = ({ scope, value }: (typeof keys)[number]) =>
    client.request("POST", `/v1/firewalls/active/evaluate${scope}&projectId=shop`, {
      token: value,
      body: { requests: [{ url: "/" }] },
    });
  const refused = Promise.race(keys.map(evaluate).map(async (response) => (await response).status));
  const waiting = evaluate(quiet);
  assert.equal(await refused, 429);
  occupies.destroy();
  assert.equal((await waiting).status, 200, "another account has a place of its own");
});
