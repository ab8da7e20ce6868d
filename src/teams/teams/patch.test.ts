import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestTeam, TestUser } from "../../../test/harness/test-app.ts";

const { clock, request, createUser, createTeam, query, readEvents } = await startTestApp();
let owner: TestUser;
before(async () => {
  owner = await createUser();
});

const patch = (team: TestTeam, body: unknown, headers = {}): Promise<TestResponse> =>
  request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body, headers });
const read = async (team: TestTeam): Promise<Body> =>
  (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body;
/** The events of a team after the one of its creation. */
const changesOf = async (team: TestTeam) => (await readEvents(team.id)).slice(1);

const AVATAR = "0123456789abcdef0123456789abcdef01234567";
const SETTINGS = "team-collaboration-settings-updated";

test("null clears optional members", async () => {
  const team = await createTeam(owner);
  const original = await read(team);
  const protection = { ssoProtection: { deploymentType: "all" } };
  await patch(team, {
    description: "d",
    avatar: AVATAR,
    emailDomain: "a.example",
    previewDeploymentSuffix: "b.example",
    defaultDeploymentProtection: protection,
    defaultPassport: { connectorId: "c1", deploymentType: "all" },
  });
  const cleared = await patch(team, {
    description: null,
    avatar: null,
    emailDomain: null,
    previewDeploymentSuffix: null,
    defaultDeploymentProtection: null,
    defaultPassport: null,
  });
  assert.equal(cleared.status, 200, cleared.text);
  assert.deepEqual(cleared.body, { ...original, defaultPassport: null });
});

test('"undefined" takes a setting away', async () => {
  const team = await createTeam(owner);
  const original = await read(team);
  await patch(team, {
    nsnbConfig: { preference: "block" },
    deploymentPolicy: { gitSources: [], deploymentSources: [] },
  });
  const { body } = await patch(team, { deploymentPolicy: { gitSources: "undefined" } });
  assert.deepEqual(body.deploymentPolicy, { deploymentSources: [] });
  const cleared = await patch(team, { nsnbConfig: "undefined", deploymentPolicy: "undefined" });
  assert.deepEqual(cleared.body, original);
});

test("a patch of one half of a setting keeps the other half", async () => {
  const team = await createTeam(owner);
  await patch(team, {
    saml: { enforced: true, roles: { staff: "MEMBER" } },
    defaultExpirationSettings: { expiration: "1y" },
    defaultDeploymentProtection: { ssoProtection: { deploymentType: "all" } },
    defaultProjectJobs: { lint: { targets: ["preview"] } },
  });
  const { body } = await patch(team, {
    saml: { enforced: false },
    defaultExpirationSettings: { expirationErrored: "1w" },
    defaultDeploymentProtection: { passwordProtection: { deploymentType: "preview" } },
    defaultProjectJobs: { typecheck: { targets: ["production"] } },
  });
  assert.deepEqual(body.saml, { enforced: false, roles: { staff: "MEMBER" } });
  assert.deepEqual(body.defaultExpirationSettings, { expirationDays: 365, expirationDaysErrored: 7 });
  assert.deepEqual(body.defaultDeploymentProtection, {
    passwordProtection: { deploymentType: "preview" },
    ssoProtection: { deploymentType: "all" },
  });
  assert.deepEqual(body.defaultProjectJobs, { lint: { targets: ["preview"] }, typecheck: { targets: ["production"] } });
  assert.deepEqual((await patch(team, { saml: { roles: {} } })).body.saml, { enforced: false, roles: {} });
});

test("a switch has the time of its last change, not of the last request", async () => {
  const team = await createTeam(owner);
  const turnedAt = clock.now;
  await patch(team, { strictConnectors: { enabled: true } });
  clock.advance(1000);
  const again = await patch(team, { strictConnectors: { enabled: true } });
  assert.deepEqual(again.body.strictConnectors, { enabled: true, updatedAt: turnedAt });
  const off = await patch(team, { strictConnectors: { enabled: false } });
  assert.deepEqual(off.body.strictConnectors, { enabled: false, updatedAt: clock.now });
});

test("a patch that changes nothing writes nothing", async () => {
  const team = await createTeam(owner);
  const original = await read(team);
  clock.advance(1000);
  for (const body of [
    {},
    { name: team.slug, slug: team.slug, avatar: null, saml: {}, remoteCaching: { enabled: true } },
    { regenerateInviteCode: false, resourceConfig: {}, defaultDeploymentProtection: null, nsnbConfig: "undefined" },
    { resourceConfig: { buildMachine: {} }, defaultProjectJobs: {}, defaultExpirationSettings: {} },
  ]) {
    const patched = await patch(team, body);
    assert.equal(patched.status, 200, patched.text);
    assert.equal(patched.headers["etag"], '"1"');
    assert.deepEqual(patched.body, original);
  }
  assert.deepEqual(await changesOf(team), []);
});

test("one patch emits an event for each change, with the values before and after", async () => {
  const team = await createTeam(owner);
  clock.advance(1000);
  const slug = uniqueName("told");
  const { body } = await patch(team, {
    name: "Told",
    slug,
    emailDomain: "told.example",
    saml: { enforced: true, roles: { ops: "OWNER" } },
    remoteCaching: { enabled: true },
    hideIpAddresses: true,
    description: "all of it",
  });
  assert.equal(body.updatedAt, clock.now);
  const changes = await changesOf(team);
  const told = changes.map(({ type, payload, previous, next }) => ({ type, payload, previous, next }));
  assert.deepEqual(told, [
    { type: "team-name-update", payload: { name: "Told" }, previous: { name: team.slug }, next: { name: "Told" } },
    { type: "team-slug-update", payload: { slug }, previous: { slug: team.slug }, next: { slug } },
    {
      type: "team-email-domain-update",
      payload: { emailDomain: "told.example" },
      previous: { emailDomain: null },
      next: { emailDomain: "told.example" },
    },
    {
      type: "team-saml-enforced",
      payload: { enforced: true },
      previous: { enforced: false },
      next: { enforced: true },
    },
    {
      type: "team-saml-roles",
      payload: { roles: { ops: "OWNER" } },
      previous: { roles: {} },
      next: { roles: { ops: "OWNER" } },
    },
    {
      type: SETTINGS,
      payload: { settings: ["description", "hideIpAddresses"] },
      previous: { description: null, hideIpAddresses: false },
      next: { description: "all of it", hideIpAddresses: true },
    },
  ]);
  assert.ok(changes.every(({ entityId }) => entityId === team.id));
});

test("a new join link revokes the old one, and no event shows a code", async () => {
  const team = await createTeam(owner);
  const { inviteCode } = await read(team);
  const patched = await patch(team, { regenerateInviteCode: true });
  assert.match(patched.body.inviteCode, /^[0-9a-f]{40}$/);
  assert.notEqual(patched.body.inviteCode, inviteCode);
  assert.equal((await read(team)).inviteCode, patched.body.inviteCode);
  const [reset, ...others] = await changesOf(team);
  assert.deepEqual(others, []);
  assert.equal(reset?.type, "team-invite-code-reset");
  assert.deepEqual(reset?.payload, { inviteCode: `…${patched.body.inviteCode.slice(-4)}` });
  const stored = JSON.stringify(await query(`select * from events where owner_id = '${team.id}'`));
  assert.ok(!stored.includes(inviteCode) && !stored.includes(patched.body.inviteCode));
});

test("no deployment password is stored", async () => {
  const team = await createTeam(owner);
  await patch(team, {
    defaultDeploymentProtection: { passwordProtection: { deploymentType: "all", password: "s3cret" } },
  });
  const [row] = await query(`select settings from teams where id = '${team.id}'`);
  assert.ok(!String(row?.["settings"]).includes("s3cret"));
});

test("a renamed team is found by its new slug, and the old one is free", async () => {
  const team = await createTeam(owner);
  const slug = uniqueName("renamed");
  assert.equal((await patch(team, { slug })).status, 200);
  assert.equal((await request("GET", `/v2/teams/${slug}`, { token: owner.token })).body.id, team.id);
  assert.equal((await request("GET", `/v2/teams/${team.slug}`, { token: owner.token })).status, 404);
  assert.equal((await request("POST", "/v1/teams", { body: { slug: team.slug } })).status, 200);
});

test("a slug of another team is refused", async () => {
  const team = await createTeam(owner);
  const other = await createTeam(await createUser());
  const refused = await patch(team, { name: "changed", slug: other.slug });
  assert.equal(refused.status, 409);
  assert.equal(refused.body.error.code, "slug_taken");
  assert.equal((await read(team)).name, team.slug);
});

test("every path that clients use patches, by id and by slug", async () => {
  const team = await createTeam(owner);
  let count = 0;
  for (const prefix of ["/v2", "/v1", ""]) {
    for (const name of [team.id, `${team.slug}?teamId=${team.id}`]) {
      const body = { name: `n${++count}` };
      const patched = await request("PATCH", `${prefix}/teams/${name}`, { token: owner.token, body });
      assert.equal(patched.status, 200);
      assert.equal(patched.body.name, body.name);
    }
  }
});

async function addMember(team: TestTeam, role: string): Promise<TestUser> {
  const user = await createUser();
  await query(
    `insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects, confirmed_at,
      created_at, updated_at, position, user_position)
     values ('${team.id}', '${user.id}', 'member', '${role}', '{"origin":"link"}', '[]', '[]', 1, 1, 1,
      ${Math.floor(Math.random() * 1e9)}, 1)`,
  );
  return user;
}

test("only OWNERs patch, and only those who may invite see the join link", async () => {
  const team = await createTeam(owner);
  for (const role of ["MEMBER", "DEVELOPER", "SECURITY", "BILLING", "VIEWER", "VIEWER_FOR_PLUS", "CONTRIBUTOR"]) {
    const { token } = await addMember(team, role);
    const refused = await request("PATCH", `/v2/teams/${team.id}`, { token, body: { name: "changed" } });
    assert.equal(refused.status, 403, role);
    const { body } = await request("GET", `/v2/teams/${team.id}`, { token });
    assert.equal(body.membership.role, role);
    assert.equal("inviteCode" in body, false, role);
    const list = await request("GET", "/v2/teams", { token });
    assert.deepEqual(list.body.teams, [body]);
  }
  const second = await addMember(team, "OWNER");
  const { body } = await request("PATCH", `/v2/teams/${team.id}`, { token: second.token, body: { name: "changed" } });
  assert.equal(body.name, "changed");
  assert.equal(body.inviteCode, (await read(team)).inviteCode);
});

test("If-Match allows a patch of the revision that its sender saw only", async () => {
  const team = await createTeam(owner);
  assert.equal((await patch(team, { name: "first" }, { "if-match": '"1"' })).status, 200);
  const late = await patch(team, { name: "second" }, { "if-match": '"1"' });
  assert.equal(late.status, 412);
  assert.equal(late.headers["etag"], '"2"');
  assert.equal((await read(team)).name, "first");
});

test("of ten concurrent patches of one revision exactly one succeeds", async () => {
  const team = await createTeam(owner);
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) => patch(team, { name: `n${i}` }, { "if-match": '"1"' })),
  );
  const statuses = responses.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 412)]);
  assert.equal((await changesOf(team)).length, 1);
});

test("concurrent patches without a revision all succeed, one after the other", async () => {
  const team = await createTeam(owner);
  const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => patch(team, { name: `n${i}` })));
  assert.ok(responses.every(({ status }) => status === 200));
  const changes = await changesOf(team);
  assert.equal(changes.length, 10);
  for (let i = 1; i < 10; i++) assert.deepEqual(changes[i]?.previous, changes[i - 1]?.next);
});

test("of ten teams that request one slug at once exactly one gets it", async () => {
  const teams = await Promise.all(Array.from({ length: 10 }, () => createTeam(owner)));
  const slug = uniqueName("wanted");
  const responses = await Promise.all(teams.map((team) => patch(team, { slug })));
  const statuses = responses.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)]);
});
