// `reeve events checkpoint` of all chains, in process: with more chains than one batch signs, with pruned chains, and under a
// new key.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckpointsMade } from "../../src/cli/bodies/checkpoint-events.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { checkpointEvents } from "../../src/cli/bodies/checkpoint-events.ts";
import { readKeptCheckpoints } from "../../src/cli/bodies/checkpoint-files.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { openCheckpoints } from "../resources/checkpoints.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { writeNew } from "./chains.ts";

const world = await startOwnApp();
const { settings, clock, query, createUser, createTeam } = world;
const { list, tidy } = openCheckpoints(world);
const user = await createUser();
const file = writeNew("");

async function signAll(newKey = false): Promise<CheckpointsMade> {
  const request = { owner: null, file, force: true, newKey };
  return await checkpointEvents(
    settings,
    request,
    () => undefined,
    () => clock.now,
  );
}

async function countChains(): Promise<number> {
  const [row] = await query("select count(*) as n from owners where sequence > 0");
  return Number(row?.["n"]);
}

test("every chain is signed once, and the newest checkpoint of each is written", async () => {
  for (let count = 0; count < 60; count++) await createTeam(user);
  const chains = await countChains();
  assert.ok(chains > 60);
  const first = await signAll();
  assert.deepEqual([first.made, first.written], [chains, chains]);
  const kept = await readKeptCheckpoints(file);
  assert.equal(new Set(kept.map(({ ownerId }) => ownerId)).size, chains);
  const again = await signAll();
  assert.deepEqual([again.made, again.written], [0, chains]);
  const team = await createTeam(user);
  // An event of the team, and one more in the user's chain or none.
  const later = await signAll();
  assert.ok(later.made >= 1 && later.made <= 2, String(later.made));
  assert.equal((await list(user, team)).checkpoints.length, 1);
  const { firstFault, kept: compared } = await verifyEvents(settings, { publicKeys: [], checkpoints: file });
  assert.deepEqual([firstFault, compared], [null, chains + 1]);
});

test("a new key signs every chain again, and keeps the reason of checkpoints where chains were cut", async () => {
  clock.advance(2 * DAY_MS);
  await tidy("pruneEvents", { retentionDays: 1 });
  assert.equal(Number((await query("select count(*) as n from events"))[0]?.["n"]), 0);
  const { key: former } = await signAll();
  const { key, made, written } = await signAll(true);
  assert.notEqual(key.id, former.id);
  // The replacement of the key is the first event of the instance's chain.
  assert.deepEqual([made, written], [await countChains(), made]);
  const { firstFault, keys } = await verifyEvents(settings, { publicKeys: [key.publicKey], checkpoints: file });
  assert.deepEqual([firstFault, keys.length], [null, 1]);
  const reasons = await query("select distinct reason from event_checkpoints order by reason");
  assert.deepEqual(
    reasons.map(({ reason }) => reason),
    ["demand", "prune"],
  );
});

test("requests that sign while the key is replaced sign with one of the two keys", async () => {
  const teams = [];
  for (let count = 0; count < 12; count++) teams.push(await createTeam(user));
  const other = await world.startAnother();
  const sign = async ({ id }: { id: string }, at: number): Promise<Body> => {
    const app = at % 2 === 0 ? world.app : other;
    const { status, body, text } = await send(app, "POST", `/v1/events/checkpoints?teamId=${id}`, user);
    assert.equal(status, 200, text);
    return body.checkpoint;
  };
  const [replaced] = await Promise.all([signAll(true), ...teams.map(sign)]);
  await other.close();
  const [row] = await query("select count(*) as n from signing_keys where slot = 'active'");
  assert.equal(Number(row?.["n"]), 1);
  assert.equal((await verifyEvents(settings)).firstFault, null);
  const last = await signAll();
  assert.deepEqual(last.key, replaced.key);
});
