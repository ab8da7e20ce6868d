// From a change to its receivers: the request that arrives there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";

const api = await startOwnApp(LOOPBACK);

async function newOwner() {
  const owner = await api.createUser();
  const call = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const addSecret = (name: string) => call("POST", "/v2/secrets", { name, value: "v" });
  return { ...owner, call, addSecret };
}

test("an event arrives signed, with its payload, its owner and its place in the chain", async () => {
  // Libraries compare a signature's time with the system's clock, and this file may have been loaded minutes ago.
  api.clock.now = Date.now();
  const { id: ownerId, call, addSecret } = await newOwner();
  const receiver = await startReceiver();
  const body = { url: `${receiver.url}/hook?a=b`, events: ["secret-*"], headers: { "X-Own": "yes" } };
  const { secret } = (await call("POST", "/v1/webhooks", body)).body;
  const { uid } = (await addSecret("API_KEY")).body;
  await receiver.until(({ length }) => length === 1);
  const [first] = receiver.received;
  assert.ok(first);
  receiver.verify(first, secret);
  const { events } = (await call("GET", "/v3/events?types=secret-add")).body;
  assert.equal(first.path, "/hook?a=b");
  assert.equal(first.headers["x-own"], "yes");
  assert.equal(first.headers["webhook-id"], first.body.id);
  assert.deepEqual(first.body, {
    id: first.body.id,
    type: "secret-add",
    createdAt: events[0].createdAt,
    region: null,
    payload: { team: null, user: { id: ownerId }, name: "API_KEY", uid },
    sequence: events[0].sequence,
  });
});
