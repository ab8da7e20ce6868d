// Replays deliver what a webhook missed: the requested deliveries, in order, and without exception.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { plantEvents } from "../resources/planted-events.ts";
import { LOOPBACK } from "./receiver.ts";
import { createWebhookOwner } from "./webhook-owner.ts";
import type { WebhookOwner } from "./webhook-owner.ts";

const api = await startOwnApp(LOOPBACK);
/** More than the call itself requeues. */
const MANY = 600;

/** Records events while the webhook is inactive. */
async function miss({ id, path, call }: WebhookOwner, count: number): Promise<void> {
  await call("PATCH", path, { active: false });
  const events = Array.from({ length: count }, () => ({ type: "deployment.created" }) as const);
  await api.withStore((store) => plantEvents(store, id, api.clock.now, events));
}

const sequencesOf = ({ receiver }: WebhookOwner): number[] => receiver.received.map(({ body }) => body.sequence);

function assertInOrder(sequences: readonly number[]): void {
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  );
}

test("a replay delivers what matches its states, types and times, and nothing else", async () => {
  const owner = await createWebhookOwner(api, { ordering: "strict" });
  const { id: ownerId, path, receiver, call, publish, until } = owner;
  receiver.respond((response) => response.writeHead(500, { "webhook-delivery": "abort-message" }).end());
  await publish();
  await until(([first]) => first?.state === "failed");
  receiver.respond(200);
  await publish();
  await until(([second]) => second?.state === "delivered");
  await call("PATCH", path, { active: false });
  for (const type of ["deployment.created", "deployment.ready", "deployment.created"]) {
    api.clock.advance(SECOND_MS);
    await publish(type);
  }
  await call("PATCH", path, { active: true });
  const log = (await until(({ length }) => length === 5)).toReversed();
  assert.deepEqual(
    log.map(({ state }) => state),
    ["failed", "delivered", "skipped", "skipped", "skipped"],
  );
  const [, , third, , fifth] = log;
  const replays: readonly [body: object | undefined, places: readonly number[]][] = [
    [{ types: ["deployment.ready"] }, [3]],
    [{ since: third?.createdAt, until: (fifth?.createdAt ?? 0) - 1 }, [2]],
    [{ until: new Date(third?.createdAt ?? 0).toISOString(), states: ["delivered"] }, [1, 2]],
    [undefined, [0, 4]],
    [undefined, []],
    [{ states: ["delivered", "failed", "skipped"] }, [0, 1, 2, 3, 4]],
    [{ states: ["delivered"], since: 2, until: 1 }, []],
  ];
  for (const [body, places] of replays) {
    const seen = receiver.received.length;
    const { status, text, body: answer } = await call("POST", `${path}/replay`, body);
    assert.equal(status, 200, text);
    assert.equal(answer.replay.queued, places.length, text);
    assert.equal(answer.replay.finishedAt, api.clock.now);
    assert.deepEqual((await call("GET", `${path}/replays/${answer.replay.id}`)).body, answer);
    await receiver.until(({ length }) => length >= seen + places.length);
    assert.deepEqual(
      sequencesOf(owner).slice(seen),
      places.map((place) => log[place]?.sequence),
    );
    await until((deliveries) => deliveries.every(({ state }) => state !== "pending"));
  }
  const events = (await api.readEvents(ownerId)).filter(({ type }) => type === "webhook-replay");
  assert.equal(events.length, replays.length);
  assert.deepEqual(
    [events[0]?.payload.types, events[0]?.payload.states],
    [["deployment.ready"], ["skipped", "failed", "pending"]],
  );
});

test("a strict webhook gets everything that it missed in order, and newer events afterwards", async () => {
  const owner = await createWebhookOwner(api, { ordering: "strict" });
  const { path, receiver, call, publish, until } = owner;
  await miss(owner, MANY);
  const { promise: checked, resolve } = Promise.withResolvers<void>();
  receiver.respond((response) => void checked.then(() => response.end()));
  await call("PATCH", path, { active: true });
  const { replay } = (await call("POST", `${path}/replay`)).body;
  assert.deepEqual([replay.finishedAt, replay.queued > 0], [null, true]);
  await publish();
  // Deactivating and activating it lets nothing through before its turn.
  await call("PATCH", path, { active: false });
  await call("PATCH", path, { active: true });
  await receiver.until(({ length }) => length > 0);
  const { finishedAt, queued } = (await call("GET", `${path}/replays/${replay.id}`)).body.replay;
  assert.deepEqual([finishedAt, queued], [api.clock.now, MANY]);
  receiver.respond(200);
  resolve();
  await receiver.until(({ length }) => length === MANY + 1);
  await until((deliveries) => deliveries.every(({ state }) => state === "delivered"));
  assertInOrder(sequencesOf(owner));
});

test("a replay also requeues deliveries that wait for their next try, and not those that wait for their first", async () => {
  for (const ordering of ["parallel", "strict"]) {
    const { path, receiver, call, publish, until } = await createWebhookOwner(api, { ordering });
    receiver.respond(500);
    for (let count = 0; count < 2; count++) await publish();
    // In strict order the second delivery waits until the first one succeeds.
    const tried = ordering === "strict" ? 1 : 2;
    await until((deliveries) => deliveries.filter(({ attempts }) => attempts === 1).length === tried);
    receiver.respond(200);
    for (const states of [["skipped", "failed", "delivered"], undefined]) {
      const { body, text } = await call("POST", `${path}/replay`, states && { states });
      assert.equal(body.replay?.queued, states ? 0 : tried, text);
    }
    // The clock does not move, so only the replay can have made them due.
    await until((deliveries) => deliveries.length === 2 && deliveries.every(({ state }) => state === "delivered"));
  }
});

test("another process finishes the replay of a process that ended", async () => {
  const owner = await createWebhookOwner(api);
  const { webhookId, path, receiver, call } = owner;
  await miss(owner, MANY);
  await call("PATCH", path, { active: true });
  await call("POST", `${path}/replay`);
  await api.app.close();
  const rows = `from webhook_replays where webhook_id = '${webhookId}'`;
  assert.equal((await api.query(`select id ${rows} and finished_at is null`)).length, 1);
  await api.startAnother();
  await waitFor("the replay to be finished", async () => {
    return (await api.query(`select id ${rows} and finished_at is not null`)).length > 0;
  });
  await receiver.until((received) => new Set(received.map(({ body }) => body.id)).size === MANY);
});
