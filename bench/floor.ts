// The floor of reads: floor-server.ts on a file of its own, which is filled with what Reeve answers.
import { fork } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Team } from "../src/teams/teams/team-schema.ts";
import type { Owner } from "./calls.ts";
import { readBody, stopChild } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";

const TABLES = `
  pragma journal_mode = wal;
  create table tokens (hash text primary key, user_id text not null) without rowid;
  create table users (
    id text primary key, email text not null, username text not null, name text, avatar text, default_team_id text,
    created_at integer not null, is_admin integer not null
  );
  create table teams (
    id text primary key, slug text not null unique, name text, avatar text, description text, creator_id text not null,
    invite_code text not null, settings text not null, created_at integer not null, updated_at integer not null
  );
  create table memberships (
    team_id text not null, user_id text not null, role text not null, joined_at integer not null, confirmed_at integer not null,
    joined_from text not null, permissions text not null, primary key (team_id, user_id)
  ) without rowid;
  create index memberships_user on memberships (user_id, joined_at);
`;

interface User {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly createdAt: number;
}

type Insert = (table: string, values: readonly (string | number | null)[]) => void;

function insertTeam(insert: Insert, team: Team, userId: string): void {
  const { id, slug, name, avatar, createdAt, membership, description, updatedAt, creatorId, inviteCode, ...rest } =
    team;
  const { billing: _billing, stagingPrefix: _stagingPrefix, ...settings } = rest;
  if (!membership) throw new Error(`the owner of ${slug} is no member`);
  const times = [createdAt, updatedAt as number];
  const owned = [creatorId as string, inviteCode as string, JSON.stringify(settings)];
  insert("teams", [id, slug, name, avatar, description ?? null, ...owned, ...times]);
  const { role, created, confirmedAt, joinedFrom, teamPermissions } = membership;
  const texts = [JSON.stringify(joinedFrom), JSON.stringify(teamPermissions)];
  insert("memberships", [id, userId, role, created, confirmedAt, ...texts]);
}

/** Stores what the owners see of themselves and of all their teams. */
async function fillFloor(file: string, server: ServerProcess, owners: readonly Owner[]): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec(TABLES);
  const insert: Insert = (table, values) => {
    db.prepare(`insert into ${table} values (${values.map(() => "?").join(", ")})`).run(...values);
  };
  const read = async (token: string, path: string) => await readBody(server, token, { method: "GET", path });
  db.exec("begin");
  for (const { token } of owners) {
    const { user } = JSON.parse(await read(token, "/v2/user")) as { user: User };
    const { teams } = JSON.parse(await read(token, "/v2/teams?limit=100")) as { teams: Team[] };
    insert("tokens", [hash("sha256", token), user.id]);
    insert("users", [user.id, user.email, user.username, null, null, null, user.createdAt, 0]);
    for (const team of teams) insertTeam(insert, team, user.id);
  }
  db.exec("commit; analyze; pragma wal_checkpoint(truncate)");
  db.close();
}

export interface Floor extends ServerProcess {
  readonly file: string;
}

/** Starts the program on what this server stores of the owners. */
export async function startFloor(folder: string, server: ServerProcess, owners: readonly Owner[]): Promise<Floor> {
  const file = join(folder, "floor.db");
  await fillFloor(file, server, owners);
  const child = fork(join(import.meta.dirname, "floor-server.ts"), [file], { stdio: "inherit" });
  const [port] = (await once(child, "message")) as [number];
  return { port, file, pid: child.pid as number, stop: () => stopChild(child) };
}
