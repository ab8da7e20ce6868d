// Checks the plan of every statement that the product prepares: none reads a whole table, and none sorts rows that it then cuts
// to a page. The plans do not depend on the data here: an index has to fit.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operations } from "../../src/serve/composition/registry.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { findSequences } from "../../src/events/events/feed/feed-store.ts";
import { verifyChains } from "../../src/events/events/verify/verify.ts";
import { findNextRemoval } from "../../src/platform/store/removals/store.ts";
import { rewrapBatch } from "../../src/platform/keyring/sealing/rewrap.ts";
import { readSecrets } from "../../src/secrets/secrets/archive/archive-export.ts";
import { addArchived } from "../../src/secrets/secrets/archive/archive-import.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Database, WriteTx } from "../../src/platform/store/database.ts";
import { migrate } from "../../src/platform/store/migrations/migrate.ts";
import { wordsOf } from "../../src/platform/store/postgres/read-ahead.ts";
import { allStatements } from "../../src/platform/store/prepared.ts";
import type { Statement } from "../../src/platform/kernel/tx.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import type { TestStorage } from "../harness/test-app.ts";

/** Statements that read a whole table or sort, and why that is right. New entries need a reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "automatic.listMostRequests": "sorts the minutes of one project in seven days, ten thousand at most",
  "automatic.listMostErrors": "sorts the minutes of one project in seven days, ten thousand at most",
  "automatic.listSlowest": "sorts the minutes of one project in seven days, ten thousand at most",
  "bots.list": "reads all bots, of which a setting names 16 at most",
  "bots.deleteOthers": "looks at all bots, of which a setting names 16 at most",
  "checkpoints.countOverdue": "counts what it has read of an index, ten thousand entries at most",
  "environments.listLineWithDocuments": "reads its own recursion, a row for each environment that one inherits from",
  "events.sumHeads": "adds up what it has read in the order of the key, a thousand rows",
  "attention.count": "counts what it has read of indexes, fifty-one entries of each",
  "members.lockTeamsOf": "counts what it has locked, the teams of one account",
  "mails.measureWaiting": "counts what it has read of an index, ten thousand entries at most",
  "webhookDeliveries.countLatest": "counts what it has read of an index, ten thousand entries at most",
  "webhookDeliveries.countWaiting": "counts what it has read of an index, ten thousand entries at most",
  "removals.findNext": "passes the removals that have failed and wait",
  "secretKeys.countUpTo": "counts what it has read of an index, ten thousand entries at most",
  "webhookSecretKeys.countUpTo": "counts what it has read of an index, ten thousand entries at most",
  "webhookQueues.countTroubled": "counts what it has read of two indexes, ten thousand entries at most of each",
  "checkpoints.countUnsigned": "looks at every chain's head, for the progress of `reeve events checkpoint` alone",
  "events.countBrokenHeads": "compares every chain's head with its last event, for `reeve doctor` alone",
  "events.findTypes-by-entity": "reads its own recursion, one row for each type",
  "events.findTypes-by-project": "reads its own recursion, one row for each type of each project",
  "events.findTypes-by-principal": "reads its own recursion, one row for each type",
  "events.countStored": "adds up every chain's head, for the progress of `reeve events verify` alone",
  "members.list.accounts.asc": "sorts the accounts that the request names or a search has found, at most five hundred",
  "members.list.accounts.desc": "sorts the accounts that the request names or a search has found, at most five hundred",
  "search.listCandidates-asc": "reads what the index has found, five hundred entries at most",
  "search.listCandidates-desc": "reads what the index has found, five hundred entries at most",
  "removals.measure": "counts what it has read, ten thousand entries at most",
  "removals.findAny": "reads the first entry of a table that holds what is unfinished alone",
  "search.lockRefresh": "reads the first entry of a table that holds what is unfinished alone",
  "users.listChosen-asc": "sorts the accounts that were found, at most a hundred",
  "users.listChosen-desc": "sorts the accounts that were found, at most a hundred",
  "search.findAnyRefresh": "reads the first entry of a table that holds what is unfinished alone",
  "secretKeys.listUsed": "reads its own recursion, one row for each master key",
  "secrets.listChosen.desc": "sorts the secrets that the request names, at most some hundred",
  "secrets.listChosen.asc": "sorts the secrets that the request names, at most some hundred",
  "secretVersions.list.desc": "sorts the versions of one secret, at most a hundred",
  "secretVersions.list.asc": "sorts the versions of one secret, at most a hundred",
  "webhookDeliveries.find-newest-by-state": "sorts what it merges: a page per stream",
  "webhookDeliveries.find-oldest-by-state": "sorts what it merges: a page per stream",
  "webhookDeliveries.listWindow": "reads the first row of each stream",
  "webhookDeliveries.findPresent": "reads its own recursion, one row for each type in each state",
  "events.findLastBefore": "reads its own recursion, one row for each time that it halves",
  "webhookDeliveries.findFirstSince": "reads its own recursion, one row for each time that it halves",
  "webhooks.listLatest": "sorts the webhooks of one owner by a look at each one's newest delivery",
  "webhookQueues.listWaiting": "reads what it has found in an index, up to a limit",
  "webhookQueues.releaseAll": "runs once, when the one server of an embedded store starts",
  "webhookQueues.releaseClaim": "runs once when the response to a claim was lost",
  "webhookSecretKeys.listUsed": "reads its own recursion, one row for each master key",
  "webhookReplays.findNext": "reads the first entry of an index that holds what is unfinished alone",
  "signingKeys.list": "reads a row for each time that the key was replaced",
  "signingKeys.listUsed": "reads a row for each time that the key was replaced",
  "users.findFirstAdministrator": "sorts the administrators, once at a start",
  ...Object.fromEntries(
    ["name", "updatedAt", "expiresAt"].flatMap((sort) =>
      ["asc", "desc"].map((order) => [
        `secrets.listChosen-by-${sort}.${order}`,
        "sorts the secrets that a filter has chosen, of which an index found five hundred at most, or one project's entries",
      ]),
    ),
  ),
  ...Object.fromEntries(
    [
      "apiKeys.countUpTo",
      "members.countRoles",
      "webhookDeliveries.countStates",
      "projects.countUpTo",
      "secrets.countUpTo",
      "teams.countMadeBy",
    ].map((name) => [name, "counts rows of one owner in an index, up to a limit"]),
  ),
  "users.insert": "reads the last entry of an index",
  "users.findAny": "reads the first entry of whatever index there is",
  ...Object.fromEntries(
    Object.keys(findSequences).flatMap((lead) =>
      ["newest", "oldest"].map((end) => [`events.find-${end}-by-${lead}`, "sorts what it merges: a page per stream"]),
    ),
  ),
};

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Cond"?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Why a plan is bad, on PostgreSQL with sequential scans discouraged. */
async function sqliteComplaints(tx: WriteTx, { compiled }: Statement): Promise<string[]> {
  const { sql } = compiled("sqlite");
  const details = (await tx.query(`explain query plan ${sql}`)).map((row) => String(row["detail"]));
  const isPage = /\blimit\b/i.test(sql);
  return details.filter(
    (detail) =>
      /^SCAN (?!CONSTANT ROW|.*VIRTUAL TABLE|\(|texts$)/.test(detail) ||
      (isPage && /TEMP B-TREE FOR .*ORDER BY/.test(detail)),
  );
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The end of the index has the highest position of a list, without a condition; with a filter, the index may be read to its other end. */
function isUnboundedRead(node: PlanNode, parent: PlanNode | undefined): boolean {
  if (node["Node Type"] === "Seq Scan") return true;
  const isIndexScan = /^(?:Index Scan|Index Only Scan|Bitmap Index Scan)$/.test(node["Node Type"]);
  const isFirst = parent?.["Node Type"] === "Limit" && node.Filter === undefined;
  return isIndexScan && node["Index Cond"] === undefined && !isFirst;
}

/** Why a plan is bad, on PostgreSQL, which is told to avoid reading whole tables if it can. */
async function postgresComplaints(tx: WriteTx, { index, compiled }: Statement): Promise<string[]> {
  const { sql, bind, isRead } = compiled("postgres");
  const name = `plan_${index}`;
  await tx.exec(`prepare ${name} as ${sql}`);
  const values = bind.length === 0 ? "" : `(${bind.map(() => "null").join(", ")})`;
  const [row] = await tx.query(`explain (format json) execute ${name}${values}`);
  const [plan] = (row ?? {})["QUERY PLAN"] as readonly { readonly Plan: PlanNode }[];
  assert.ok(plan);
  const nodes = nodesOf(plan.Plan);
  const parentOf = (node: PlanNode) => nodes.find(({ Plans = [] }) => Plans.includes(node));
  // A read that is sent early answers until one of the tables that its words name is changed.
  const hidden = nodes
    .map((node) => node["Relation Name"])
    .filter((relation) => isRead && relation !== undefined && !wordsOf(sql).has(relation));
  return [
    ...hidden.map((relation) => `reads ${relation}, which wordsOf does not find`),
    ...nodes
      .filter((node) => isUnboundedRead(node, parentOf(node)))
      .map((node) => `${node["Node Type"]} of ${node["Relation Name"]}`),
  ];
}

let storage: TestStorage;
let database: Database;
before(async () => {
  storage = await createStorage();
  database = await openDatabase(readSettings(storage.flags, {}));
  await migrate(database, null, 0);
});
after(async () => {
  await database.close();
  await storage.remove();
});

test("no statement reads a whole table or sorts a page", async () => {
  const complaints = await database.transaction(async (tx) => {
    const found: [string, string[]][] = [];
    for (const statement of allStatements()) {
      const explain = ENGINE === "sqlite" ? sqliteComplaints : postgresComplaints;
      found.push([statement.name, await explain(tx, statement)]);
    }
    return found.filter(([, reasons]) => reasons.length > 0);
  });
  for (const command of [verifyChains, readSecrets, addArchived, rewrapBatch, findNextRemoval]) {
    assert.ok(command, "importing what commands and jobs do declares the statements that no endpoint uses");
  }
  assert.ok(allStatements().length > operations.size, "importing the registry declares all statements");
  assert.deepEqual(
    complaints.filter(([name]) => !(name in EXCEPTIONS)),
    [],
  );
  if (ENGINE === "sqlite") {
    const names = complaints.map(([name]) => name);
    assert.deepEqual(
      Object.keys(EXCEPTIONS).filter((name) => !names.includes(name)),
      [],
      "exceptions that are no longer needed",
    );
  }
});

test("SQLite prepares no statement again at each call", () => {
  // PostgreSQL plans a bare parameter by its value: see hideLimit in platform/store/prepared.ts.
  const replanned = allStatements().filter(({ compiled }) => /\b(?:limit|like|glob) \?/i.test(compiled("sqlite").sql));
  assert.deepEqual(
    replanned.map(({ name }) => name),
    [],
  );
});

/** The expected index where another one would fit too, and would be slow in a team of a hundred thousand. */
const LEADING_INDEXES: Readonly<Record<string, string>> = {
  "members.list.everyone.desc": "INDEX memberships_position (team_id=? AND position>? AND position<?)",
  "members.list.role.desc": "INDEX memberships_role (team_id=? AND (role,position)>(?,?) AND (role,position)<(?,?))",
  "members.list.accounts.desc": "PRIMARY KEY (team_id=? AND user_id=?)",
  "members.listOwners": "COVERING INDEX memberships_state (team_id=? AND state=? AND role=?)",
  "members.listOpenRequests": "COVERING INDEX memberships_state (team_id=? AND state=?)",
  "secrets.listChosen.desc": "INDEX sqlite_autoindex_secrets_1 (id=?)",
  "secrets.listOfProject.desc": "INDEX secrets_project (owner_id=? AND project_id=? AND position>? AND position<?)",
  "secrets.listDeleted.desc": "INDEX secrets_deleted (owner_id=? AND position>? AND position<?)",
  "secrets.list-by-name.asc":
    "INDEX secrets_by_name (owner_id=? AND (name_key,position)>(?,?) AND (name_key,position)<(?,?))",
  "secrets.search-by-updatedAt.desc":
    "INDEX secrets_by_change (owner_id=? AND (updated_at,position)>(?,?) AND (updated_at,position)<(?,?))",
  "secrets.list-by-expiresAt.asc":
    "INDEX secrets_by_end (owner_id=? AND (ends_at,position)>(?,?) AND (ends_at,position)<(?,?))",
  "secrets.findPlace-by-updatedAt.asc":
    "INDEX secrets_by_change (owner_id=? AND (updated_at,position)>(?,?) AND (updated_at,position)<(?,?))",
  "secrets.listChosen-by-name.asc": "INDEX sqlite_autoindex_secrets_1 (id=?)",
  "secrets.listEnding": "INDEX secrets_by_end (owner_id=? AND ends_at<?)",
  "webhookDeliveries.find-newest": "PRIMARY KEY (webhook_id=? AND sequence>? AND sequence<?)",
  "webhookDeliveries.listWindow": "PRIMARY KEY (webhook_id=? AND sequence>? AND sequence<?)",
  "webhookDeliveries.requeueAll": "PRIMARY KEY (webhook_id=? AND sequence=?)",
  "webhookDeliveries.listOld": "INDEX webhook_deliveries_age (created_at<?)",
  "webhookDeliveries.listPending":
    "INDEX webhook_deliveries_next ((webhook_id,state,sequence)>(?,?,?) AND (webhook_id,state,sequence)<(?,?,?))",
  "webhookDeliveries.waiting-by-due":
    "INDEX webhook_deliveries_due (webhook_id=? AND (due_at,sequence)>(?,?) AND due_at<?)",
  "webhookDeliveries.waiting-by-sequence": "INDEX webhook_deliveries_next (webhook_id=?)",
  "webhookDeliveries.deleteFinished": "PRIMARY KEY (webhook_id=? AND sequence=?)",
  "events.readRangeToSend": "INDEX sqlite_autoindex_events_1 (owner_id=? AND sequence>? AND sequence<?)",
  "events.readEachToSend": "INDEX sqlite_autoindex_events_1 (owner_id=? AND sequence=?)",
  "invites.listPending.asc": "INDEX invites_pending (team_id=? AND member_position>? AND member_position<?)",
  "invites.listPending.desc": "INDEX invites_pending (team_id=? AND member_position>? AND member_position<?)",
  "invites.listOfPerson": "INDEX sqlite_autoindex_invites_1 (id=?)",
  "invites.findNamed": "INDEX sqlite_autoindex_invites_1 (id=?)",
  "invites.listUsers": "INDEX sqlite_autoindex_invites_1 (id=?)",
  "invites.settle": "INDEX sqlite_autoindex_invites_1 (id=?)",
};

test("the embedded engine uses the index that was created for a list", async () => {
  if (ENGINE !== "sqlite") return;
  for (const [name, index] of Object.entries(LEADING_INDEXES)) {
    const statement = allStatements().find((candidate) => candidate.name === name);
    assert.ok(statement, name);
    const plan = await database.admin.query(`explain query plan ${statement.compiled("sqlite").sql}`);
    // Whether the lease is valid is looked up first, and so are the elements of an array.
    const first = plan
      .map(({ detail }) => String(detail))
      .find((detail) => !/^SEARCH queue EXISTS|^SCAN json_each/.test(detail));
    assert.match(String(first), /USING /);
    assert.equal(first?.split("USING ")[1], index, name);
  }
});

test("a search looks up what its index has found by the key, also by the statistics of many short lists", async () => {
  if (ENGINE !== "sqlite") return;
  await database.admin.exec("analyze");
  await database.admin.exec("insert into sqlite_stat1 values ('search_entries', 'search_entries', '300000 3 1')");
  await database.admin.exec("analyze sqlite_schema");
  for (const { compiled } of allStatements().filter(({ name }) => name.startsWith("search.listCandidates"))) {
    const plan = await database.admin.query(`explain query plan ${compiled("sqlite").sql}`);
    const details = plan.map(({ detail }) => String(detail)).filter((detail) => detail.includes(" entry "));
    assert.deepEqual(details, ["SEARCH entry USING PRIMARY KEY (scope=? AND ordinal=?)"]);
  }
});
