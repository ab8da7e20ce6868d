// Kills servers again and again under mixed load: at random points between writes, within them, and while they start. `npm run
// proof -- --long` kills them more often.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { runReeve, serveReeve, startReeve, stopReeve } from "../cli/reeve-process.ts";
import type { RunningServer } from "../cli/reeve-process.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { checkLoad, startLoad, untilDelivered } from "./load/mixed-load.ts";

// On PostgreSQL a round takes three times as long: two servers share the cores with the database.
const KILLS = Number(process.env["FAULT_ROUNDS"] ?? (ENGINE === "sqlite" ? 12 : 6));
/** One of this many kills happens while the server starts. */
const STARTS = 3;
const token = "an_administrators_token_of_this_test_file";

const storage = await createStorage();
const flags = { ...storage.flags, ...LOOPBACK, bootstrapToken: token, rateLimit: "0", logLevel: "fatal" };
const database = await openDatabase(readSettings(flags, {}));
after(async () => {
  await database.close();
  await storage.remove();
});

/** Releases the webhooks of the killed process: on PostgreSQL its lease ends after a minute. */
async function releaseLeases(): Promise<void> {
  if (ENGINE === "sqlite") return;
  await database.transaction((tx) =>
    tx.exec("update webhook_queues set held_until = 0, ready_at = 0 where holder is not null"),
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

test(`a server that is killed ${KILLS} times under mixed load loses no acknowledged write`, async () => {
  const receiver = await startReceiver();
  let victim: RunningServer | undefined = await serveReeve(flags);
  const steady = ENGINE === "postgres" ? await serveReeve(flags) : undefined;
  const load = await startLoad({
    urls: () => [steady, victim].flatMap((server) => server?.url ?? []),
    token,
    receiver,
    // Where another server continues, the load never pauses.
    lanes: steady ? 3 : 8,
  });
  const startTimes: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    if (victim) {
      await load.untilAcknowledged(load.acknowledged + randomInt(1, 60));
      await setTimeout(randomInt(20));
      const { child, ended } = victim;
      // No request may reach a process that gets its port next.
      victim = undefined;
      child.kill("SIGKILL");
      await ended;
    }
    if (kill % STARTS === 0 && ++kill <= KILLS) {
      const { child, ended } = startReeve(["serve", "--port", "0"], flags);
      await setTimeout(randomInt(Math.ceil(median(startTimes))));
      child.kill("SIGKILL");
      await ended;
    }
    const startedAt = performance.now();
    victim = await serveReeve(flags);
    await fetch(`${victim.url}/health/ready`);
    startTimes.push(performance.now() - startedAt);
    await load.follow();
  }
  await load.stop();
  await releaseLeases();
  await untilDelivered(load);
  const figures = await checkLoad(load);
  assert.deepEqual(figures.deliveries.waiting, {});
  assert.ok(figures.refused > 0);
  const [kept] = await database.admin.query(
    `select (select sum(attempts) from webhook_deliveries) as told, (select count(*) from webhook_attempts) as kept`,
  );
  assert.equal(Number(kept?.["told"]), Number(kept?.["kept"]));
  const verified = await runReeve(["events", "verify", "--json"], flags);
  assert.equal(JSON.parse(verified.stdout).intact, true, verified.stdout);
  for (const server of [steady, victim]) {
    if (!server) continue;
    const { code, stderr } = await stopReeve(server);
    assert.equal(code, 0, stderr);
  }
  console.log(
    `${ENGINE}: ${KILLS} kills; first response after ${Math.round(median(startTimes))} ms (median), ` +
      `${Math.round(Math.max(...startTimes))} ms at most; ${JSON.stringify(figures)}`,
  );
});
