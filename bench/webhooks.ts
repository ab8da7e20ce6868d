// Webhooks: how fast a backlog is delivered beside undici alone, and how long an event takes to arrive, also beside receivers that
// fail.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectSqlite } from "../src/platform/store/sqlite/sqlite.ts";
import { benchFairness } from "./fairness.ts";
import { percentile } from "./load.ts";
import { readBody, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { DURATION_MS, ROUNDS, runRounds, startMeter } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { PAYLOAD, PUBLISHED_TYPE, seedHookSet } from "./seed-webhooks.ts";
import type { HookSet } from "./seed-webhooks.ts";
import { atLeast, atMost, finding, rateFinding, rowOf, spreadRow } from "./table.ts";
import type { Sample, Table } from "./table.ts";
import { LOCAL_EGRESS, machineMs, startBareSender, startReceiver, switchHooks } from "./webhook-processes.ts";
import type { BareSender, Receiver } from "./webhook-processes.ts";

/** Deliveries of one measurement, enough for a second or two. */
const BACKLOG = Math.max(400, 10 * DURATION_MS);
/** Each drain takes a backlog of its own. */
const WARM_UPS = 3;
/** One webhook with the most that the API allows, and many as they are by default. */
const SHAPES = [
  { webhooks: 1, concurrency: 64, leastOfBare: 0.45 },
  { webhooks: 100, concurrency: 4, leastOfBare: 0.4 },
] as const;
type Shape = (typeof SHAPES)[number];
const nameOf = ({ webhooks, concurrency }: Shape) => `${webhooks} webhook(s), ${concurrency} at once each`;
/** What a server sends at once to one origin. */
const MAX_CONNECTIONS = 128;
const inFlightOf = ({ webhooks, concurrency }: Shape) => Math.min(webhooks * concurrency, MAX_CONNECTIONS);

const CALM_EVENTS_PER_SECOND = 50;
const CALM_EVENTS = Math.max(50, (4 * CALM_EVENTS_PER_SECOND * DURATION_MS) / 1_000);

interface Field {
  readonly server: ServerProcess;
  readonly receiver: Receiver;
  readonly bare: BareSender;
  countPending(set: HookSet): number;
}

/** Each measurement delivers another backlog: from the first arrival until the last one is in the log. */
function drainScenario(field: Field, shape: Shape, backlogs: HookSet[]): Scenario {
  return {
    name: nameOf(shape),
    async measure(): Promise<Sample> {
      const set = backlogs.pop() as HookSet;
      const readMeter = startMeter(field.server);
      const arrived = field.receiver.expect({ requests: BACKLOG, hasTimes: false });
      await switchHooks(field.server, set, true);
      const { firstAt } = await arrived;
      while (field.countPending(set) > 0) await sleep(1);
      const seconds = (machineMs() - firstAt) / 1_000;
      return { perSecond: BACKLOG / seconds, p50Ms: Number.NaN, p99Ms: Number.NaN, ...readMeter(BACKLOG) };
    },
  };
}

function bareScenario({ receiver, bare }: Field, shape: Shape, body: string): Scenario {
  return {
    name: `undici alone, ${inFlightOf(shape)} at once`,
    async measure() {
      const readMeter = startMeter(bare);
      const arrived = receiver.expect({ requests: BACKLOG, hasTimes: false });
      await bare.send({ url: receiver.url, body, requests: BACKLOG, inFlight: inFlightOf(shape) });
      const { firstAt, lastAt } = await arrived;
      const perSecond = BACKLOG / ((lastAt - firstAt) / 1_000);
      return { perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN, ...readMeter(BACKLOG) };
    },
  };
}

const publishing = { method: "POST", path: "/v1/events", body: { type: PUBLISHED_TYPE, payload: PAYLOAD } };

interface Delay {
  readonly sinceCall: number;
  readonly sinceAnswer: number;
}

/** Publishes at a steady rate, and answers how long each event took to arrive. */
async function measureDelays({ server, receiver }: Field, set: HookSet): Promise<Delay[]> {
  const arrived = receiver.expect({ requests: CALM_EVENTS, hasTimes: true });
  const startedAt = machineMs();
  const published = await Promise.all(
    Array.from({ length: CALM_EVENTS }, async (_, at) => {
      await sleep(Math.max(0, (at * 1_000) / CALM_EVENTS_PER_SECOND - (machineMs() - startedAt)));
      const calledAt = machineMs();
      const { sequence } = JSON.parse(await readBody(server, set.token, publishing)) as { sequence: number };
      return { sequence, calledAt, answeredAt: machineMs() };
    }),
  );
  const times = new Map((await arrived).times.map(({ sequence, at }) => [sequence, at]));
  return published.map(({ sequence, calledAt, answeredAt }) => {
    const at = times.get(sequence) ?? Number.NaN;
    return { sinceCall: at - calledAt, sinceAnswer: at - answeredAt };
  });
}

export const SINCE_COMMIT = "since it was committed and answered";

function delayTable(delays: readonly Delay[], cpuUs: number): Table {
  const row = (name: string, pick: (delay: Delay) => number) => {
    const sorted = Float64Array.from(delays, pick).toSorted();
    return { ...spreadRow(name, [...sorted]), p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), cpuUs };
  };
  const sinceAnswer = row(SINCE_COMMIT, (delay) => delay.sinceAnswer);
  const sinceCall = row("since the call that publishes it", (delay) => delay.sinceCall);
  return {
    title: `Until an event has arrived, ${CALM_EVENTS_PER_SECOND} a second`,
    unit: "ms",
    rows: [sinceAnswer, sinceCall],
    findings: [finding(`${sinceAnswer.name}, p50`, sinceAnswer.p50Ms, atMost(20), "ms")],
    notes: ["CPU of the server, for an event that is published and delivered."],
  };
}

async function benchSending({ folder, keep }: Bench): Promise<readonly [backlog: Table, delays: Table]> {
  const receiver = await keep(startReceiver());
  const bare = await keep(startBareSender());
  const dataDir = join(folder, "webhooks");
  const seeds = await seedStore(dataDir, Date.now(), async (tx, keyring) => {
    let owners = 0;
    const seed = async (webhooks: number, concurrency: number, events: number) =>
      await seedHookSet(tx, keyring, {
        username: `owner-${owners++}`,
        url: receiver.url,
        webhooks,
        concurrency,
        events,
      });
    const backlogs: HookSet[][] = [];
    for (const { webhooks, concurrency } of SHAPES) {
      const sets: HookSet[] = [];
      for (let drain = 0; drain < WARM_UPS + ROUNDS; drain++) {
        sets.push(await seed(webhooks, concurrency, BACKLOG / webhooks));
      }
      backlogs.push(sets);
    }
    return { backlogs, calm: await seed(1, 4, 0) };
  });
  const server = await keep(startReeve(dataDir, LOCAL_EGRESS));
  const { db } = connectSqlite(join(dataDir, "reeve.db"), "read");
  const pending = db.prepare(
    `select count(*) as count from webhook_deliveries
     where due_at is not null and webhook_id in (select value from json_each(?))`,
  );
  const field: Field = {
    server,
    receiver,
    bare,
    countPending: ({ webhookIds }) => (pending.get(JSON.stringify(webhookIds)) as { count: number }).count,
  };
  await switchHooks(field.server, seeds.calm, true);
  await measureDelays(field, seeds.calm);
  const readMeter = startMeter(server);
  const delays = delayTable(await measureDelays(field, seeds.calm), readMeter(CALM_EVENTS).cpuUs);

  const body = JSON.stringify({
    id: `msg_${"0".repeat(26)}`,
    type: PUBLISHED_TYPE,
    createdAt: Date.now(),
    region: null,
    payload: PAYLOAD,
    sequence: 1,
  });
  const drains = SHAPES.flatMap((shape, at) => [
    bareScenario(field, shape, body),
    drainScenario(field, shape, seeds.backlogs[at] as HookSet[]),
  ]);
  const rows = await runRounds(drains, WARM_UPS);
  db.close();
  return [
    {
      title: "Delivering a backlog, 2 KB each, signed and logged",
      unit: "deliveries/s",
      rows,
      findings: [
        ...SHAPES.map((shape) => {
          const [of, beside] = [nameOf(shape), `undici alone, ${inFlightOf(shape)} at once`];
          return rateFinding(rows, `${of} / undici alone`, of, beside, atLeast(shape.leastOfBare));
        }),
        ...SHAPES.map((shape) =>
          finding(nameOf(shape), rowOf(rows, nameOf(shape)).median, atLeast(3_000), "deliveries/s"),
        ),
      ],
    },
    delays,
  ];
}

export async function benchWebhooks(bench: Bench): Promise<Table[]> {
  const [backlog, delays] = await benchSending(bench);
  return [backlog, await benchFairness(bench), delays];
}
