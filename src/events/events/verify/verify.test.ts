// Verification finds the first row that was tampered with in the database. Each test tampers with a team of its own, and then
// restores it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import { ENGINE } from "../../../../test/harness/test-app.ts";
import { openFeed } from "../../../../test/resources/event-feed.ts";
import { chainHash } from "../chain.ts";
import { rowOf, verifyStore } from "../../../../test/resources/tampered-chains.ts";
import type { VerifyOptions } from "./verify.ts";

const app = await startOwnApp();
const { request, createUser, createTeam, query, withStore } = app;
const { plant, find } = openFeed(app);
const user = await createUser();

const verify = (options?: Partial<VerifyOptions>) =>
  withStore((store) => store.snapshot((tx) => verifyStore(tx, options)));

/** SQL that adds `step` to the sequences from `first` on; through negative numbers, since the key is unique in every step. */
function renumber(ownerId: string, first: number, step: number): string[] {
  return [
    `update events set sequence = -sequence where owner_id = '${ownerId}' and sequence >= ${first}`,
    `update events set sequence = -sequence + ${step} where owner_id = '${ownerId}' and sequence < 0`,
  ];
}

function swap(ownerId: string, a: number, b: number): string[] {
  const move = (from: number, to: number) =>
    `update events set sequence = ${to} where owner_id = '${ownerId}' and sequence = ${from}`;
  return [move(a, -1), move(b, a), move(-1, b)];
}

/** SQL that copies event `from` to the sequence `to`, with another id. */
function copy(ownerId: string, from: number, to: number): string {
  const own = [
    "owner_id",
    "type",
    "created_at",
    "actor_kind",
    "principal_id",
    "user_id",
    "credential_id",
    "actor",
    "via",
  ];
  const rest = ["ip", "user_agent", "request_id", "entity_id", "project_id", "text", "entities", "payload", "previous"];
  const columns = [...own, ...rest, "next", "hash"].join(", ");
  return `insert into events (sequence, id, ${columns})
    select ${to}, 'uev_copy', ${columns} from events where owner_id = '${ownerId}' and sequence = ${from}`;
}

interface Tampering {
  readonly what: string;
  /** The team's chain has nine events. */
  readonly sql: (ownerId: string) => readonly string[];
  readonly kind: string;
  readonly sequence: number;
  /** The original sequence of the event that is named; null: none is named. */
  readonly was: number | null;
}

const set = (ownerId: string, sequence: number, assignment: string) => [
  `update events set ${assignment} where owner_id = '${ownerId}' and sequence = ${sequence}`,
];
const remove = (ownerId: string, sequence: number) =>
  `delete from events where owner_id = '${ownerId}' and sequence = ${sequence}`;
const setHead = (ownerId: string, assignment: string) => `update owners set ${assignment} where id = '${ownerId}'`;

const TAMPERINGS: readonly Tampering[] = [
  { what: "the first changed", sql: (id) => set(id, 1, "ip = 'x'"), kind: "changed", sequence: 1, was: 1 },
  { what: "the last changed", sql: (id) => set(id, 9, "actor = '{}'"), kind: "changed", sequence: 9, was: 9 },
  { what: "a hash changed", sql: (id) => set(id, 4, "hash = 'x'"), kind: "changed", sequence: 4, was: 4 },
  { what: "the head's hash changed", sql: (id) => [setHead(id, "hash = 'x'")], kind: "changed", sequence: 9, was: 9 },
  { what: "one removed", sql: (id) => [remove(id, 5)], kind: "removed", sequence: 5, was: null },
  { what: "the first removed", sql: (id) => [remove(id, 1)], kind: "removed", sequence: 1, was: null },
  { what: "the last removed", sql: (id) => [remove(id, 9)], kind: "removed", sequence: 9, was: null },
  {
    what: "one removed, the rest renumbered",
    sql: (id) => [remove(id, 5), ...renumber(id, 6, -1), setHead(id, "sequence = 8")],
    kind: "removed",
    sequence: 5,
    was: null,
  },
  {
    what: "three removed, the rest renumbered",
    sql: (id) => [remove(id, 4), remove(id, 5), remove(id, 6), ...renumber(id, 7, -3), setHead(id, "sequence = 6")],
    kind: "removed",
    sequence: 4,
    was: null,
  },
  {
    what: "all removed",
    sql: (id) => [`delete from events where owner_id = '${id}'`],
    kind: "removed",
    sequence: 1,
    was: null,
  },
  {
    what: "all removed, and the head reset",
    sql: (id) => [`delete from events where owner_id = '${id}'`, setHead(id, "sequence = 0, hash = ''")],
    kind: "removed",
    sequence: 1,
    was: null,
  },
  { what: "one appended", sql: (id) => [copy(id, 9, 10)], kind: "inserted", sequence: 10, was: 10 },
  { what: "one inserted before the first", sql: (id) => [copy(id, 1, 0)], kind: "inserted", sequence: 0, was: 0 },
  {
    what: "one inserted in between, the rest renumbered",
    sql: (id) => [...renumber(id, 5, 1), copy(id, 2, 5), setHead(id, "sequence = 10")],
    kind: "inserted",
    sequence: 5,
    was: 5,
  },
  {
    what: "one inserted before the last",
    sql: (id) => [...renumber(id, 9, 1), copy(id, 2, 9), setHead(id, "sequence = 10")],
    kind: "inserted",
    sequence: 9,
    was: 9,
  },
  { what: "two neighbours swapped", sql: (id) => swap(id, 4, 5), kind: "reordered", sequence: 4, was: 4 },
  { what: "the last two swapped", sql: (id) => swap(id, 8, 9), kind: "reordered", sequence: 8, was: 8 },
  { what: "two others swapped", sql: (id) => swap(id, 2, 7), kind: "reordered", sequence: 2, was: 2 },
];

const TABLES = ["events", "owners"] as const;

/** Runs SQL like an attacker with access to the database. */
async function tamper(statements: readonly string[]): Promise<void> {
  await withStore(async ({ admin }) => {
    if (ENGINE === "sqlite") await admin.exec("pragma foreign_keys = off");
    for (const sql of statements) await admin.exec(sql);
    if (ENGINE === "sqlite") await admin.exec("pragma foreign_keys = on");
  });
}

/** Copies an owner's rows, and returns a function that restores them. */
async function backUp(ownerId: string): Promise<() => Promise<void>> {
  const ownerColumn = { events: "owner_id", owners: "id" };
  await tamper(
    TABLES.flatMap((table) => [
      `drop table if exists saved_${table}`,
      `create table saved_${table} as select * from ${table} where ${ownerColumn[table]} = '${ownerId}'`,
    ]),
  );
  const key = "sequence, hash, event_at";
  return () =>
    tamper([
      `delete from events where owner_id = '${ownerId}'`,
      `update owners set (${key}) = (select ${key} from saved_owners) where id = '${ownerId}'`,
      "insert into events select * from saved_events",
    ]);
}

describe("verification", () => {
  it("counts every owner and event of an untouched store, deleted teams and users included", async () => {
    const leaver = await createUser();
    const team = await createTeam(leaver);
    await plant(team, [{}, { by: leaver }, { by: { keyId: "key_1", keyName: "Schlüssel 🔑" } }]);
    await request("DELETE", `/v1/teams/${team.id}`, { token: leaver.token });
    await request("DELETE", "/v1/user", { token: leaver.token });
    const [counts] = await query(
      "select (select count(*) from owners) as owners, (select count(*) from events) as events",
    );
    const seen: unknown[] = [];
    const result = await verify({ onProgress: (done, total) => seen.push([done, total]) });
    const owners = Number(counts?.["owners"]);
    const events = Number(counts?.["events"]);
    assert.deepEqual(result, { owners, events, checkpoints: 0, kept: 0, firstFault: null });
    assert.deepEqual(seen.at(-1), [events, events]);
    assert.ok(owners > 4 && events > 8);
  });

  it("is not misled by concurrent writes", async () => {
    const rename = (name: string) => request("PATCH", "/v2/user", { token: user.token, body: { name } });
    const writes = Array.from({ length: 20 }, (_, index) => rename(`Name ${index}`));
    for (const { firstFault } of await Promise.all([verify(), verify(), verify()])) assert.equal(firstFault, null);
    for (const { status } of await Promise.all(writes)) assert.equal(status, 200);
    assert.equal((await verify()).firstFault, null);
  });

  it("continues across pages", async () => {
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 1100 }, () => ({})),
    );
    assert.equal((await verify()).firstFault, null);
    const restore = await backUp(team.id);
    await tamper(set(team.id, 1001, "text = 'x'"));
    const { firstFault } = await verify();
    assert.deepEqual([firstFault?.kind, firstFault?.sequence], ["changed", 1001]);
    await restore();
  });

  it("covers every column", async () => {
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 8 }, () => ({ by: user })),
    );
    const [row] = await query(`select * from events where owner_id = '${team.id}' and sequence = 5`);
    const columns = Object.keys(row ?? {}).filter((column) => column !== "owner_id" && column !== "sequence");
    assert.ok(columns.length > 15);
    for (const column of columns) {
      const restore = await backUp(team.id);
      await tamper(set(team.id, 5, `${column} = ${column === "created_at" ? "5" : "'x'"}`));
      const { firstFault } = await verify();
      assert.deepEqual([firstFault?.kind, firstFault?.sequence], ["changed", 5], column);
      await restore();
    }
  });

  for (const { what, sql, kind, sequence, was } of TAMPERINGS) {
    it(`finds: ${what}`, async () => {
      const team = await createTeam(user);
      await plant(
        team,
        Array.from({ length: 8 }, (_, index) => ({ payload: { name: `${index}` }, by: user })),
      );
      const restore = await backUp(team.id);
      await tamper(sql(team.id));
      const [event] = await query(`select id from events where owner_id = '${team.id}' and sequence = ${was ?? -1}`);
      const { firstFault } = await verify();
      assert.ok(firstFault);
      const { reason, ...chainBreak } = firstFault;
      assert.deepEqual(chainBreak, { ownerId: team.id, sequence, eventId: event?.["id"] ?? null, kind });
      assert.notEqual(reason, "");
      await restore();
      assert.equal((await verify()).firstFault, null);
    });
  }

  it("finds an inserted event with a valid hash", async () => {
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 8 }, () => ({})),
    );
    const restore = await backUp(team.id);
    await tamper([...renumber(team.id, 5, 1), copy(team.id, 2, 5), setHead(team.id, "sequence = 10")]);
    const rows = await query(
      `select * from events where owner_id = '${team.id}' and sequence in (4, 5) order by sequence`,
    );
    const [before, forged] = rows as [Record<string, string>, Record<string, string | number>];
    const numbers = { sequence: 5, createdAt: Number(forged["created_at"]) };
    const hash = chainHash(before["hash"] as string, { ...rowOf(forged), ...numbers } as never);
    await tamper(set(team.id, 5, `hash = '${hash}'`));
    const { firstFault } = await verify();
    assert.deepEqual([firstFault?.kind, firstFault?.sequence, firstFault?.eventId], ["inserted", 5, "uev_copy"]);
    await restore();
  });

  it("finds events without an owner, and an owner without events", async () => {
    const team = await createTeam(user);
    const [event] = await find(user, team, "");
    await tamper([
      ...(ENGINE === "postgres" ? ["alter table events drop constraint events_owner_id_fkey"] : []),
      set(team.id, 1, "owner_id = 'team_000'")[0] as string,
    ]);
    const { firstFault } = await verify();
    const { reason, ...chainBreak } = firstFault ?? {};
    assert.deepEqual(chainBreak, { ownerId: "team_000", sequence: 1, eventId: event.id, kind: "removed" });
    assert.equal(reason, "the row of its owner is missing");
    await tamper(["delete from events where owner_id = 'team_000'"]);
    const { firstFault: second } = await verify();
    assert.deepEqual([second?.ownerId, second?.kind, second?.sequence], [team.id, "removed", 1]);
  });
});
