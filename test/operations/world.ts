// The users and objects that the tests call every endpoint with, and direct access to the store.
import { hash } from "node:crypto";
import type { TeamRole } from "../../src/platform/kernel/roles.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestApp, TestTeam, TestUser } from "../harness/test-app.ts";

export interface World extends TestApp {
  /** OWNER of `team`, and of nothing else. */
  readonly owner: TestUser;
  readonly team: TestTeam;
  /** A user in none of these teams. */
  readonly outsider: TestUser;
  /** A new account that is a confirmed member of a team of the owner's. */
  addMember(team: TestTeam, role: TeamRole): Promise<TestUser>;
  /** A hash of each table's rows: changes when anything in the store does, apart from what background work changes. */
  fingerprint(): Promise<Readonly<Record<string, string>>>;
  /** Types of all events so far, oldest first within each chain. */
  eventTypes(): Promise<string[]>;
}

/** Tables that background work changes, whatever is called: deliveries, and the daily checkpoints. */
const CHANGED_IN_BACKGROUND = new Set([
  "webhook_deliveries",
  "webhook_attempts",
  "webhook_queues",
  "webhook_replays",
  "event_checkpoints",
  "signing_keys",
  "changed_owners",
]);

async function tableNames(world: TestApp): Promise<string[]> {
  const rows = await world.query(
    world.app.runner.engine === "sqlite"
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name"
      : "select table_name as name from information_schema.tables where table_schema = current_schema() order by 1",
  );
  return rows.map((row) => String(row["name"])).filter((name) => !CHANGED_IN_BACKGROUND.has(name));
}

/** A row without the columns that background work changes: the last use of credentials, and when a chain is signed next. */
function describeRow({ active_at: _activeAt, checkpoint_due_at: _dueAt, ...row }: Record<string, unknown>): string {
  return JSON.stringify(row);
}

/** Rows of codes and requests that are over are deleted in the background. */
function isExpired({ hash: code, expires_at: expiresAt }: Record<string, unknown>, now: number): boolean {
  return code !== undefined && Number(expiresAt ?? Infinity) <= now;
}

export async function createWorld(): Promise<World> {
  // Nothing listens where the examples' webhooks lead.
  const api = await startOwnApp({ egressAllow: "127.0.0.1" });
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const outsider = await api.createUser();
  const tables = await tableNames(api);
  return {
    ...api,
    owner,
    team,
    outsider,
    async addMember({ id }, role) {
      const user = await api.createUser();
      const invited = { token: owner.token, body: { uid: user.id, role } };
      await api.request("POST", `/v1/teams/${id}/members`, invited);
      const joined = await api.request("POST", "/v1/teams/join", { token: user.token, body: { teamId: id } });
      if (joined.status !== 200) throw new Error(`addMember: ${joined.text}`);
      return user;
    },
    async fingerprint() {
      const hashes: Record<string, string> = {};
      for (const table of tables) {
        const rows = (await api.query(`select * from ${table}`)).filter((row) => !isExpired(row, api.clock.now));
        hashes[table] = hash("sha256", rows.map(describeRow).toSorted().join("\n"), "hex");
      }
      return hashes;
    },
    async eventTypes() {
      const rows = await api.query("select type from events order by owner_id, sequence");
      return rows.map((row) => String(row["type"]));
    },
  };
}
