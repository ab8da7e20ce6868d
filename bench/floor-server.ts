// The least that answers these reads from a database: Fastify with response schemas and node:sqlite, a token that is looked up by its
// hash in each request, a membership, and the rows. It has no other feature, and its answers are those of Reeve to the byte.
import { hash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import Fastify from "fastify";
import type { FastifyRequest } from "fastify";
import { teamsContract } from "../src/teams/teams/contract.ts";
import { usersContract } from "../src/identity/accounts/contract.ts";

const PAGE = 20;

const db = new DatabaseSync(process.argv[2] as string, { readOnly: true });

/** Rows as arrays: the driver's objects are dictionaries, slow to make and to read. */
function prepare(sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

const findToken = prepare("select user_id from tokens where hash = ?");
const findUser = prepare(
  "select id, email, username, name, avatar, default_team_id, created_at, is_admin from users where id = ?",
);
const TEAM = `
  select t.id, t.slug, t.name, t.avatar, t.description, t.creator_id, t.invite_code, t.settings, t.created_at, t.updated_at,
    m.role, m.joined_at, m.confirmed_at, m.joined_from, m.permissions
  from memberships m join teams t on t.id = m.team_id`;
const findTeam = prepare(`${TEAM} where m.team_id = ? and m.user_id = ?`);
const listTeams = prepare(`${TEAM} where m.user_id = ? order by m.joined_at desc limit ?`);

function userOf(request: FastifyRequest): string {
  const token = request.headers.authorization?.slice("Bearer ".length) ?? "";
  const row = readRow(findToken.get(hash("sha256", token)));
  if (!row) throw Object.assign(new Error("Not authorized"), { statusCode: 401 });
  return row[0] as string;
}

type Row = readonly unknown[];

/** The driver's types know objects alone. */
const readRow = (row: unknown) => row as Row | undefined;

function toUser([id, email, username, name, avatar, defaultTeamId, createdAt, isAdmin]: Row) {
  return {
    id,
    email,
    username,
    name,
    avatar,
    defaultTeamId,
    version: null,
    createdAt,
    billing: null,
    softBlock: null,
    hasTrialAvailable: false,
    stagingPrefix: username,
    resourceConfig: {},
    isAdmin: isAdmin === 1,
  };
}

const JOINED_AT = 11;

function toTeam(row: Row, uid: string) {
  const [id, slug, name, avatar, description, creatorId, inviteCode, settings, createdAt, updatedAt] = row;
  const [role, joinedAt, confirmedAt, joinedFrom, permissions] = row.slice(10);
  return {
    id,
    slug,
    name,
    avatar,
    createdAt,
    membership: {
      role,
      confirmed: true,
      confirmedAt,
      created: joinedAt,
      createdAt: joinedAt,
      uid,
      teamId: id,
      teamRoles: [role],
      teamPermissions: JSON.parse(permissions as string) as unknown,
      joinedFrom: JSON.parse(joinedFrom as string) as unknown,
    },
    description,
    billing: { plan: "enterprise" },
    updatedAt,
    creatorId,
    stagingPrefix: slug,
    inviteCode,
    ...(JSON.parse(settings as string) as object),
  };
}

const app = Fastify();
const schemaOf = ({ response }: { readonly response: unknown }) => ({ schema: { response: { 200: response } } });

app.get("/v2/user", schemaOf(usersContract.getCurrentUser), (request, reply) => {
  reply.send({ user: toUser(readRow(findUser.get(userOf(request))) as Row) });
});

app.get<{ Params: { teamId: string } }>("/v2/teams/:teamId", schemaOf(teamsContract.getTeam), (request, reply) => {
  const userId = userOf(request);
  const row = readRow(findTeam.get(request.params.teamId, userId));
  if (row) reply.send(toTeam(row, userId));
  else reply.code(404).send({ error: "no such team" });
});

app.get("/v2/teams", schemaOf(teamsContract.listTeams), (request, reply) => {
  const userId = userOf(request);
  const rows = listTeams.all(userId, PAGE + 1) as unknown as Row[];
  const page = rows.slice(0, PAGE);
  reply.send({
    teams: page.map((row) => toTeam(row, userId)),
    pagination: {
      count: page.length,
      next: rows.length > PAGE ? page.at(-1)?.[JOINED_AT] : null,
      prev: page[0]?.[JOINED_AT] ?? null,
    },
  });
});

await app.listen({ port: 0, host: "127.0.0.1" });
process.send?.((app.server.address() as AddressInfo).port);
