// The order of transactions that wait for the locks of contended owners, with locks of the test's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import { createOwnerQueue } from "./owner-queue.ts";

/** Locks that are given in the order in which they are asked for, as those of rows are. */
function createLocks() {
  const last = new Map<string, Promise<void>>();
  return async function lock(name: string): Promise<() => void> {
    const before = last.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    last.set(name, promise);
    await before;
    return resolve;
  };
}

function createWorld() {
  // This is about turns: on a slow machine they take long.
  const queue = createOwnerQueue(MINUTE_MS);
  const lock = createLocks();
  const world = {
    /** Transactions that have ended. */
    done: 0,
    /** Locks the owners one after the other, keeps them for a while, and returns how many attempts that took. */
    async change(owners: readonly string[]): Promise<number> {
      let attempts = 0;
      await queue.run(async (enter) => {
        attempts++;
        const held: (() => void)[] = [];
        try {
          for (const owner of owners) {
            const place = enter(owner);
            try {
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              held.push(await lock(owner));
            } finally {
              place.leave();
            }
          }
          await nextTurn();
        } finally {
          for (const release of held) release();
        }
      });
      world.done++;
      return attempts;
    },
  };
  return world;
}

/** Changes of one owner, as many at a time, again and again. */
function keepBusy({ change }: ReturnType<typeof createWorld>, owner: string, count: number): () => Promise<void> {
  const over = new AbortController();
  const loop = async () => {
    // oxlint-disable-next-line no-await-in-loop -- again and again
    while (!over.signal.aborted) await change([owner]);
  };
  const loops = Promise.all(Array.from({ length: count }, loop));
  return async () => {
    over.abort();
    await loops;
  };
}

const OWNERS = ["a", "b", "c"];
const MANY = 40;

for (const owners of [
  ["a", "b"],
  ["b", "a"],
  ["c", "b", "a"],
]) {
  test(`a transaction of ${owners.join(" and ")} has its turn while each of them is contended`, async () => {
    const world = createWorld();
    const stops = OWNERS.map((owner) => keepBusy(world, owner, MANY));
    await nextTurn();
    const before = world.done;
    let doneBefore = Infinity;
    const both = world.change(owners).finally(() => (doneBefore = world.done - before));
    await waitFor("its end, or many others", () => doneBefore < Infinity || world.done - before > 50 * MANY);
    await Promise.all(stops.map((stop) => stop()));
    const attempts = await both;
    assert.ok(attempts <= owners.length + 1, `${attempts} attempts`);
    // Those that wait already come first, for each owner.
    const turns = (owners.length * (owners.length + 1)) / 2;
    assert.ok(doneBefore <= (turns + 1) * OWNERS.length * MANY, `${doneBefore} others came first`);
  });
}

test("transactions of the same owners in different orders end, and leave every place", async () => {
  const world = createWorld();
  const all = Array.from({ length: MANY }, (_, at) => world.change(at % 2 === 0 ? ["a", "b"] : ["a", "c", "b"]));
  await Promise.all(all);
  assert.equal(await world.change(OWNERS), 1);
});
