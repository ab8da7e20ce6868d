// The bytes of each owner's versions, which triggers keep, are those that a fresh sum finds: after random changes at the same time, after
// deletions, after a restore, and in a store that is upgraded.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { migrate, migrationsUpTo } from "../../src/platform/store/migrations/migrate.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { exportStore } from "../../src/serve/backup/backup.ts";
import { restoreStore } from "../../src/serve/backup/restore.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { ENGINE, createStorage, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse, TestTeam, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { denyPath, openFirewall } from "../resources/firewalls.ts";
import { openEnvironments } from "../resources/environments.ts";
import { openVault } from "../resources/secrets.ts";

const api = await startOwnApp({ storageLimits: "versions=3" });
const { request, createUser, createTeam, app, clock, settings } = api;

const TOTALS = `select owner_id as owner, kind, bytes from version_totals order by kind, owner_id`;
const SUMS = `select * from (
    select owner_id as owner, 'firewall_versions' as kind, sum(size) as bytes from firewall_versions group by owner_id
    union all select owner_id, 'environment_versions', sum(size) from environment_versions group by owner_id
    union all select owner_id, 'secret_versions', sum(size) from secret_versions where size > 4096 group by owner_id
  ) as sums order by kind, owner`;

/** How many totals there are, after they were compared. */
async function compareTotals({ admin }: Pick<Database, "admin">): Promise<number> {
  const read = async (sql: string) =>
    (await admin.query(sql)).map((row) => `${String(row["kind"])} ${String(row["owner"])} ${String(row["bytes"])}`);
  const totals = await read(TOTALS);
  assert.deepEqual(totals.toSorted(), (await read(SUMS)).toSorted());
  return totals.length;
}
const compare = () => api.withStore(compareTotals);

const ROUNDS = 40;
const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
let state = seed;
/** A whole number below `end`. */
function random(end: number): number {
  // The generator of Park and Miller.
  state = (state * 48_271) % 2_147_483_647;
  return state % end;
}
const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;

/** One random change of an owner. */
function changeOf(user: TestUser, team?: TestTeam): () => Promise<TestResponse> {
  const vault = openVault(api, user.token, team?.id);
  const environments = (project: string) => openEnvironments(api, user.token, project, team?.id);
  const value = () => "x".repeat(pick([10, 4_096, 4_097, 20_000]));
  const name = () => `secret_${random(4)}`;
  const changes: readonly (() => Promise<TestResponse>)[] = [
    () =>
      openFirewall(api, user.token, `project-${random(2)}`, team?.id).put({
        firewallEnabled: true,
        rules: Array.from({ length: random(5) }, (_, at) => denyPath(`rule-${at}`)),
      }),
    () =>
      environments(`project-${random(2)}`).change({
        production: { set: { [`KEY_${random(9)}`]: { value: value() } } },
      }),
    () => environments("project-0").change({ preview: { set: { A: { value: value() } } } }),
    () => environments("project-0").call("DELETE", "/preview"),
    () => vault.create({ name: name(), value: value(), maxVersions: 1 + random(3) }),
    () => vault.put(name(), { value: value() }),
    () => vault.remove(name(), pick(["", "permanent=true"])),
  ];
  return () => pick(changes)();
}

test("totals equal a fresh sum after random changes of several owners at the same time", async (t) => {
  t.diagnostic(`seed ${seed}`);
  const [owner, alone] = [await createUser(), await createUser()];
  const [one, other] = [await createTeam(owner), await createTeam(owner)];
  const changes = [changeOf(alone), changeOf(owner, one), changeOf(owner, other)];
  let succeeded = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Twice for each owner, so that two changes of one meet too.
    const responses = await Promise.all([...changes, ...changes].map((change) => change()));
    for (const { status, text } of responses) assert.ok(status < 500 && status !== 429, text);
    succeeded += responses.filter(({ status }) => status === 200).length;
    await compare();
  }
  assert.ok(succeeded > ROUNDS, `${succeeded} changes`);
  assert.ok((await compare()) > 5);

  for (const path of [`teams/${one.id}`, `users/${alone.id}`]) {
    const { status, text } = await request("DELETE", `/v1/${path}`);
    assert.equal(status, 200, text);
  }
  await waitFor("the removal of both", async () => {
    // Housekeeping takes steps too, and what it has taken is left to it.
    for (const id of [one.id, alone.id]) await app.runner.changes.continueRemoval(id, clock.now);
    return (await api.query("select owner_id from removals")).length === 0;
  });
  clock.advance(400 * 86_400_000);
  while ((await app.runner.changes.purgeSecrets(null, clock.now)) > 0);
  await compare();
  const left = await api.query("select distinct owner_id from version_totals");
  assert.deepEqual(
    left.map((row) => row["owner_id"]),
    [other.id],
  );
});

test("a restored store has the totals of its rows, also in place of another", async () => {
  const file = join(settings.dataDir, "totals.ndjson");
  await exportStore(
    settings,
    { file, force: false },
    () => undefined,
    () => clock.now,
  );
  const { flags, remove } = await createStorage();
  after(remove);
  const restored = readSettings({ ...flags, masterKeyFile: join(settings.dataDir, "master.key") }, {});
  for (const replace of [false, true]) {
    const order = { file, replace, endCredentials: false, kinds: ["archive"] as const };
    await restoreStore(
      restored,
      order,
      () => undefined,
      () => clock.now,
    );
    const store = await openDatabase(restored);
    assert.ok((await compareTotals(store)) > 0);
    await store.close();
  }
});

test("a store of the schema before gets its totals, and counts from then on", async () => {
  const { flags, remove } = await createStorage();
  after(remove);
  const file = join(settings.dataDir, "before.ndjson");
  await exportStore(
    settings,
    { file, force: false },
    () => undefined,
    () => clock.now,
  );
  const upgraded = readSettings({ ...flags, masterKeyFile: join(settings.dataDir, "master.key") }, {});
  const order = { file, replace: false, endCredentials: false, kinds: ["archive"] as const };
  await restoreStore(
    upgraded,
    order,
    () => undefined,
    () => clock.now,
  );
  const store = await openDatabase(upgraded);
  try {
    const { admin } = store;
    if (ENGINE === "postgres") await admin.exec("drop function reeve_count_versions cascade");
    else {
      for (const { name } of await admin.query(
        "select name from sqlite_schema where type = 'trigger' and name like '%counted'",
      ))
        await admin.exec(`drop trigger ${String(name)}`);
    }
    await admin.exec("drop table version_totals; delete from schema_migrations where version >= 41");
    assert.equal((await migrate(store, null, 0, migrationsUpTo(41))).to, 41);
    const before = await compareTotals(store);
    assert.ok(before > 0);
    await admin.exec("delete from firewall_versions");
    assert.ok((await compareTotals(store)) < before);
  } finally {
    await store.close();
  }
});
