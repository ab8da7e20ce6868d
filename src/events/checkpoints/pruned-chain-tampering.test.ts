// Verification finds what an attacker with access to the database did to a chain whose beginning was pruned.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { openCheckpoints } from "../../../test/resources/checkpoints.ts";
import { openFeed } from "../../../test/resources/event-feed.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestTeam } from "../../../test/harness/test-app.ts";
import { openTampering } from "../../../test/resources/tampered-chains.ts";

const world = await startOwnApp();
const { createUser, createTeam, clock } = world;
const { plant } = openFeed(world);
const { create, tidy } = openCheckpoints(world);
const { verify: verifyWithoutKey, verifyWithMasterKey: verify, tamper, meanwhile, replaceKey } = openTampering(world);
const user = await createUser();
/** A master key that no process has. */
const ABSENT_KEY = "mk_0123456789abcdef";

describe("a pruned chain", () => {
  /** A team of nine events whose first four were removed. */
  async function openPruned() {
    const team = await createTeam(user);
    await plant(team, [{}, {}, {}]);
    const early = await create(user, team);
    clock.advance(2 * DAY_MS);
    await plant(team, [{}, {}, {}, {}, {}]);
    const late = await create(user, team);
    await tidy("pruneEvents", { retentionDays: 1 });
    assert.equal((await verify()).firstFault, null);
    return { team, kept: [early, late] };
  }
  const cut = (team: TestTeam) => `owner_id = '${team.id}' and sequence = 4`;

  it("is verified against the checkpoints of an auditor, those of pruned events included", async () => {
    const { kept } = await openPruned();
    const [early] = kept;
    const whole = await verify({ kept });
    // The checkpoint where the chain was cut is of the same event as the early one.
    assert.deepEqual([whole.firstFault, whole.kept], [null, 2]);
    const { firstFault } = await verify({ kept: [{ ...early, hash: "0".repeat(64) }] });
    assert.equal(firstFault?.kind, "forged");
  });

  it("is not proven by a key that nobody can prove", async () => {
    const { team } = await openPruned();
    const { firstFault: withoutMasterKey } = await verifyWithoutKey();
    assert.equal(withoutMasterKey?.kind, "unproven");
    assert.match(
      withoutMasterKey.reason,
      /nothing here proves ed25519_\w+: give that public key with --public-key, or /,
    );
    // With the master key at hand, anyone who writes to the store names another one.
    await meanwhile(async () => {
      await tamper(`delete from events where owner_id = '${team.id}' and sequence <= 9`);
      await tamper(`delete from event_checkpoints where ${cut(team)}`);
      await tamper(`update event_checkpoints set reason = 'prune' where owner_id = '${team.id}'`);
      await replaceKey(ABSENT_KEY);
      const { firstFault } = await verify();
      assert.equal(firstFault?.kind, "unproven");
    });
    assert.equal((await verify()).firstFault, null);
  });

  for (const { what, sql, found } of [
    {
      what: "the checkpoint removed",
      sql: (team: TestTeam) => [`delete from event_checkpoints where ${cut(team)}`],
      found: ["removed", 1],
    },
    {
      what: "the checkpoint changed",
      sql: (team: TestTeam) => [`update event_checkpoints set hash = 'x' where ${cut(team)}`],
      found: ["forged", 4],
    },
    {
      what: "more events removed than signed",
      sql: (team: TestTeam) => [`delete from events where owner_id = '${team.id}' and sequence in (5, 6)`],
      found: ["removed", 5],
    },
    {
      what: "more events removed, and the checkpoint moved",
      sql: (team: TestTeam) => [
        `delete from events where owner_id = '${team.id}' and sequence <= 9`,
        `delete from event_checkpoints where ${cut(team)}`,
        `update event_checkpoints set reason = 'prune' where owner_id = '${team.id}'`,
      ],
      found: ["forged", 9],
    },
    {
      what: "the beginning put back",
      sql: (team: TestTeam) => [`update events set sequence = 4 where owner_id = '${team.id}' and sequence = 5`],
      found: ["changed", 5],
    },
    {
      what: "the head put back before it",
      sql: (team: TestTeam) => [`update owners set sequence = 3 where id = '${team.id}'`],
      found: ["inserted", 5],
    },
  ] as const) {
    it(`finds: ${what}`, async () => {
      const { team } = await openPruned();
      await meanwhile(async () => {
        await tamper(...sql(team));
        const { firstFault } = await verify();
        assert.deepEqual([firstFault?.ownerId, firstFault?.kind, firstFault?.sequence], [team.id, ...found]);
      });
      assert.equal((await verify()).firstFault, null);
    });
  }
});
