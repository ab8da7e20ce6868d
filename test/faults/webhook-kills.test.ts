// A server that is killed again and again under load: what it has acknowledged is delivered, what it has refused is not,
// and its chain of events is whole. `npm run faults` kills it more often.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import { readSettings } from "../../src/config.ts";
import { openDatabase } from "../../src/runtime/backend.ts";
import { runReeve, serveReeve, stopReeve } from "../cli/reeve-process.ts";
import type { RunningServer } from "../cli/reeve-process.ts";
import { ENGINE, createStorage } from "../harness.ts";
import type { Body } from "../harness.ts";
import { waitFor } from "../mail/mail-server.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { TYPE } from "../webhooks/webhook-world.ts";

const ROUNDS = Number(process.env["FAULT_ROUNDS"] ?? 3);
const LANES = 8;
const token = "an_administrators_token_of_this_test_file";

const storage = await createStorage();
const flags = { ...storage.flags, ...LOOPBACK, bootstrapToken: token, rateLimit: "0", logLevel: "fatal" };
const database = await openDatabase(readSettings(flags, {}));
const agent = new Agent();
after(async () => {
  await agent.close();
  await database.close();
  await storage.remove();
});

async function call(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const answer = await request(`${server.url}${path}`, {
    dispatcher: agent,
    method: method as "GET",
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.statusCode, body: await answer.body.json() };
}

/** Numbers of events, by what came of the calls that would have recorded them. */
const acknowledged = new Set<number>();
const refused = new Set<number>();
let last = 0;

/** Publishes until the server is gone; some of it is refused. */
async function load(server: RunningServer): Promise<void> {
  for (;;) {
    const n = last++;
    const isWrong = n % 5 === 4;
    try {
      const { status } = await call(server, "POST", "/v1/events", {
        type: TYPE,
        payload: { n },
        ...(isWrong && { wrong: 1 }),
      });
      assert.equal(status, isWrong ? 400 : 200);
      (isWrong ? refused : acknowledged).add(n);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return;
    }
  }
}

/** What the process that was killed had is nobody's: on PostgreSQL when its claim has ended, which is a minute later. */
async function endClaims(): Promise<void> {
  if (ENGINE === "sqlite") return;
  await database.transaction((tx) =>
    tx.exec("update webhook_queues set held_until = 0, ready_at = 0 where holder is not null"),
  );
}

async function countUndelivered(): Promise<number> {
  const [row] = await database.admin.query("select count(*) as n from webhook_deliveries where state <> 'delivered'");
  return Number(row?.["n"]);
}

const numbersOf = ({ received }: Receiver) => received.map(({ body }) => body.payload.n as number);

test(`a server that is killed ${ROUNDS} times under load loses no event, and tells of none that there is not`, async () => {
  const parallel = await startReceiver();
  const strict = await startReceiver();
  const hooks: string[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const server = await serveReeve(flags);
    if (round === 0) {
      for (const [url, ordering] of [
        [parallel.url, "parallel"],
        [strict.url, "strict"],
      ] as const) {
        const made = await call(server, "POST", "/v1/webhooks", { url, ordering, events: [TYPE] });
        assert.equal(made.status, 200);
        hooks.push(made.body.id);
      }
    }
    await endClaims();
    if (round === ROUNDS) {
      await waitFor("all to be delivered", async () => (await countUndelivered()) === 0 || undefined);
      const { code, stderr } = await stopReeve(server);
      assert.equal(code, 0, stderr);
      break;
    }
    const lanes = Promise.all(Array.from({ length: LANES }, () => load(server)));
    const enough = acknowledged.size + randomInt(1, 80);
    await waitFor("enough to be acknowledged", () => acknowledged.size >= enough || undefined);
    await setTimeout(randomInt(20));
    await stopReeve(server, "SIGKILL");
    await lanes;
  }
  const rows = await database.admin.query(
    `select sequence, payload from events where type = '${TYPE}' order by sequence`,
  );
  const recorded = rows.map((row) => JSON.parse(String(row["payload"])).n as number);
  const known = new Set(recorded);
  assert.equal(known.size, recorded.length);
  assert.ok(refused.size > 0);
  for (const n of acknowledged) assert.ok(known.has(n), `${n} was acknowledged and is gone`);
  for (const n of refused) assert.ok(!known.has(n), `${n} was refused and is recorded`);
  for (const receiver of [parallel, strict]) {
    assert.deepEqual(
      [...new Set(numbersOf(receiver))].toSorted((a, b) => a - b),
      recorded.toSorted((a, b) => a - b),
    );
  }
  // In order but for what was sent again, because nobody knew that it had been taken.
  assert.deepEqual([...new Set(numbersOf(strict))], recorded);
  for (const id of hooks) {
    const [row] = await database.admin.query(
      `select count(*) as n, min(attempts) as least, sum(attempts) as attempts,
        (select count(*) from webhook_attempts as attempt where attempt.webhook_id = '${id}') as kept
        from webhook_deliveries where webhook_id = '${id}'`,
    );
    assert.equal(Number(row?.["n"]), recorded.length);
    assert.ok(Number(row?.["least"]) >= 1);
    assert.equal(Number(row?.["attempts"]), Number(row?.["kept"]));
  }
  const verified = await runReeve(["events", "verify", "--json"], flags);
  assert.equal(JSON.parse(verified.stdout).intact, true, verified.stdout);
});
