// Pruning removes old events, and the rest of the chain still verifies, whatever was cut and no matter who writes meanwhile.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { verifyEvents } from "../../cli/bodies/verify-events.ts";
import { examine } from "../../cli/bodies/doctor.ts";
import { assertGenuine, openCheckpoints } from "../../../test/resources/checkpoints.ts";
import { openFeed, sequencesOf } from "../../../test/resources/event-feed.ts";
import { ENGINE, send, startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body, TestTeam } from "../../../test/harness/test-app.ts";

const world = await startOwnApp();
const { createUser, createTeam, clock, query, settings } = world;
const { plant, find } = openFeed(world);
const { create, list, tidy } = openCheckpoints(world);
const user = await createUser();

/** More than one batch removes. On PostgreSQL each event takes three round trips to write. */
const LONG = ENGINE === "sqlite" ? 5_000 : 1_500;
const RETENTION = { retentionDays: 30 };
const prune = () => tidy("pruneEvents", RETENTION);

const many = (count: number) => Array.from({ length: count }, () => ({}));

async function assertWhole(): Promise<void> {
  assert.equal((await verifyEvents(settings)).firstFault, null);
}

async function countEvents(team: TestTeam): Promise<number> {
  const [row] = await query(`select count(*) as n from events where owner_id = '${team.id}'`);
  return Number(row?.["n"]);
}

/** The stored rows of a team's events, checkpoints and head. */
async function rowsOf(team: TestTeam): Promise<unknown[]> {
  return [
    ...(await query(`select * from events where owner_id = '${team.id}' order by sequence`)),
    ...(await query(`select * from event_checkpoints where owner_id = '${team.id}' order by sequence`)),
    ...(await query(`select * from owners where id = '${team.id}'`)),
  ];
}

describe("pruning", () => {
  it("removes older events in batches, and leaves the rest unchanged", async () => {
    const team = await createTeam(user);
    await plant(team, many(LONG));
    clock.advance(DAY_MS);
    await plant(team, [{ text: "stayed" }, {}]);
    const kept = await find(user, team, `&after=${LONG + 1}`);
    clock.advance(29 * DAY_MS);
    assert.equal(await prune(), 0);
    clock.advance(1_001);
    const steps = await prune();
    assert.ok(steps > LONG / 500 && steps < LONG / 100, String(steps));
    assert.equal(await countEvents(team), 2);
    assert.deepEqual(await find(user, team, `&after=${LONG + 1}`), kept);
    assert.deepEqual(sequencesOf(await find(user, team, "")), [LONG + 3, LONG + 2]);
    const { checkpoints } = await list(user, team);
    assert.deepEqual(
      checkpoints.map(({ reason, sequence }: Body) => [reason, sequence]),
      [["prune", LONG + 1]],
    );
    assertGenuine(checkpoints[0]);
    await assertWhole();
    await plant(team, [{}]);
    assert.deepEqual(sequencesOf(await find(user, team, "")), [LONG + 4, LONG + 3, LONG + 2]);
    await assertWhole();
    assert.equal(await prune(), 0);
  });

  it("may remove all events of a chain, which continues from there", async () => {
    const team = await createTeam(user);
    await plant(team, many(3));
    clock.advance(31 * DAY_MS);
    await prune();
    assert.equal(await countEvents(team), 0);
    assert.deepEqual(await find(user, team, ""), []);
    await assertWhole();
    const chains = (await examine(settings)).find(({ check }) => check === "event chains");
    assert.equal(chains?.status, "ok");
    // Pruning has already signed the newest event.
    const [cut, ...others] = (await list(user, team)).checkpoints;
    assert.deepEqual(others, []);
    assert.deepEqual(await create(user, team), cut);
    await tidy("checkpointDue", null);
    assert.deepEqual((await list(user, team)).checkpoints, [cut]);
    await plant(team, [{}]);
    assert.deepEqual(sequencesOf(await find(user, team, "")), [5]);
    clock.advance(31 * DAY_MS);
    await prune();
    assert.deepEqual(
      (await list(user, team)).checkpoints.map(({ sequence }: Body) => sequence),
      [5],
    );
    await assertWhole();
  });

  it("removes the checkpoints of removed events, and no others", async () => {
    const team = await createTeam(user);
    for (let round = 0; round < 3; round++) {
      clock.advance(20 * DAY_MS);
      await plant(team, many(2));
      await create(user, team);
    }
    await prune();
    assert.deepEqual(
      (await list(user, team)).checkpoints.map(({ reason, sequence }: Body) => [reason, sequence]),
      [
        ["prune", 3],
        ["demand", 7],
        ["demand", 5],
      ],
    );
    await assertWhole();
  });

  it("is atomic", async () => {
    const team = await createTeam(user);
    await plant(team, many(3));
    clock.advance(31 * DAY_MS);
    const before = await rowsOf(team);
    const block =
      settings.databaseUrl === null
        ? "create trigger no_checkpoints before insert on event_checkpoints begin select raise(abort, 'no'); end"
        : `create function refuse() returns trigger language plpgsql as 'begin raise ''no''; end';
           create trigger no_checkpoints before insert on event_checkpoints execute function refuse()`;
    await world.withStore(({ admin }) => admin.exec(block));
    await assert.rejects(prune(), /no/);
    assert.deepEqual(await rowsOf(team), before);
    await world.withStore(({ admin }) =>
      admin.exec(`drop trigger no_checkpoints${settings.databaseUrl === null ? "" : " on event_checkpoints"}`),
    );
    await prune();
    assert.equal(await countEvents(team), 0);
    // Later events are pruned as well.
    await plant(team, [{}]);
    clock.advance(31 * DAY_MS);
    await prune();
    assert.equal(await countEvents(team), 0);
    await assertWhole();
  });

  it("runs beside writers, in several servers", async () => {
    const teams = await Promise.all(Array.from({ length: 4 }, () => createTeam(user)));
    for (const team of teams) await plant(team, many(600));
    clock.advance(31 * DAY_MS);
    const other = await world.startAnother();
    const over = new AbortController();
    const exhaust = async (runner: typeof other.runner) => {
      while ((await runner.changes.pruneEvents(RETENTION, clock.now)) > 0);
    };
    const write = async (team: TestTeam, app: typeof other) => {
      let count = 0;
      do {
        const body = { name: `Name ${count++}` };
        const { status, text } = await send(app, "PATCH", `/v2/teams/${team.id}`, { token: user.token, body });
        assert.equal(status, 200, text);
      } while (!over.signal.aborted);
      return count;
    };
    const pruned = Promise.all([world.app.runner, other.runner].map(exhaust)).finally(() => over.abort());
    const written = await Promise.all(teams.map((team, at) => write(team, at % 2 === 0 ? world.app : other)));
    await pruned;
    await other.close();
    // Pruning skips an owner that a writer has locked, until the next run.
    await prune();
    for (const [at, team] of teams.entries()) {
      assert.equal(await countEvents(team), written[at]);
      const { checkpoints } = await list(user, team);
      assert.deepEqual([checkpoints.length, checkpoints[0].sequence], [1, 601]);
    }
    await assertWhole();
  });
});

describe("a chain that is broken", () => {
  const tamper = (sql: string) => world.withStore(({ admin }) => admin.exec(sql));

  it("keeps its events, and an event reports the break; other chains are pruned", async () => {
    const [team, sound] = [await createTeam(user), await createTeam(user)];
    await plant(team, many(5));
    await plant(sound, many(5));
    clock.advance(31 * DAY_MS);
    await tamper(`update events set text = 'nothing happened' where owner_id = '${team.id}' and sequence = 4`);
    const [{ id } = {}] = await query(`select id from events where owner_id = '${team.id}' and sequence = 4`);
    await prune();
    assert.deepEqual([await countEvents(team), await countEvents(sound)], [7, 0]);
    const [told] = await find(user, team, "&limit=1&withPayload=true");
    assert.deepEqual(
      [told.type, told.entityId, told.payload.sequence, told.payload.kind],
      ["event-chain-broken", id, 4, "changed"],
    );
    // It is reported once.
    assert.equal(await prune(), 0);
    clock.advance(7 * DAY_MS + 1);
    await prune();
    assert.equal(await countEvents(team), 8);
    await tamper(`update events set text = 'Reeve did something' where owner_id = '${team.id}' and sequence = 4`);
    await assertWhole();
    clock.advance(38 * DAY_MS);
    await prune();
    assert.equal(await countEvents(team), 0);
    await assertWhole();
  });

  it("is not pruned further from a forged checkpoint", async () => {
    const team = await createTeam(user);
    await plant(team, many(5));
    clock.advance(31 * DAY_MS);
    const [row] = await query(`select * from events where owner_id = '${team.id}' and sequence = 2`);
    await tamper(`delete from events where owner_id = '${team.id}' and sequence <= 2`);
    await tamper(`insert into event_checkpoints
      select '${team.id}', 2, '${String(row?.["hash"])}', event_at, created_at, reason, signing_key_id, signature, position
      from event_checkpoints where reason = 'prune' and owner_id <> '${team.id}' limit 1`);
    await prune();
    assert.equal(await countEvents(team), 5);
    const [told] = await find(user, team, "&limit=1&withPayload=true");
    assert.deepEqual([told.type, told.payload.kind], ["event-chain-broken", "forged"]);
    assert.equal((await verifyEvents(settings)).firstFault?.kind, "forged");
  });

  it("is reported when none of its events is left", async () => {
    const team = await createTeam(user);
    await plant(team, many(5));
    clock.advance(31 * DAY_MS);
    await tamper(`delete from events where owner_id = '${team.id}'`);
    await prune();
    const [told, ...others] = await find(user, team, "&withPayload=true");
    assert.deepEqual([told.type, told.payload.sequence, others], ["event-chain-broken", 1, []]);
    assert.deepEqual((await list(user, team)).checkpoints, []);
  });
});
