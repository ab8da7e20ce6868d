// What did not happen is not told: events of changes that were rolled back, before or at their commit.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE, startOwnApp } from "../harness.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { TYPE, areDelivered, openOwner, untilStored } from "./webhook-world.ts";
import type { WebhookOwner } from "./webhook-world.ts";

// Failures that are planted are logged as such.
const api = await startOwnApp(LOOPBACK, () => undefined);

/** Has `what` done whenever an answer is kept for its idempotency key, which is the last thing that a mutation does. */
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
/** Publishes side by side: some with an idempotency key, which is what fails. Answers the sequences of what was done. */
async function publishSome(owner: WebhookOwner): Promise<number[]> {
  const answers = await Promise.all(
    Array.from({ length: 24 }, async (_, at) => {
      const headers = at % 4 === 3 ? { "idempotency-key": `key-${keys++}` } : {};
      const body = { type: TYPE, payload: { at } };
      const answer = await api.request("POST", "/v1/events", { token: owner.token, body, headers });
      if ("idempotency-key" in headers) assert.equal(answer.status, 500, answer.text);
      return answer;
    }),
  );
  return answers.filter(({ status }) => status === 200).map(({ body }) => body.sequence);
}

test("an event of a change that was rolled back after it is sent to nobody and leaves no gap", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  const first = await owner.publish();
  const done = [first];
  await plant(ENGINE === "sqlite" ? "select raise(abort, 'planted')" : "raise 'planted'");
  done.push(...(await publishSome(owner)));
  await uproot();
  assert.equal(done.length, 1 + 18);
  // At their commit: on the embedded store that takes with it whatever shares the commit.
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
