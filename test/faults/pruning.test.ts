// Kills a process that removes old events in the middle of a step, when the events are deleted and the checkpoint is not stored
// yet: the step has its whole effect, or none.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { openCheckpoints } from "../resources/checkpoints.ts";
import { openFeed } from "../resources/event-feed.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { ENDLESS, isWriteLocked } from "./write-lock.ts";

const world = await startOwnApp();
const { clock, settings, query, withStore } = world;
const DAYS = 30;

function startPruning() {
  const { dataDir, databaseUrl } = settings;
  const flags = JSON.stringify({ dataDir, ...(databaseUrl !== null && { databaseUrl }) });
  const script = join(import.meta.dirname, "prune-process.ts");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^NODE_(?:TEST|OPTIONS)/.test(name)));
  const child = spawn(process.execPath, [script, flags, String(DAYS), String(clock.now)], { env, stdio: "inherit" });
  return { child, ended: once(child, "exit") };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, "waited in vain");
    await setImmediate();
  }
}

/** Kills a pruning process when it is about to store its checkpoint. */
async function killInTheMiddle(): Promise<void> {
  if (ENGINE === "sqlite") {
    await withStore(({ admin }) =>
      admin.exec(`create trigger endless before insert on event_checkpoints begin select (${ENDLESS}); end`),
    );
    const { child, ended } = startPruning();
    await until(() => isWriteLocked(sqliteFile(settings)));
    child.kill("SIGKILL");
    await ended;
    await withStore(({ admin }) => admin.exec("drop trigger endless"));
    return;
  }
  await withStore((store) =>
    store.transaction(async (tx) => {
      await tx.lockTable("event_checkpoints");
      const { child, ended } = startPruning();
      await until(async () => {
        const [row] = await query(
          "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return Number(row?.["n"]) > 0;
      });
      child.kill("SIGKILL");
      await ended;
    }),
  );
}

test("the unfinished step of a killed process has its whole effect or none, and the next process continues", async () => {
  const user = await world.createUser();
  const team = await world.createTeam(user);
  await openFeed(world).plant(
    team,
    Array.from({ length: 500 }, () => ({})),
  );
  clock.advance((DAYS + 1) * DAY_MS);
  const count = async () => Number((await query("select count(*) as n from events"))[0]?.["n"]);
  const before = await count();
  await killInTheMiddle();
  assert.equal((await verifyEvents(settings)).firstFault, null);
  // PostgreSQL has been sent all of the step, and may end it without the process.
  const left = await count();
  assert.ok(left === before || (ENGINE === "postgres" && left < before), `${left} of ${before}`);
  const [code] = await startPruning().ended;
  assert.equal(code, 0);
  // The chains of the administrator, the user and the team.
  assert.equal(await count(), 0);
  assert.equal((await verifyEvents(settings)).firstFault, null);
  const { checkpoints } = await openCheckpoints(world).list(user, team);
  assert.deepEqual([checkpoints.length, checkpoints[0].sequence], [1, 501]);
});
