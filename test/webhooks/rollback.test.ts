// Events of changes that were rolled back, before or at their commit, are not delivered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { TYPE, areDelivered, openOwner, untilStored } from "./webhook-world.ts";
import type { WebhookOwner } from "./webhook-world.ts";

// Planted failures are logged.
const api = await startOwnApp(LOOPBACK, () => undefined);

/** Runs `what` whenever a response is stored for its idempotency key, which is the last statement of a mutation. */
async function plant(what: string): Promise<void> {
  await api.withStore(({ admin }) =>
    admin.exec(
      ENGINE === "sqlite"
        ? `create trigger planted after insert on idempotency_records begin ${what}; end`
        : `create function planted() returns trigger language plpgsql as $$ begin ${what}; return new; end $$;
           create trigger planted after insert on idempotency_records execute function planted()`,
    ),
  );
}

async function uproot(): Promise<void> {
  const sql = `drop trigger planted${ENGINE === "sqlite" ? "" : " on idempotency_records; drop function planted"}`;
  await api.withStore(({ admin }) => admin.exec(sql));
}

let keys = 0;
/** Publishes events concurrently; those with an idempotency key fail. Returns the sequences of the others. */
async function publishSome(owner: WebhookOwner): Promise<number[]> {
  const responses = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const headers = at % 4 === 3 ? { "idempotency-key": `key-${keys++}` } : {};
      const body = { type: TYPE, payload: { at } };
      const response = await api.request("POST", "/v1/events", { token: owner.token, body, headers });
      if ("idempotency-key" in headers) assert.equal(response.status, 500, response.text);
      return response;
    }),
  );
  return responses.filter(({ status }) => status === 200).map(({ body }) => body.sequence);
}

test("an event whose change was rolled back is sent to no webhook and leaves no gap", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  const first = await owner.publish();
  const done = [first];
  await plant(ENGINE === "sqlite" ? "select raise(abort, 'planted')" : "raise 'planted'");
  done.push(...(await publishSome(owner)));
  await uproot();
  assert.equal(done.length, 1 + 18);
  // At their commit. On the embedded store, the changes that share the commit fail too.
  await api.withStore(({ admin }) =>
    admin.exec(
      "create table bodies (id bigint primary key, soul bigint references bodies deferrable initially deferred)",
    ),
  );
  await plant("insert into bodies values (1, 2)");
  done.push(...(await publishSome(owner)));
  await uproot();
  done.push(await owner.publish());
  const deliveries = await untilStored(api, id, areDelivered(done.length));
  const expected = Array.from(done, (_, at) => first + at);
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    expected,
  );
  assert.deepEqual(
    deliveries.map(({ sequence }) => sequence),
    expected,
  );
  assert.deepEqual(
    receiver.received.map(({ body }) => body.sequence).toSorted((a, b) => a - b),
    expected,
  );
});
