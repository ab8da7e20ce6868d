// Every kind of caller with every kind of credential: the caller's relation to the team of the test world, and how to create the
// credential.
import { createKey } from "../resources/api-keys.ts";
import { sessionAsToken } from "../sign-in/session-token.ts";
import type { TestUser } from "../harness/test-app.ts";
import { RELATIONS, inPerson } from "./access-oracle.ts";
import type { AccessCase, Relation } from "./access-oracle.ts";
import { openSession } from "../sign-in/open-session.ts";
import { TEAM_ROLES } from "../../src/platform/kernel/roles.ts";
import type { Permission, TeamRole } from "../../src/platform/kernel/roles.ts";
import type { World } from "./world.ts";

export interface Caller {
  readonly name: string;
  readonly accessCase: AccessCase;
  /** The account behind it; null for a team's key. */
  readonly user: TestUser | null;
  /** The credential to call about this team with. */
  credential(teamId: string): Promise<string>;
}

/** Ceilings of keys: everything, something, and little. */
const CEILINGS: readonly TeamRole[] = ["OWNER", "DEVELOPER", "VIEWER"];

async function createPeople(world: World): Promise<Map<string, TestUser>> {
  const people = new Map<string, TestUser>([["OWNER", world.owner]]);
  for (const role of TEAM_ROLES) if (role !== "OWNER") people.set(role, await world.addMember(world.team, role));
  for (const relation of ["administrator", "invited", "requested", "none"]) {
    people.set(relation, await world.createUser());
  }
  const person = (relation: string) => people.get(relation) as TestUser;
  await world.request("PATCH", `/v1/users/${person("administrator").id}`, { body: { admin: true } });
  const invitation = { token: world.owner.token, body: { uid: person("invited").id, role: "OWNER" } };
  await world.request("POST", `/v1/teams/${world.team.id}/members`, invitation);
  await world.request("POST", `/v1/teams/${world.team.id}/request`, { token: person("requested").token });
  return people;
}

async function createLimitedToken(world: World, user: TestUser, teamId: string): Promise<string> {
  const made = await world.request("POST", `/v3/user/tokens?teamId=${teamId}`, {
    token: user.token,
    body: { name: "limited" },
  });
  if (made.status !== 200) throw new Error(made.text);
  return made.body.bearerToken;
}

async function createNarrowToken(world: World, user: TestUser, permissions: readonly Permission[]): Promise<string> {
  const made = await world.request("POST", "/v3/user/tokens", {
    token: user.token,
    body: { name: "narrow", permissions },
  });
  if (made.status !== 200) throw new Error(made.text);
  return made.body.bearerToken;
}

/** What narrow tokens may do: things of each kind. */
const SOME: readonly Permission[] = ["team:read", "member:manage", "secret:read", "event:read", "api-key:manage"];

/** What the key of a gate may do. */
const GATE: readonly Permission[] = ["gate:connect"];

async function createKeyValue(
  world: World,
  user: TestUser,
  role: TeamRole,
  { teamId, permissions }: { readonly teamId?: string; readonly permissions?: readonly Permission[] } = {},
): Promise<string> {
  const scope = teamId === undefined ? "" : `?teamId=${teamId}`;
  const made = await createKey(world, user.token, scope, { role, ...(permissions && { permissions }) });
  if (made.status !== 200) throw new Error(made.text);
  return made.body.value;
}

/** The same credential each time for the same team. */
function kept(make: (teamId: string) => Promise<string>): Caller["credential"] {
  const made = new Map<string, Promise<string>>();
  return (teamId) => {
    const known = made.get(teamId) ?? make(teamId);
    made.set(teamId, known);
    return known;
  };
}

/** The same session each time, until one of the calls ends it. */
function keptSession(world: World, user: TestUser): Caller["credential"] {
  let session: string | undefined;
  return async () => {
    const isOpen = session !== undefined && (await world.request("GET", "/v2/user", { session })).status === 200;
    if (!isOpen) session = (await openSession(world, user)).session;
    return sessionAsToken(session as string);
  };
}

export async function createCallers(world: World): Promise<Caller[]> {
  const people = await createPeople(world);
  const person = (relation: string) => people.get(relation) as TestUser;
  const { owner } = world;
  const administrator = person("administrator");
  const otherTeam = await world.createTeam(owner);
  const administered = await world.createTeam(administrator);

  const inPersons = RELATIONS.map((relation): Caller => {
    const user = person(relation);
    return { name: relation, accessCase: inPerson(relation), user, credential: async () => user.token };
  });
  const limited: Caller[] = [
    {
      name: "OWNER with a token limited to the team",
      accessCase: { ...inPerson("OWNER"), limit: "this" },
      user: owner,
      credential: kept((teamId) => createLimitedToken(world, owner, teamId)),
    },
    {
      name: "OWNER with a token limited to another team",
      accessCase: { ...inPerson("OWNER"), limit: "other" },
      user: owner,
      credential: kept(() => createLimitedToken(world, owner, otherTeam.id)),
    },
    {
      name: "administrator with a token limited to another team",
      accessCase: { ...inPerson("administrator"), limit: "other" },
      user: administrator,
      credential: kept(() => createLimitedToken(world, administrator, administered.id)),
    },
  ];
  const narrow = (["OWNER", "administrator", "invited"] as const).map((relation): Caller => ({
    name: `${relation} with a token of some permissions`,
    accessCase: { ...inPerson(relation), listed: SOME },
    user: person(relation),
    credential: kept(() => createNarrowToken(world, person(relation), SOME)),
  }));
  const keys = CEILINGS.flatMap((ceiling): Caller[] => [
    {
      name: `OWNER with a key of ${ceiling}`,
      accessCase: { relation: "OWNER", isKey: true, isSession: false, ceiling, limit: "none" },
      user: owner,
      credential: kept(() => createKeyValue(world, owner, ceiling)),
    },
    {
      name: `the team's key of ${ceiling}`,
      accessCase: { relation: "key", isKey: true, isSession: false, ceiling, limit: "this" },
      user: null,
      credential: kept((teamId) => createKeyValue(world, owner, ceiling, { teamId })),
    },
  ]);
  const gate = { isKey: true, isSession: false, ceiling: "OWNER", listed: GATE } as const;
  const weak: Caller[] = [
    {
      name: "OWNER with a gate's key",
      accessCase: { ...gate, relation: "OWNER", limit: "none" },
      user: owner,
      credential: kept(() => createKeyValue(world, owner, "OWNER", { permissions: GATE })),
    },
    {
      name: "the team's key of a gate",
      accessCase: { ...gate, relation: "key", limit: "this" },
      user: null,
      credential: kept((teamId) => createKeyValue(world, owner, "OWNER", { teamId, permissions: GATE })),
    },
    {
      name: "VIEWER with a key of OWNER",
      accessCase: { relation: "VIEWER", isKey: true, isSession: false, ceiling: "OWNER", limit: "none" },
      user: person("VIEWER"),
      credential: kept(() => createKeyValue(world, person("VIEWER"), "OWNER")),
    },
    {
      name: "another team's key",
      accessCase: { relation: "key", isKey: true, isSession: false, ceiling: "OWNER", limit: "other" },
      user: null,
      credential: kept(() => createKeyValue(world, owner, "OWNER", { teamId: otherTeam.id })),
    },
    {
      name: "administrator with a key of OWNER",
      accessCase: { relation: "none", isKey: true, isSession: false, ceiling: "OWNER", limit: "none" },
      user: administrator,
      credential: kept(() => createKeyValue(world, administrator, "OWNER")),
    },
  ];
  const sessions = ["OWNER", "VIEWER", "administrator", "none"].map((relation): Caller => {
    const user = person(relation);
    return {
      name: `${relation} with a session`,
      accessCase: { ...inPerson(relation as Relation), isSession: true },
      user,
      credential: keptSession(world, user),
    };
  });
  return [...inPersons, ...limited, ...narrow, ...keys, ...weak, ...sessions];
}
