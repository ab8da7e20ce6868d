// No list reads much more than a page, and no statement on versions much more than it needs, whatever the statistics: every list with every
// filter it has, on 200 000 events (`npm run proof -- --long`: a million), on PostgreSQL 15 and on the version that npm installs, without
// statistics, with those of a small team, with those that a restore makes, and after a vacuum.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { EXAMPLES } from "../operations/examples.ts";
import type { Example } from "../operations/example-things.ts";
import { call } from "../operations/operation-call.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createWorld } from "../operations/world.ts";
import type { World } from "../operations/world.ts";
import { findDebianPostgres, findPostgres } from "../postgres/files.ts";
import { createPostgresNode } from "../postgres/node.ts";
import type { PostgresNode } from "../postgres/node.ts";
import { serveNode } from "../postgres/server.ts";
import { LISTS, isFilter, requestsTo } from "./lists.ts";
import { RECORDING, createRecorder } from "./recorded-plans.ts";
import { deliveryStatements } from "./deliveries.ts";
import { fillTables, runUnrecorded } from "./rows.ts";
import type { Part } from "./rows.ts";
import { versionStatements } from "./versions.ts";
import type { Versioned } from "./versions.ts";

const PAGE = 20;
/** A row of each table, with the path to it through an index, for each row of a page. */
const BLOCKS_PER_ROW = 20;

const CONFIGURATION = [
  ...RECORDING,
  "autovacuum = off",
  "full_page_writes = off",
  "wal_level = minimal",
  "max_wal_senders = 0",
  "max_wal_size = '8GB'",
  "shared_buffers = '256MB'",
];

/** What is done before each round. */
const ROUNDS = { "without statistics": "", "after ANALYZE": "analyze", "after VACUUM": "vacuum (analyze)" } as const;

/** A superuser may delete statistics. Sessions that used them plan again. */
const FORGET = `set allow_system_table_mods = on; delete from pg_statistic;
  update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relnamespace = current_schema()::regnamespace`;

type Examples = ReadonlyMap<string, Example>;

interface Filled {
  readonly database: Database;
  readonly world: World;
  readonly examples: Examples;
  /** One with many deliveries. */
  readonly webhookId: string;
}

async function makeExamples(world: World): Promise<Examples> {
  const make = async (id: string) => await (EXAMPLES[id] as (of: World) => Example | Promise<Example>)(world);
  const examples = new Map<string, Example>();
  for (const { id } of LISTS) examples.set(id, await make(id));
  // Whose list is empty: others of the same kind make a row.
  const { query } = await make("getGateDecision");
  examples.set("listGateDecisions", { query: { ...query, projectId: "default" } });
  examples.set("listPasskeys", { token: (await make("deletePasskey")).token as string });
  examples.set("listIdentities", { token: (await make("deleteIdentity")).token as string });
  return examples;
}

/** A server with a world in it, which `createWorld` finds by the environment. */
async function fill(node: PostgresNode): Promise<Filled> {
  const server = await serveNode(node);
  Object.assign(process.env, server.environment);
  const world = await createWorld();
  // After the world, which drops its database.
  after(() => server.stop());
  const examples = await makeExamples(world);
  const database = await openDatabase(world.settings);
  after(() => database.close());
  return { database, world, examples, webhookId: examples.get("listDeliveries")?.params?.["webhookId"] as string };
}

/** The statements that read too much, of all requests to lists. */
async function findComplaints(
  node: PostgresNode,
  { world, examples }: Filled,
  operations: readonly Operation[] = LISTS,
): Promise<readonly string[]> {
  const record = createRecorder(node);
  const complaints: string[] = [];
  for (const operation of operations) {
    const { query: given = {}, ...example } = examples.get(operation.id) as Example;
    const kept = Object.entries(given).filter(([member]) => !isFilter(operation, member));
    for (const { query, ranges = 1, exception } of requestsTo(operation)) {
      const { rows } = exception ?? { rows: 3 * PAGE * ranges };
      const isInstance = query["instance"] !== undefined;
      const asked = { ...(isInstance ? {} : Object.fromEntries(kept)), limit: String(PAGE), ...query };
      const who = isInstance ? { token: world.admin.token } : {};
      const plans = await record(async () => {
        const response = await call(operation, world, { ...example, ...who, query: asked });
        assert.equal(response.status, 200, `${operation.id} ${JSON.stringify(asked)}: ${response.text}`);
      });
      complaints.push(
        ...plans
          .filter((plan) => plan.rows > rows || plan.blocks > BLOCKS_PER_ROW * rows)
          .map(
            ({ rows: read, blocks, text }) =>
              `${operation.id} ${JSON.stringify(query)}: ${read} rows, ${blocks} blocks: ${text}`,
          ),
      );
    }
  }
  return complaints;
}

async function findVersioned({ world, examples }: Filled): Promise<Versioned> {
  const environment = examples.get("listEnvironmentVersions")?.params as Readonly<Record<string, string>>;
  const [row] = await world.query(`select secret_id from secret_versions where version > 1000 limit 1`);
  return {
    ownerId: world.team.id,
    firewallProject: examples.get("listFirewallConfigs")?.query?.["projectId"] as string,
    environmentProject: environment["project"] as string,
    environment: environment["environment"] as string,
    secretId: row?.["secret_id"] as string,
  };
}

/** Of each of eight kinds it counts 51 at most. */
const COUNTED = 8 * 51;

/** The statements that read too much to count what needs somebody. */
async function findCountComplaints(node: PostgresNode, { world }: Filled): Promise<readonly string[]> {
  const plans = await createRecorder(node)(async () => {
    const { status, text } = await world.request("GET", `/v1/teams/${world.team.id}/attention`, world.owner);
    assert.equal(status, 200, text);
  });
  assert.ok(plans.length > 0);
  const isMuch = ({ rows, blocks }: (typeof plans)[number]) => rows > COUNTED || blocks > BLOCKS_PER_ROW * COUNTED;
  return plans.filter(isMuch).map(({ rows, blocks, text }) => `${rows} rows, ${blocks} blocks: ${text}`);
}

class Undone extends Error {}

/** The statements on versions and deliveries that read more than they need; what they change is undone. */
async function findOtherComplaints(node: PostgresNode, filled: Filled): Promise<readonly string[]> {
  const record = createRecorder(node);
  const complaints: string[] = [];
  const onVersions = versionStatements(await findVersioned(filled));
  const onDeliveries = deliveryStatements(filled.world.team.id, filled.webhookId);
  for (const { statement, params, rows } of [...onVersions, ...onDeliveries]) {
    const run = filled.database.transaction(async (tx) => {
      if (statement.compiled("postgres").isRead) await tx.many(statement, params);
      else await tx.run(statement, params);
      throw new Undone();
    });
    const plans = await record(() => assert.rejects(run, Undone));
    assert.ok(plans.length > 0, statement.name);
    complaints.push(
      ...plans
        .filter((plan) => plan.rows > rows || plan.blocks > BLOCKS_PER_ROW * rows)
        .map((plan) => `${statement.name}: ${plan.rows} rows, ${plan.blocks} blocks`),
    );
  }
  return complaints;
}

/** Other owners have 60 000 more. */
const teamEvents = Number(process.env["PLAN_EVENTS"] ?? 140_000);
const versions = { "PostgreSQL 15": await findDebianPostgres(15), "PostgreSQL of npm": await findPostgres() };
for (const [version, files] of Object.entries(versions)) {
  const node = await createPostgresNode(version, { configuration: CONFIGURATION, files });
  const filled = await fill(node);
  const fillPart = (part: Part) => fillTables(filled.world, filled.webhookId, teamEvents, part);
  test(`each list reads a page in a smaller store: ${version}, with statistics of a small team`, async () => {
    await fillPart("small");
    await runUnrecorded(filled.world, "analyze");
    await fillPart("fifth");
    assert.deepEqual(await findComplaints(node, filled), []);
    assert.deepEqual(await findOtherComplaints(node, filled), []);
  });
  test(`each list reads a page in a smaller store: ${version}, without statistics`, async () => {
    await runUnrecorded(filled.world, FORGET);
    const complaints = await findComplaints(node, filled);
    await fillPart("rest");
    assert.deepEqual(complaints, []);
  });
  for (const [round, sql] of Object.entries(ROUNDS)) {
    test(`each list reads a page: ${version}, ${round}`, async () => {
      await runUnrecorded(filled.world, sql);
      assert.deepEqual(await findComplaints(node, filled), []);
    });
    test(`a statement on versions or deliveries reads those it needs: ${version}, ${round}`, async () => {
      assert.deepEqual(await findOtherComplaints(node, filled), []);
    });
    test(`what needs somebody is counted up to a bound: ${version}, ${round}`, async () => {
      assert.deepEqual(await findCountComplaints(node, filled), []);
    });
  }
}
