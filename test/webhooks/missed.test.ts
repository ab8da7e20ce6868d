// Events that a webhook missed while it was inactive reach its receiver with a replay.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { TYPE, areDelivered, openOwner, untilStored } from "./webhook-world.ts";

const api = await startOwnApp(LOOPBACK);

test("a webhook that was inactive for a thousand events gets all of them with a replay, each once", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  const path = `/v1/webhooks/${id}`;
  await owner.publish();
  await untilStored(api, id, areDelivered(1));
  await owner.call("PATCH", path, { active: false });
  await owner.publishMany(1_000);
  await owner.call("PATCH", path, { active: true });
  await owner.publish();
  const replayed = await owner.call("POST", `${path}/replay`);
  assert.equal(replayed.status, 200, replayed.text);
  await owner.publish();
  await untilStored(api, id, areDelivered(1_003));
  const emitted = await api.query(
    `select sequence from events where owner_id = '${owner.id}' and type = '${TYPE}' order by sequence`,
  );
  assert.equal(emitted.length, 1_003);
  assert.deepEqual(
    receiver.received.map(({ body }) => body.sequence as number).toSorted((a, b) => a - b),
    emitted.map(({ sequence }) => Number(sequence)),
  );
});
