// The floor of this stack: Fastify and node:sqlite, and nothing that is not needed to give the same answers. A token by
// its hash, the membership, the row, a serializer compiled from a schema; changes are as durable as Reeve's. No roles,
// no limits, no events, no idempotency, no validation but of the one body. Arguments: its file, and the seeded file of
// a Reeve to take the rows from.
import { hash, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import Fastify from "fastify";
import type { FastifyRequest } from "fastify";
import { CREATED_ANSWER, TEAMS_ANSWER, TEAM_ANSWER, USER_ANSWER } from "./floor-schema.ts";

const [file = "", seedFile = ""] = process.argv.slice(2);
const PAGE = 20;

const db = new DatabaseSync(file);
db.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table users (id text primary key, email text, username text, name text, avatar text, created_at integer);
  create table tokens (hash text primary key, user_id text) without rowid;
  create table teams (id text primary key, slug text unique, name text, avatar text, description text, creator_id text,
    invite_code text, created_at integer, updated_at integer);
  create table memberships (team_id text, user_id text, role text, created_at integer, primary key (team_id, user_id))
    without rowid;
  create index memberships_user on memberships (user_id, created_at);
`);
db.prepare("attach ? as seed").run(seedFile);
db.exec(`
  insert into users select id, email, username, name, avatar, created_at from seed.users;
  insert into tokens select hash, user_id from seed.access_tokens;
  insert into teams select id, slug, name, avatar, description, creator_id, invite_code, created_at, updated_at
    from seed.teams;
  insert into memberships select team_id, user_id, role, created_at from seed.memberships;
  detach seed;
  analyze;
  pragma wal_checkpoint(truncate);
`);

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly avatar: string | null;
  readonly created_at: number;
}

interface TeamRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string | null;
  readonly avatar: string | null;
  readonly description: string | null;
  readonly creator_id: string;
  readonly invite_code: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly role: string;
  readonly member_since: number;
}

const TEAM_COLUMNS = `t.id, t.slug, t.name, t.avatar, t.description, t.creator_id, t.invite_code, t.created_at,
  t.updated_at, m.role, m.created_at as member_since`;
const findCaller = db.prepare("select user_id from tokens where hash = ?");
const findUser = db.prepare("select id, email, username, name, avatar, created_at from users where id = ?");
const findTeam = db.prepare(
  `select ${TEAM_COLUMNS} from teams t join memberships m on m.team_id = t.id and m.user_id = ? where t.id = ?`,
);
const listTeams = db.prepare(
  `select ${TEAM_COLUMNS} from memberships m join teams t on t.id = m.team_id
   where m.user_id = ? order by m.created_at desc limit ${PAGE + 1}`,
);
const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const rollback = db.prepare("rollback");
const insertTeam = db.prepare("insert into teams values (?, ?, ?, null, null, ?, ?, ?, ?)");
const insertMembership = db.prepare("insert into memberships values (?, ?, 'OWNER', ?)");

function teamOf(row: TeamRow, userId: string) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    avatar: row.avatar,
    createdAt: row.created_at,
    membership: {
      role: row.role,
      confirmed: true,
      confirmedAt: row.member_since,
      created: row.member_since,
      createdAt: row.member_since,
      uid: userId,
      teamId: row.id,
      teamRoles: [row.role],
      teamPermissions: [],
      joinedFrom: { origin: "teams" },
    },
    description: row.description,
    billing: { plan: "enterprise" },
    updatedAt: row.updated_at,
    creatorId: row.creator_id,
    stagingPrefix: row.slug,
    inviteCode: row.invite_code,
    emailDomain: null,
    previewDeploymentSuffix: null,
    resourceConfig: {},
    remoteCaching: { enabled: true },
    saml: { enforced: false, roles: {} },
    sensitiveEnvironmentVariablePolicy: "default",
    enablePreviewFeedback: "default",
    enableProductionFeedback: "default",
    hideIpAddresses: false,
    hideIpAddressesInLogDrains: false,
  };
}

class Refusal extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Who the request's token stands for. */
function callerOf({ headers }: FastifyRequest): string {
  const row = findCaller.get(hash("sha256", headers.authorization?.slice("Bearer ".length) ?? "", "hex"));
  if (!row) throw new Refusal(401, "unknown token");
  return row["user_id"] as string;
}

const app = Fastify();

app.get("/v2/user", { schema: { response: { 200: USER_ANSWER } } }, (request, reply) => {
  const row = findUser.get(callerOf(request)) as unknown as UserRow;
  reply.send({
    user: {
      id: row.id,
      email: row.email,
      username: row.username,
      name: row.name,
      avatar: row.avatar,
      defaultTeamId: null,
      version: null,
      createdAt: row.created_at,
      billing: null,
      softBlock: null,
      hasTrialAvailable: false,
      stagingPrefix: row.username,
      resourceConfig: {},
      isAdmin: false,
    },
  });
});

app.get("/v2/teams", { schema: { response: { 200: TEAMS_ANSWER } } }, (request, reply) => {
  const userId = callerOf(request);
  const rows = listTeams.all(userId) as unknown as TeamRow[];
  const shown = rows.slice(0, PAGE);
  reply.send({
    teams: shown.map((row) => teamOf(row, userId)),
    pagination: {
      count: shown.length,
      next: rows.length > PAGE ? (shown.at(-1)?.member_since ?? null) : null,
      prev: shown[0]?.member_since ?? null,
    },
  });
});

app.get<{ Params: { teamId: string } }>(
  "/v2/teams/:teamId",
  { schema: { response: { 200: TEAM_ANSWER } } },
  (request, reply) => {
    const userId = callerOf(request);
    const row = findTeam.get(userId, request.params.teamId) as TeamRow | undefined;
    if (!row) throw new Refusal(404, "no such team");
    reply.send(teamOf(row, userId));
  },
);

app.post<{ Body: { slug: string } }>(
  "/v1/teams",
  {
    schema: {
      body: { type: "object", properties: { slug: { type: "string" } }, required: ["slug"] },
      response: { 200: CREATED_ANSWER },
    },
  },
  (request, reply) => {
    const userId = callerOf(request);
    const { slug } = request.body;
    const id = `team_${randomBytes(12).toString("hex")}`;
    const now = Date.now();
    begin.run();
    try {
      insertTeam.run(id, slug, slug, userId, randomBytes(20).toString("hex"), now, now);
      insertMembership.run(id, userId, now);
      commit.run();
    } catch (error) {
      rollback.run();
      throw error;
    }
    reply.send({ id, slug });
  },
);

await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
