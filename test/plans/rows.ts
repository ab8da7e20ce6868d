// Fills the tables behind every list: it multiplies the rows that real requests have made, so that a page is read out of many.
import pg from "pg";
import { FILL_SECRET_ENTRIES, SECRETS_SCOPE } from "../../src/platform/store/secret-entries.ts";
import { SCHEMA_VERSION } from "../../src/platform/store/migrations/migrate.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import type { World } from "../operations/world.ts";

// With a fifth of the users and teams the planner takes other plans: `PARTS`.
/** Each of these has a chain of its own, so that an average chain is short. */
const USERS = 20_000;
const EVENTS_OF_EACH = 3;
const MANY = 20_000;
const SOME = 3_000;
const DELIVERIES = 40_000;
const VERSIONS_OF_A_SECRET = 50;

/** How rows are made of one: expressions of SQL for some columns, in which `x` is that row, and `g` counts from 1. */
interface Copies {
  readonly table: string;
  /** Selects the rows to multiply. */
  readonly of: string;
  readonly count: number;
  /** Not of the team whose lists are read. */
  readonly ofOthers?: true;
  readonly set: Readonly<Record<string, string>>;
}

const TABLES = new Map(listTables(SCHEMA_VERSION).map((table) => [table.name, table]));

/** The shares of all rows that are made one after the other: of the team, and of others. At first the team is small. */
export const PARTS = {
  small: { team: [0, 0.0005], others: [0, 0.2] },
  fifth: { team: [0.0005, 0.2], others: [0.2, 0.2] },
  rest: { team: [0.2, 1], others: [0.2, 1] },
} as const;
export type Part = keyof typeof PARTS;

function textOf({ table, of, count, set, ofOthers }: Copies, part: Part): string {
  const shares = PARTS[part][ofOthers === true ? "others" : "team"];
  const [from, to] = shares.map((share) => Math.floor(share * count)) as [number, number];
  const columns = TABLES.get(table)?.columns.map(({ name }) => name) ?? [];
  const values = columns.map((name) => set[name] ?? `x.${name}`);
  return `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")}
    from (select * from ${table} where ${of} limit 1) x cross join generate_series(${from + 1}, ${to}) g`;
}

const NEWER = { position: "x.position + 1000 * g" };
const OLDER = { position: "x.position - 1000 * g" };
const id = (column: string) => ({ [column]: `x.${column} || '_' || g` });

/** What an event of the team is about: mostly the same, and now and then something rare. */
const EVENT = {
  type: `case when g % 20000 = 0 then 'secret-rename' when g % 10 = 0 then 'secret-reveal' else 'secret-add' end`,
  created_at: "x.created_at + g",
  principal_id: "case when g % 10000 = 0 then 'rare-principal' else 'busy-principal' end",
  entity_id: "case when g % 10000 = 0 then 'rare-entity' else 'entity-' || g % 500 end",
  project_id: `case when g % 3 = 0 then null when g % 14000 = 1 then 'rare-project' else 'project-' || g % 20 end`,
  actor: "'{}'",
  entities: "'[]'",
  payload: "'{}'",
  hash: "g::text",
};

const ENTRY = {
  user_id: "'user-' || g",
  ordinal: "1000 + g",
  content: String.raw`E'\n\n\nperson\n\n' || g`,
  ...NEWER,
};

const copiesFor = ({ team, owner }: World, webhookId: string, teamEvents: number): readonly Copies[] => {
  const ofTeam = `team_id = '${team.id}'`;
  const ownedByTeam = `owner_id = '${team.id}'`;
  const ofOwner = `user_id = '${owner.id}'`;
  const user = { id: "'user-' || g" };
  return [
    {
      table: "owners",
      of: `id = '${owner.id}'`,
      count: USERS,
      ofOthers: true,
      set: { ...user, sequence: String(EVENTS_OF_EACH) },
    },
    {
      table: "users",
      of: `id = '${owner.id}'`,
      count: USERS,
      ofOthers: true,
      set: { ...user, ...id("email"), ...id("email_key"), ...id("username"), ...id("username_key"), ...NEWER },
    },
    { table: "owners", of: `id = '${team.id}'`, count: MANY, ofOthers: true, set: id("id") },
    {
      table: "teams",
      of: `id = '${team.id}'`,
      count: MANY,
      ofOthers: true,
      set: { ...id("id"), ...id("slug"), ...id("invite_code") },
    },
    {
      table: "memberships",
      of: `${ofTeam} and ${ofOwner}`,
      count: USERS,
      set: { user_id: "'user-' || g", role: "case when g % 5000 = 0 then 'DEVELOPER' else 'VIEWER' end", ...NEWER },
    },
    {
      table: "memberships",
      of: `${ofTeam} and ${ofOwner}`,
      count: MANY,
      ofOthers: true,
      set: { ...id("team_id"), user_position: "x.user_position - 1000 * g" },
    },
    {
      table: "search_entries",
      of: `scope = '${team.id}' and ${ofOwner}`,
      count: USERS,
      set: ENTRY,
    },
    { table: "search_entries", of: `scope = 'users' and ${ofOwner}`, count: USERS, set: ENTRY },
    {
      table: "invites",
      of: ofTeam,
      count: MANY,
      set: { ...id("id"), ...id("code_hash"), ...OLDER, member_position: "x.member_position - 1000 * g" },
    },
    { table: "api_keys", of: ownedByTeam, count: SOME, set: { ...id("id"), hash: "x.hash || g", ...OLDER } },
    { table: "identity_trusts", of: ownedByTeam, count: SOME, set: { ...id("id"), ...OLDER } },
    { table: "access_tokens", of: ofOwner, count: SOME, set: { ...id("id"), hash: "x.hash || g", ...OLDER } },
    { table: "sessions", of: ofOwner, count: SOME, set: { ...id("id"), hash: "x.hash || g", ...OLDER } },
    {
      table: "secrets",
      of: ownedByTeam,
      count: MANY,
      set: {
        ...id("id"),
        ...id("name"),
        ...id("name_key"),
        ...OLDER,
        project_id: "case when g % 5000 = 0 then 'rare-project' when g % 2 = 0 then 'project' end",
        deleted_at: "case when g % 20 = 0 then x.created_at end",
        updated_at: "x.updated_at - g % 5000",
        expires_at: "case when g % 2 = 0 then 1000 + g end",
        ends_at: "case when g % 2 = 0 then 1000 + g else x.ends_at end",
      },
    },
    {
      table: "secret_tags",
      of: ownedByTeam,
      count: MANY,
      set: {
        tag: "case when g % 5000 = 0 then 'rare' else 'often' end",
        position: "x.position - 1000 * g",
        secret_id: "x.secret_id || '_' || g",
      },
    },
    { table: "projects", of: ownedByTeam, count: SOME, set: { ...id("id"), ...OLDER } },
    {
      table: "firewall_versions",
      of: ownedByTeam,
      count: SOME,
      set: { version: "1000 + g", ...id("id"), ...OLDER },
    },
    // Newer than those, of other projects of the same owner.
    {
      table: "firewalls",
      of: ownedByTeam,
      count: SOME,
      set: id("project_id"),
    },
    {
      table: "firewall_versions",
      of: ownedByTeam,
      count: SOME,
      set: { ...id("project_id"), ...id("id"), ...NEWER },
    },
    { table: "environment_versions", of: ownedByTeam, count: SOME, set: { version: "1000 + g", ...OLDER } },
    // Most owners have a single version, so that statistics expect one where somebody has thousands.
    ...["firewall_versions", "environment_versions"].map((table) => ({
      table,
      of: ownedByTeam,
      count: USERS,
      ofOthers: true as const,
      set: { owner_id: "'user-' || g", ...(table === "firewall_versions" ? id("id") : {}) },
    })),
    { table: "secret_versions", of: ownedByTeam, count: VERSIONS_OF_A_SECRET, set: { version: "1000 + g", ...NEWER } },
    { table: "gate_decisions", of: ownedByTeam, count: SOME, set: { ...id("id"), ...OLDER } },
    {
      table: "identities",
      of: "true",
      count: SOME,
      set: { ...id("id"), ...id("subject"), position: "x.position + g" },
    },
    {
      table: "passkeys",
      of: "true",
      count: SOME,
      set: { ...id("id"), ...id("credential_id"), position: "x.position + g" },
    },
    {
      table: "webhook_deliveries",
      of: `webhook_id = '${webhookId}'`,
      count: DELIVERIES,
      set: {
        sequence: "1000 + g",
        ...id("event_id"),
        type: EVENT.type,
        created_at: EVENT.created_at,
        state: "case when g % 10000 = 0 then 'failed' else 'delivered' end",
        status: "case when g % 1000 = 0 then 503 else 200 end",
      },
    },
    { table: "event_checkpoints", of: ownedByTeam, count: SOME, set: { sequence: "x.sequence + g", ...OLDER } },
    {
      table: "events",
      of: ownedByTeam,
      count: teamEvents,
      set: { ...EVENT, sequence: "1000 + g", id: "'e' || g" },
    },
    {
      table: "events",
      of: ownedByTeam,
      count: USERS * EVENTS_OF_EACH,
      ofOthers: true,
      set: {
        ...EVENT,
        owner_id: `'user-' || 1 + g % ${USERS}`,
        principal_id: `'user-' || 1 + g % ${USERS}`,
        sequence: `1 + g / ${USERS}`,
        id: "'u' || g",
      },
    },
  ];
};

/** The indexes of events, which are built several times as fast when all rows are there. */
async function withoutEventIndexes(client: pg.Client, load: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; text: string }>(
    "select indexname as name, indexdef as text from pg_indexes where tablename = 'events' and schemaname = current_schema()",
  );
  await client.query("alter table events drop constraint events_pkey");
  for (const { name } of rows.filter((index) => index.name !== "events_pkey")) await client.query(`drop index ${name}`);
  await load();
  for (const { text } of rows) await client.query(text);
  await client.query("alter table events add primary key using index events_pkey");
}

async function withClient(world: World, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(world.settings.databaseUrl as string);
  await client.connect();
  try {
    await client.query("set auto_explain.log_min_duration = -1");
    await work(client);
  } finally {
    await client.end();
  }
}

/** Runs SQL on the world's database, beside what is recorded. */
export async function runUnrecorded(world: World, sql: string): Promise<void> {
  await withClient(world, async (client) => void (await client.query(sql)));
}

/** Multiplies the rows of a world, without the triggers and checks that each row would cost. */
export async function fillTables(world: World, webhookId: string, teamEvents: number, part: Part): Promise<void> {
  await withClient(world, async (client) => {
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '256MB'");
    await client.query("alter table events set unlogged");
    await withoutEventIndexes(client, async () => {
      for (const copies of copiesFor(world, webhookId, teamEvents)) await client.query(textOf(copies, part));
    });
    // No trigger has added those of the new secrets.
    await client.query(`delete from search_entries where scope like '${SECRETS_SCOPE}%'; ${FILL_SECRET_ENTRIES}`);
    // Sessions that planned for empty tables plan again.
    for (const name of TABLES.keys()) await client.query(`alter table ${name} set (fillfactor = 100)`);
  });
}
