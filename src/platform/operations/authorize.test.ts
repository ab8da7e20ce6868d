// Who gets which scope by which credential: the rules of the contract's `access` and `limits`, one caller and one declaration at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { INSTANCE_ID } from "../kernel/caller.ts";
import type { Caller, Directory, Scope } from "../kernel/caller.ts";
import type { Access, Endpoint } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import type { LimitPlaces, Limits } from "../kernel/limits.ts";
import { ALL_PERMISSIONS, NO_PERMISSIONS, ROLE_MASK, maskOf } from "../kernel/roles.ts";
import type { Tx } from "../kernel/tx.ts";
import { teamAuthorization } from "../../identity/team-access/team-access.ts";
import { SYSTEM_CALLER } from "../../events/events/system.ts";
import { NO_SCOPE, resolveScope } from "./authorize.ts";
import type { CallInput, ScopeReference } from "./authorize.ts";

const ACCOUNT = {
  id: "ann",
  email: "",
  username: "ann",
  name: null,
  avatar: null,
  defaultTeamId: null,
  isAdmin: false,
  createdAt: 0,
  revision: 1,
};
/** An OWNER of `shop`, with an access token. */
const TOKEN: Caller = { ...SYSTEM_CALLER, kind: "user", principalId: "ann", account: ACCOUNT, credentialId: "token" };
const SESSION: Caller = { ...TOKEN, provedAt: 1 };
const KEY: Caller = { ...TOKEN, kind: "key", principalId: "key" };
const VIEWER_KEY: Caller = { ...KEY, ceiling: ROLE_MASK.VIEWER };
/** A key of the team `shop`; no user is behind it. */
const TEAM_KEY: Caller = { ...KEY, account: null, teamId: "team_shop" };
const ADMINISTRATOR: Caller = { ...TOKEN, account: { ...ACCOUNT, isAdmin: true } };
const limitedTo = (caller: Caller, limits: Partial<Limits>): Caller => ({
  ...caller,
  limits: { permissions: null, projects: null, environments: null, names: null, ...limits },
});
const OF_SHOP: Caller = { ...TOKEN, teamId: "team_shop" };
const OF_ELSE: Caller = { ...TOKEN, teamId: "team_else" };
/** Two with a single permission, and with none. */
const WRITING_KEY: Caller = { ...KEY, ceiling: maskOf(["secret:write"]) };
const WEAK_KEY: Caller = { ...TEAM_KEY, ceiling: NO_PERMISSIONS };

/** Ann owns `shop`, and was the last OWNER of `gone`, whose slug another team has now. */
const directory: Directory = {
  findCaller: () => undefined,
  findTeamAccess(_tx, caller, idOrSlug) {
    const slug = ["shop", "foreign", "gone"].find((one) => idOrSlug === one || idOrSlug === `team_${one}`);
    if (slug === undefined || idOrSlug === "team_gone") return undefined;
    const isMember = slug === "shop" && caller.account !== null;
    const membership = isMember ? ({ state: "member", role: "OWNER" } as const) : { state: null, role: null };
    return teamAuthorization(caller, {
      id: slug === "gone" ? "team_new" : `team_${slug}`,
      slug,
      name: null,
      ...membership,
    });
  },
  findDeletedTeam(_tx, caller, idOrSlug) {
    if (idOrSlug !== "gone" && idOrSlug !== "team_gone") return undefined;
    return teamAuthorization(caller, { id: "team_gone", slug: "gone", name: null, state: "member", role: "OWNER" });
  },
};

type Declaration = Pick<Endpoint, "method" | "access" | "limits">;
const post = (access: Access, limits: LimitPlaces = {}) => ({ method: "POST", access, limits }) as const;
const get = (access: Access) => ({ method: "GET", access }) as const;

async function ask(
  by: Caller,
  declaration: Declaration,
  scope: Partial<ScopeReference> = {},
  input: Partial<CallInput> = {},
): Promise<Scope> {
  const call = { params: {}, query: {}, body: undefined, scope: { ...NO_SCOPE, ...scope }, ...input };
  return await resolveScope({} as Tx, directory, declaration as Endpoint, by, call);
}

/** The owner, or the status and message of the refusal without its `Not authorized: `. */
async function told(...asked: Parameters<typeof ask>): Promise<string> {
  try {
    return (await ask(...asked)).ownerId;
  } catch (error) {
    if (error instanceof ApiError) return `${error.status}: ${error.message.replace("Not authorized: ", "")}`;
    throw error;
  }
}

const SHOP = { teamId: "team_shop" };
const FOREIGN = { teamId: "team_foreign" };
const IN_SHOP = { pathTeam: "shop" };
const IN_FOREIGN = { pathTeam: "foreign" };
const INSTANCE = { isInstance: true };
const USER = { kind: "user" } as const;
const OWNER = { kind: "owner", permission: "secret:write" } as const;
const TEAM = { kind: "team", permission: "team:update" } as const;
const KNOWN = { kind: "known-team" } as const;
const KEYS = get({ kind: "key", keysOnly: "only keys" });
const TOKENS = post({ ...USER, tokensOnly: "only tokens" });
const SESSIONS = post({ ...USER, sessionsOnly: "only sessions" });
const WHOLE = get({ ...USER, wholeOnly: true });
const ALLOWS_LIMITED = post({ ...USER, allowLimited: true });
const ALLOWS_NARROW = post({ ...USER, allowNarrow: true });
const ALSO_EVENTS = post({ ...OWNER, alsoNeeds: "event:read" });
const DELETED = get({ ...OWNER, afterDeletion: true });
const OR_INSTANCE = get({ ...OWNER, orInstance: true });
const ONLY_INSTANCE = get({ kind: "instance" });
const LIMITED_FORM = get({ ...TEAM, allowLimited: true });
const PENDING = get({ ...TEAM, allowPending: true });
const OTHERS = post({ ...KNOWN, others: "member:manage" });

const NO_TEAM = "404: Team not found; GET /v2/teams lists those that you may see";
const TWO_TEAMS = "400: teamId and slug: expected both to name the same team";
const ASK = "; ask an OWNER for it, or use a credential that has it";
const NO_USER = "403: only a user's credential can do this; use an access token";
const ONE_TEAM = "403: this credential is limited to one team; use one that is not";
const ALL_NEEDED = "403: an API key needs all permissions of the role OWNER to act for its user";
const NARROW = "403: this credential is limited; it can't act for its user, or in their own matters";
const NO_NAMES = "403: this credential is limited to some names, and this is not about one";
const NO_UPDATE = `403: this needs the permission team:update${ASK}`;
const NO_ADMINISTRATOR = "403: this needs an instance administrator; ask one";

const CASES: readonly (readonly [what: string, expected: string, ...asked: Parameters<typeof ask>])[] = [
  ["a user's own data", "ann", TOKEN, post(USER)],
  ["a team that is named beside", "team_shop", TOKEN, post(USER), { slug: "shop" }],
  ["another's team that is named beside", NO_TEAM, TOKEN, post(USER), FOREIGN],
  ["a user's data by a team's key", NO_USER, TEAM_KEY, get(USER), SHOP],
  ["a change of a user's data by a token of one team", ONE_TEAM, OF_SHOP, post(USER)],
  ["a look at them by such a token", "ann", OF_SHOP, get(USER)],
  ["a look for which that is not enough", ONE_TEAM, OF_SHOP, WHOLE],
  ["a change that such a token may make", "ann", OF_SHOP, ALLOWS_LIMITED],
  ["a change by a key of all permissions", "ann", KEY, post(USER)],
  ["a change by a key of some", ALL_NEEDED, VIEWER_KEY, post(USER)],
  ["a look by a key of some", "ann", VIEWER_KEY, get(USER)],
  ["a look for which that is not enough either", ALL_NEEDED, VIEWER_KEY, WHOLE],
  ["what only tokens may, by a key", "403: only tokens", KEY, TOKENS],
  ["what only tokens may, by a token", "ann", TOKEN, TOKENS],
  ["what only sessions may, by a token", "403: only sessions", TOKEN, SESSIONS],
  ["what only sessions may, by a session", "ann", SESSION, SESSIONS],
  ["a user's data by a narrow token", NARROW, limitedTo(TOKEN, { permissions: ["team:read"] }), get(USER)],
  ["what a narrow token may", "ann", limitedTo(TOKEN, { projects: ["web"] }), ALLOWS_NARROW],
  ["what a narrow token may, by a narrow key", NARROW, limitedTo(KEY, { projects: ["web"] }), ALLOWS_NARROW],
  ["what a narrow token may, by one of one team", "ann", OF_SHOP, ALLOWS_NARROW],

  ["an account's secrets", "ann", TOKEN, post(OWNER)],
  ["a team's secrets", "team_shop", TOKEN, post(OWNER), SHOP],
  ["a team's secrets by its slug", "team_shop", TOKEN, post(OWNER), { slug: "shop" }],
  ["the team of the credential", "team_shop", TEAM_KEY, post(OWNER)],
  ["no account's secrets by Reeve itself", "403: this credential belongs to no user", SYSTEM_CALLER, post(OWNER)],
  ["another's team", NO_TEAM, TOKEN, post(OWNER), FOREIGN],
  ["no team", NO_TEAM, TOKEN, post(OWNER), { teamId: "team_none" }],
  ["a team and another one", TWO_TEAMS, TOKEN, post(OWNER), { ...SHOP, slug: "foreign" }],
  ["a team twice", "team_shop", TOKEN, post(OWNER), { ...SHOP, slug: "shop" }],
  ["without the permission", `403: this needs the permission secret:write${ASK}`, VIEWER_KEY, post(OWNER), SHOP],
  ["without the further permission", `403: this needs the permission event:read${ASK}`, WRITING_KEY, ALSO_EVENTS, SHOP],
  ["with both permissions", "team_shop", TOKEN, ALSO_EVENTS, SHOP],
  ["a deleted team", "team_gone", TOKEN, DELETED, { teamId: "team_gone" }],
  ["a deleted team, whose slug is another's now", "team_gone", TOKEN, DELETED, { slug: "gone" }],
  ["a deleted team elsewhere", NO_TEAM, TOKEN, post(OWNER), { teamId: "team_gone" }],
  ["a team that is there, where deleted ones are too", "team_shop", TOKEN, DELETED, SHOP],
  ["the instance by an administrator", INSTANCE_ID, ADMINISTRATOR, OR_INSTANCE, INSTANCE],
  ["the instance by others", NO_ADMINISTRATOR, TOKEN, OR_INSTANCE, INSTANCE],
  ["both", "400: instance: expected without teamId and slug", ADMINISTRATOR, OR_INSTANCE, { ...SHOP, ...INSTANCE }],
  ["what is the instance's", INSTANCE_ID, SYSTEM_CALLER, ONLY_INSTANCE],
  ["what is the instance's, by others", NO_ADMINISTRATOR, TOKEN, ONLY_INSTANCE],

  ["the team of a path", "team_shop", TOKEN, post(TEAM), IN_SHOP],
  ["the team of a path, and another beside", TWO_TEAMS, TOKEN, post(TEAM), { ...IN_SHOP, ...FOREIGN }],
  ["another's team of a path", NO_TEAM, TOKEN, post(TEAM), IN_FOREIGN],
  ["a team without the permission", NO_UPDATE, VIEWER_KEY, post(TEAM), IN_SHOP],
  ["a team by a token of another", "403: this credential is limited to another team", OF_ELSE, post(TEAM), IN_SHOP],
  ["a team by its key of names", NO_NAMES, limitedTo(TEAM_KEY, { names: ["A"] }), post(TEAM), IN_SHOP],
  ["its limited form by a token of another", "team_shop", OF_ELSE, LIMITED_FORM, IN_SHOP],
  ["its limited form by a key without the permission", NO_UPDATE, VIEWER_KEY, LIMITED_FORM, IN_SHOP],
  ["its limited form by a key of names", "team_shop", limitedTo(WEAK_KEY, { names: ["A"] }), LIMITED_FORM, IN_SHOP],
  ["a team that one may have asked to join", "team_foreign", TOKEN, PENDING, IN_FOREIGN],
  ["such a team by another team's key", NO_TEAM, TEAM_KEY, PENDING, IN_FOREIGN],
  ["such a team by a narrow token", NO_TEAM, limitedTo(TOKEN, { permissions: ["team:read"] }), PENDING, IN_FOREIGN],

  ["any team, to join it", "team_foreign", TOKEN, post(KNOWN), IN_FOREIGN],
  ["any team, by a team's key", NO_USER, TEAM_KEY, post(KNOWN), IN_FOREIGN],
  ["any team, by a narrow token", NARROW, limitedTo(TOKEN, { projects: ["web"] }), post(KNOWN), IN_FOREIGN],
  ["any team, by a key of some permissions", ALL_NEEDED, VIEWER_KEY, post(KNOWN), IN_FOREIGN],
  ["any team, by a token of one, which handlers judge", "team_foreign", OF_SHOP, post(KNOWN), IN_FOREIGN],
  ["a look at any team, by a key of some permissions", "team_foreign", VIEWER_KEY, get(KNOWN), IN_FOREIGN],
  ["another user in a team, by its key", "team_shop", TEAM_KEY, OTHERS, IN_SHOP],
  ["another user in a team, by another's key", NO_TEAM, TEAM_KEY, OTHERS, IN_FOREIGN],
  ["another user in a team, by a key of some permissions", "team_foreign", VIEWER_KEY, OTHERS, IN_FOREIGN],

  ["a key itself", "ann", limitedTo(KEY, { names: ["A"] }), KEYS],
  ["a team's key itself", "team_shop", limitedTo(TEAM_KEY, { names: ["A"] }), KEYS],
  ["a key itself beside a team that it can't see", NO_TEAM, KEY, KEYS, FOREIGN],
  ["a key itself beside a team that it can see", "ann", KEY, KEYS, SHOP],
  ["a token where only keys belong", "403: only keys", TOKEN, KEYS],
];

for (const [what, expected, ...asked] of CASES) {
  test(`${what}: ${expected}`, async () => assert.equal(await told(...asked), expected));
}

test("a scope has the permissions of the caller and the credential", async () => {
  const scopeOf = async (...asked: Parameters<typeof ask>) => {
    const { ownerId, permissions, isLimited } = await ask(...asked);
    return [ownerId, permissions, isLimited];
  };
  assert.deepEqual(await scopeOf(TOKEN, get(USER)), ["ann", ALL_PERMISSIONS, false]);
  assert.deepEqual(await scopeOf(VIEWER_KEY, get(USER)), ["ann", ROLE_MASK.VIEWER, false]);
  assert.deepEqual(await scopeOf(OF_SHOP, get(USER)), ["ann", NO_PERMISSIONS, true]);
  assert.deepEqual(await scopeOf(SYSTEM_CALLER, ONLY_INSTANCE), [INSTANCE_ID, ALL_PERMISSIONS, false]);
  assert.deepEqual(await scopeOf(TOKEN, LIMITED_FORM, IN_SHOP), ["team_shop", ALL_PERMISSIONS, false]);
  assert.deepEqual(await scopeOf(OF_ELSE, LIMITED_FORM, IN_SHOP), ["team_shop", NO_PERMISSIONS, true]);
  const named = limitedTo(TEAM_KEY, { names: ["A"] });
  assert.deepEqual(await scopeOf(named, LIMITED_FORM, IN_SHOP), ["team_shop", NO_PERMISSIONS, true]);
  const narrow = limitedTo(TOKEN, { permissions: ["team:update"] });
  assert.deepEqual(await scopeOf(narrow, LIMITED_FORM, IN_SHOP), ["team_shop", ALL_PERMISSIONS, false]);
});

const PROJECT = limitedTo(TEAM_KEY, { projects: ["web", "shop"] });
const about = (limits: LimitPlaces, input: Partial<CallInput> = {}, by = PROJECT) =>
  told(by, post(OWNER, limits), {}, input);
const NO_PROJECT = /^404: Project/;

test("a credential with limits is refused what a contract does not declare, in each of what it is limited to", async () => {
  assert.equal(await about({}), "403: this credential is limited to some projects, and this is not about one");
  assert.equal(await about({ environment: "handler" }), await about({}));
  const names = limitedTo(TEAM_KEY, { names: ["A"] });
  assert.equal(await about({ project: "handler" }, {}, names), NO_NAMES);
  assert.equal(await about({ project: "handler", name: "params.name" }, { params: { name: "a" } }, names), "team_shop");
  assert.equal(await about({}, {}, TEAM_KEY), "team_shop");
  assert.equal(await about({}, {}, limitedTo(TEAM_KEY, { permissions: ["secret:write"] })), "team_shop");
});

test("what a request names has to be within the limits, in every place where it is named", async () => {
  assert.equal(await about({ project: "handler" }), "team_shop");
  const path = { project: "query.projectId" } as const;
  assert.equal(await about(path, { query: { projectId: "web" } }), "team_shop");
  assert.match(await about(path, { query: { projectId: "blog" } }), /^404: Project.*blog/);
  // What is no name is not repeated.
  for (const query of [{}, { projectId: null }, { projectId: 1 }])
    assert.match(await about(path, { query }), /^404: Project .* got ""\./);
  const list = { project: "body.scope.projectIds" } as const;
  assert.equal(await about(list, { body: { scope: { projectIds: ["web", "shop"] } } }), "team_shop");
  for (const body of [
    undefined,
    null,
    { scope: null },
    { scope: { projectIds: [] } },
    { scope: { projectIds: ["web", "blog"] } },
  ]) {
    assert.match(await about(list, { body }), NO_PROJECT);
  }
  const several = { project: { at: ["query.projectId", "body.projectId"], otherwise: "shop" } } as const;
  assert.equal(await about(several), "team_shop");
  assert.equal(await about(several, { query: { projectId: "web" } }), "team_shop");
  assert.match(await about(several, { query: { projectId: "web" }, body: { projectId: "blog" } }), NO_PROJECT);
  assert.match(await about({ project: { at: ["query.projectId"], otherwise: "blog" } }), NO_PROJECT);
});
