// Checkpoints on demand and by the clock: their content, the key that signs them, and that none is made without need.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keySources } from "../../serve/config/data-paths.ts";
import { addNewKey } from "../../platform/keyring/key-file.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { rotateKeys } from "../../cli/bodies/key-rotation.ts";
import { assertGenuine, openCheckpoints } from "../../../test/resources/checkpoints.ts";
import { openFeed } from "../../../test/resources/event-feed.ts";
import { send, startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const world = await startOwnApp();
const { request, createUser, createTeam, clock, query, settings } = world;
const { plant, find } = openFeed(world);
const { create, list, tidy } = openCheckpoints(world);
const user = await createUser();

const signingKeys = async () => (await query("select id, key_id from signing_keys")).map((row) => ({ ...row }));

describe("the signing key", () => {
  it("is made once, however many servers need it first", async () => {
    const others = [await world.startAnother(), await world.startAnother()];
    const teams = await Promise.all(Array.from({ length: 9 }, () => createTeam(user)));
    assert.deepEqual(await signingKeys(), []);
    const responses = await Promise.all(
      teams.map(({ id }, index) =>
        send(
          [world.app, ...others][index % 3] as typeof world.app,
          "POST",
          `/v1/events/checkpoints?teamId=${id}`,
          user,
        ),
      ),
    );
    for (const { status, text } of responses) assert.equal(status, 200, text);
    const ids = (await signingKeys()).map(({ id }) => id);
    assert.equal(ids.length, 1);
    assert.deepEqual(
      responses.map(({ body }) => body.checkpoint.keyId),
      teams.map(() => ids[0]),
    );
    for (const { body } of responses) assertGenuine(body.checkpoint);
    for (const other of others) await other.close();
  });

  it("is rewrapped under the new master key by a rotation, and stays the same", async () => {
    const team = await createTeam(user);
    const before = await create(user, team);
    const next = addNewKey(keySources(settings).ownFile).id;
    const { rewrapped } = await rotateKeys(
      settings,
      null,
      () => undefined,
      () => clock.now,
    );
    assert.equal(rewrapped, 1);
    assert.deepEqual(await signingKeys(), [{ id: before.keyId, key_id: next }]);
    await plant(team, [{}]);
    const after = await create(user, team);
    assert.deepEqual([after.keyId, after.publicKey], [before.keyId, before.publicKey]);
    assertGenuine(after);
  });

  it("makes requests fail with master_key_missing while this server lacks its master key", async () => {
    const team = await createTeam(user);
    const [{ key_id: present } = {}] = await signingKeys();
    await query("update signing_keys set key_id = 'mk_0123456789abcdef'");
    const refused = await request("POST", `/v1/events/checkpoints?teamId=${team.id}`, user);
    assert.deepEqual([refused.status, refused.body.error.code], [503, "master_key_missing"]);
    await query(`update signing_keys set key_id = '${String(present)}'`);
    assert.deepEqual((await list(user, team)).checkpoints, []);
    await create(user, team);
  });

  it("does not sign when its row was tampered with", async () => {
    const team = await createTeam(user);
    const [row] = (await query("select id, public_key from signing_keys")) as [Body];
    await query("update signing_keys set public_key = 'x'");
    assert.equal((await request("POST", `/v1/events/checkpoints?teamId=${team.id}`, user)).status, 500);
    await query(`update signing_keys set public_key = '${row.public_key}'`);
    await create(user, team);
  });
});

describe("on demand", () => {
  it("the newest event is signed, once", async () => {
    const team = await createTeam(user);
    await plant(team, [{}, {}]);
    clock.advance(5);
    const first = await create(user, team);
    const [newest] = await find(user, team, "&limit=1");
    const { publicKey: _, signature: __, keyId: ___, ...said } = first;
    assert.deepEqual(said, {
      ownerId: team.id,
      sequence: newest.sequence,
      hash: newest.hash,
      eventAt: newest.createdAt,
      createdAt: clock.now,
      reason: "demand",
    });
    assertGenuine(first);
    clock.advance(MINUTE_MS);
    assert.deepEqual(await create(user, team), first);
    // The request records no event: otherwise there would always be a new event to sign.
    assert.equal((await find(user, team, "&limit=1"))[0].sequence, newest.sequence);
    await plant(team, [{}]);
    assert.equal((await create(user, team)).sequence, newest.sequence + 1);
  });

  it("one's own account has checkpoints like a team", async () => {
    const own = await createUser();
    const { body } = await request("POST", "/v1/events/checkpoints", { token: own.token });
    assert.equal(body.checkpoint.ownerId, own.id);
    const listed = await request("GET", "/v1/events/checkpoints", { token: own.token });
    assert.deepEqual(listed.body.checkpoints, [body.checkpoint]);
  });

  it("all checkpoints are listed, newest first, page by page", async () => {
    const team = await createTeam(user);
    const made: Body[] = [];
    // All at one time.
    for (let count = 0; count < 5; count++) {
      await plant(team, [{}]);
      made.unshift(await create(user, team));
    }
    const listed: Body[] = [];
    for (let until: number | "" | null = ""; until !== null;) {
      const page = await list(user, team, `&limit=2&until=${until}`);
      listed.push(...page.checkpoints);
      until = page.pagination.next as number | null;
    }
    assert.deepEqual(listed, made);
    const { status, body } = await request("GET", `/v1/events/checkpoints?teamId=${team.id}&since=5&until=3`, user);
    assert.deepEqual([status, body.error.code], [400, "invalid_cursor"]);
  });
});

describe("by the clock", () => {
  it("an event is signed a day later, once, and only in chains with new events", async () => {
    const [team, idle] = [await createTeam(user), await createTeam(user)];
    const asked = await create(user, idle);
    await tidy("checkpointDue", null);
    clock.advance(MINUTE_MS);
    await plant(team, [{}, {}]);
    clock.advance(DAY_MS - MINUTE_MS - 1);
    await tidy("checkpointDue", null);
    assert.deepEqual((await list(user, team)).checkpoints, []);
    clock.advance(1);
    assert.ok((await tidy("checkpointDue", null)) > 0);
    const [daily, ...others] = (await list(user, team)).checkpoints;
    assert.deepEqual(others, []);
    assert.deepEqual([daily.reason, daily.createdAt, daily.sequence], ["daily", clock.now, 3]);
    assertGenuine(daily);
    // An event that was signed on demand is not signed again.
    assert.deepEqual((await list(user, idle)).checkpoints, [asked]);
    clock.advance(3 * DAY_MS);
    await tidy("checkpointDue", null);
    assert.equal((await list(user, team)).checkpoints.length, 1);
    await plant(team, [{}]);
    clock.advance(DAY_MS / 2);
    await plant(team, [{}]);
    await tidy("checkpointDue", null);
    assert.equal((await list(user, team)).checkpoints.length, 1);
    clock.advance(DAY_MS / 2);
    await tidy("checkpointDue", null);
    assert.deepEqual(
      (await list(user, team)).checkpoints.map(({ sequence }: Body) => sequence),
      [5, 3],
    );
  });

  it("many owners are processed in small batches", async () => {
    await tidy("checkpointDue", null);
    const teams = [];
    for (let count = 0; count < 60; count++) teams.push(await createTeam(user));
    clock.advance(DAY_MS);
    assert.ok((await tidy("checkpointDue", null)) >= 3);
    const [{ n } = {}] = await query(
      `select count(*) as n from event_checkpoints where reason = 'daily' and created_at = ${clock.now}
        and owner_id in (${teams.map(({ id }) => `'${id}'`).join(", ")})`,
    );
    assert.equal(Number(n), 60);
    assert.equal(await tidy("checkpointDue", null), 0);
  });
});
