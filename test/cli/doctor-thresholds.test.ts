// From which values on `reeve doctor` warns of a PostgreSQL in trouble. Real ones are in test/faults/postgres/postgres-alerts.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { examineFacts } from "../../src/cli/bodies/doctor-postgres-server.ts";
import type { ServerFacts } from "../../src/platform/store/postgres/server-facts.ts";

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

const SOUND: ServerFacts = {
  role: "reeve",
  sizeBytes: 8 * MIB,
  rows: { live: 1_000, dead: 10 },
  oldestTransaction: { active: 0, idle: 0, prepared: 0 },
  slotRetainedBytes: 0,
  replication: { standbys: 1, lagBytes: 0 },
  connections: {
    server: { used: 21, limit: 97 },
    database: { used: 21, limit: null },
    role: { used: 21, limit: null },
  },
  unsafe: [],
};

const oldest = (ages: Partial<ServerFacts["oldestTransaction"]>): Partial<ServerFacts> => ({
  oldestTransaction: { ...SOUND.oldestTransaction, ...ages },
});
const hidden = (prepared: number) => oldest({ active: null, idle: null, prepared });
const used = (scope: keyof ServerFacts["connections"], count: number, limit: number): Partial<ServerFacts> => ({
  connections: { ...SOUND.connections, [scope]: { used: count, limit } },
});
const END = /^end it/;
const GRANT = /^`grant pg_read_all_stats to reeve`/;

/** The check, what is just good enough, what is not, and the advice. */
const LIMITS: readonly (readonly [string, Partial<ServerFacts>, Partial<ServerFacts>, RegExp])[] = [
  ["durability", { unsafe: [] }, { unsafe: ["fsync"] }, /^turn it on/],
  ["durability", { unsafe: [] }, { unsafe: ["synchronous_commit"] }, /^turn it on/],
  ["transactions", oldest({ idle: 600 }), oldest({ idle: 601 }), END],
  ["transactions", oldest({ prepared: 600 }), oldest({ prepared: 601 }), END],
  ["transactions", oldest({ active: 4 * 3_600 }), oldest({ active: 4 * 3_600 + 1 }), END],
  ["transactions", oldest({}), hidden(600), GRANT],
  ["transactions", oldest({}), hidden(601), END],
  ["size", { rows: { live: 0, dead: 100_000 } }, { rows: { live: 100_000, dead: 100_001 } }, /^see that autovacuum/],
  ["size", { rows: { live: 200_000, dead: 200_000 } }, { rows: { live: 200_000, dead: 200_001 } }, /^see that auto/],
  [
    "replication",
    { replication: { standbys: 2, lagBytes: 256 * MIB } },
    { replication: { standbys: 2, lagBytes: 256 * MIB + 1 } },
    /^see what slows/,
  ],
  ["replication", { slotRetainedBytes: 10 * GIB }, { slotRetainedBytes: 10 * GIB + 1 }, /^drop the slots/],
  ["replication", { replication: { standbys: 0, lagBytes: 0 } }, { replication: null }, GRANT],
  ["replication", {}, { replication: null, slotRetainedBytes: 10 * GIB + 1 }, /^drop the slots/],
  ["connections", used("server", 90, 100), used("server", 91, 100), /^raise the limit/],
  ["connections", used("database", 18, 20), used("database", 19, 20), /^raise the limit/],
  ["connections", used("role", 9, 10), used("role", 10, 10), /^raise the limit/],
];

for (const [check, enough, tooMuch, advised] of LIMITS) {
  test(`${check}: ${JSON.stringify(tooMuch)} is too much, and ${JSON.stringify(enough)} is not`, () => {
    const find = (facts: Partial<ServerFacts>) =>
      examineFacts({ ...SOUND, ...facts }).find((one) => one.check === check) ?? assert.fail(check);
    assert.equal(find(enough).status, "ok");
    const { status, advice } = find(tooMuch);
    assert.equal(status, "warning");
    assert.match(advice ?? "", advised);
  });
}

test("a sound server has no warning", () => {
  assert.deepEqual(new Set(examineFacts(SOUND).map(({ status }) => status)), new Set(["ok"]));
});
