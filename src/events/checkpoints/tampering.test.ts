// Checkpoints reveal a chain that was rewritten with valid hashes: those in the store, and where these were changed too, those
// that an auditor has kept outside it.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { describe, it } from "node:test";
import { publicKeyText, readPublicKey } from "./signature.ts";
import { trustKeys } from "./trust.ts";
import { openCheckpoints } from "../../../test/resources/checkpoints.ts";
import { openFeed } from "../../../test/resources/event-feed.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body, TestTeam } from "../../../test/harness/test-app.ts";
import { openTampering } from "../../../test/resources/tampered-chains.ts";

const world = await startOwnApp();
const { createUser, createTeam } = world;
const { plant } = openFeed(world);
const { create } = openCheckpoints(world);
const { verify, tamper, readChain, rewrite, meanwhile, replaceKey } = openTampering(world);
const user = await createUser();

/** A team with nine events and checkpoints of the fourth and the eighth. */
async function openTeam(): Promise<{ readonly team: TestTeam; readonly kept: readonly Body[] }> {
  const team = await createTeam(user);
  const kept: Body[] = [];
  for (const count of [3, 4]) {
    await plant(
      team,
      Array.from({ length: count }, (_, at) => ({ payload: { name: String(at) } })),
    );
    kept.push(await create(user, team));
  }
  await plant(team, [{}]);
  return { team, kept };
}

const stranger = await createTeam(user);
await plant(stranger, [{}, {}, {}, {}]);
await create(user, stranger);

const last = (team: TestTeam) => `owner_id = '${team.id}' and sequence = 8`;

interface Case {
  readonly what: string;
  readonly change: (team: TestTeam) => Promise<void>;
  /** The break that the store's own checkpoints reveal; null: none. */
  readonly found: readonly [kind: string, sequence: number] | null;
  /** The break that the auditor's checkpoints reveal; null: none. */
  readonly kept: readonly [kind: string, sequence: number] | null;
  /** Every chain has this break, and verification names the first one. */
  readonly isEverywhere?: true;
}

const setCheckpoint = (assignment: string) => (team: TestTeam) =>
  tamper(`update event_checkpoints set ${assignment} where ${last(team)}`);

async function cutOff(team: TestTeam): Promise<void> {
  const [row] = (await readChain(team)).slice(5);
  await tamper(
    `delete from events where owner_id = '${team.id}' and sequence > 6`,
    `update owners set sequence = 6, hash = '${row.hash}' where id = '${team.id}'`,
  );
}

const CASES: readonly Case[] = [
  {
    what: "a rewritten chain, unchanged checkpoints",
    change: (team) => rewrite(team, 3),
    found: ["contradicted", 4],
    kept: ["contradicted", 4],
  },
  {
    what: "a chain rewritten after a checkpoint",
    change: (team) => rewrite(team, 6),
    found: ["contradicted", 8],
    kept: ["contradicted", 8],
  },
  { what: "a chain rewritten after all checkpoints", change: (team) => rewrite(team, 9), found: null, kept: null },
  {
    what: "a rewritten chain, checkpoints removed",
    async change(team) {
      await rewrite(team, 3);
      await tamper(`delete from event_checkpoints where owner_id = '${team.id}'`);
    },
    found: null,
    kept: ["contradicted", 4],
  },
  {
    what: "a rewritten chain, checkpoints adapted",
    async change(team) {
      await rewrite(team, 6);
      const [row] = (await readChain(team)).slice(7);
      await setCheckpoint(`hash = '${row.hash}'`)(team);
    },
    found: ["forged", 8],
    kept: ["forged", 8],
  },
  {
    what: "a rewritten chain, everything signed with another key",
    async change(team) {
      await rewrite(team, 6);
      const [row] = (await readChain(team)).slice(7);
      await setCheckpoint(`hash = '${row.hash}'`)(team);
      await replaceKey();
    },
    found: null,
    kept: ["forged", 4],
  },
  { what: "a truncated chain", change: cutOff, found: ["removed", 8], kept: ["removed", 8] },
  {
    what: "a truncated chain, its checkpoint removed",
    async change(team) {
      await cutOff(team);
      await tamper(`delete from event_checkpoints where ${last(team)}`);
    },
    found: null,
    kept: ["removed", 8],
  },
  {
    what: "the beginning removed, up to a checkpoint that pruned nothing",
    change: (team) => tamper(`delete from events where owner_id = '${team.id}' and sequence <= 4`),
    found: ["removed", 1],
    kept: ["removed", 1],
  },
  { what: "a changed time", change: setCheckpoint("created_at = 5"), found: ["forged", 8], kept: ["forged", 8] },
  { what: "a changed reason", change: setCheckpoint("reason = 'daily'"), found: ["forged", 8], kept: ["forged", 8] },
  { what: "no signature", change: setCheckpoint("signature = ''"), found: ["forged", 8], kept: ["forged", 8] },
  {
    what: "a missing signing key",
    change: () => tamper("delete from signing_keys"),
    found: ["forged", 4],
    kept: ["forged", 4],
    isEverywhere: true,
  },
  {
    what: "another key under the same id",
    change: () =>
      tamper(`update signing_keys set public_key = '${publicKeyText(generateKeyPairSync("ed25519").publicKey)}'`),
    found: ["forged", 4],
    kept: ["forged", 4],
    isEverywhere: true,
  },
  {
    what: "everything signed with another key, under the former id",
    async change() {
      const [row] = await world.query("select id from signing_keys");
      await replaceKey();
      await tamper(`update signing_keys set id = '${String(row?.["id"])}'`);
    },
    found: ["forged", 4],
    kept: ["forged", 4],
    isEverywhere: true,
  },
  {
    what: "a checkpoint with another sequence",
    change: setCheckpoint("sequence = 7"),
    found: ["forged", 7],
    kept: ["forged", 7],
  },
  {
    what: "a checkpoint of another chain",
    change: (team) =>
      tamper(`update event_checkpoints set owner_id = '${team.id}', position = 0 where owner_id = '${stranger.id}'`),
    found: ["forged", 5],
    kept: ["forged", 5],
  },
];

describe("checkpoints reveal", () => {
  for (const { what, change, found, kept: foundByKept, isEverywhere } of CASES) {
    it(what, async () => {
      const { team, kept } = await openTeam();
      await meanwhile(async () => {
        await change(team);
        for (const [options, expected] of [
          [{}, found],
          [{ kept }, foundByKept],
        ] as const) {
          const { firstFault } = await verify(options);
          assert.equal(firstFault?.kind, expected?.[0]);
          if (expected && !isEverywhere)
            assert.deepEqual([firstFault?.ownerId, firstFault?.sequence], [team.id, expected[1]]);
        }
      });
      const whole = await verify({ kept });
      assert.deepEqual([whole.firstFault, whole.kept], [null, 2]);
      assert.ok(whole.checkpoints >= 2);
    });
  }
});

describe("a trusted key given to verification", () => {
  it("is the only one trusted, whatever keys the store has", async () => {
    const { kept } = await openTeam();
    const trust = trustKeys([readPublicKey(kept[0].publicKey) as KeyObject], "not the key given");
    assert.equal((await verify({ trust })).firstFault, null);
    await meanwhile(async () => {
      await replaceKey();
      const { firstFault } = await verify({ trust });
      assert.ok(firstFault);
      assert.equal(firstFault.kind, "forged");
      assert.match(firstFault.reason, /^it has a checkpoint by ed25519_\w+, which is not the key given$/);
      assert.equal((await verify()).firstFault, null);
    });
  });
});
