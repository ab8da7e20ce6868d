import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const { clock, request, createUser, createTeam, admin } = await startOwnApp({ storageLimits: "teams=1000" });

const slugsOf = (body: Body): string[] => body.teams.map((team: Body) => team.slug);

test("a new team is returned in full and its creator is its OWNER", async () => {
  const user = await createUser();
  const slug = uniqueName("acme");
  const { status, body, headers } = await request("POST", "/v1/teams", { token: user.token, body: { slug } });
  assert.equal(status, 200);
  assert.equal(headers["etag"], '"1"');
  assert.match(body.id, /^team_[0-9A-Za-z]{24}$/);
  assert.match(body.inviteCode, /^[0-9a-f]{40}$/);
  assert.deepEqual(body, {
    id: body.id,
    slug,
    name: slug,
    avatar: null,
    description: null,
    billing: { plan: "enterprise" },
    createdAt: clock.now,
    updatedAt: clock.now,
    creatorId: user.id,
    stagingPrefix: slug,
    membership: {
      role: "OWNER",
      confirmed: true,
      confirmedAt: clock.now,
      created: clock.now,
      createdAt: clock.now,
      uid: user.id,
      teamId: body.id,
      teamRoles: ["OWNER"],
      teamPermissions: [],
      joinedFrom: { origin: "teams" },
    },
    inviteCode: body.inviteCode,
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
    inviteCodeRole: "VIEWER",
    inviteCodeEnabled: true,
  });
});

test("creation accepts a name and the attribution that public clients send", async () => {
  const attribution = { sessionReferrer: "a", landingPage: "b", utm: { utmSource: "c" } };
  const body = { slug: uniqueName("named"), name: "Ünïcode & Co", attribution };
  const created = await request("POST", "/teams", { body });
  assert.equal(created.status, 200);
  assert.equal(created.body.name, "Ünïcode & Co");
});

test("creation refuses unknown members", async () => {
  const slug = uniqueName("strict");
  for (const [body, field] of [
    [{ slug, plan: "pro" }, "body.plan"],
    [{ slug, attribution: { utm: { other: "x" } } }, "body.attribution.utm.other"],
    [{ slug, name: "" }, "body.name"],
    [{ slug, name: "x".repeat(257) }, "body.name"],
    [{ name: "x" }, "body.slug"],
    [{ slug: 5 }, "body.slug"],
  ] as const) {
    const refused = await request("POST", "/v1/teams", { body });
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.body.error.field, field);
  }
});

test("an error about a misspelled member suggests the member that was probably meant", async () => {
  for (const [path, body, message] of [
    ["/v1/teams", { slug: "fine", nmae: "Fine" }, "nmae: unknown key; did you mean name?"],
    [
      "/v1/teams",
      { slug: "fine", attribution: { utm: { utmSorce: "x" } } },
      /^attribution\.utm\.utmSorce: .*utmSource\?$/,
    ],
    ["/v1/teams?slgu=x", { slug: "fine" }, "slgu: unknown key; did you mean slug?"],
  ] as const) {
    const { status, body: response } = await request("POST", path, { body });
    assert.equal(status, 400);
    if (typeof message === "string") assert.equal(response.error.message, message);
    else assert.match(response.error.message, message);
  }
});

test("a slug has one form", async () => {
  for (const slug of ["", "1st", "-dash", "_under", "Upper", "has space", "dot.ted", "é", "x".repeat(49), "a\n"]) {
    const refused = await request("POST", "/v1/teams", { body: { slug } });
    assert.equal(refused.status, 400, slug);
    assert.equal(refused.body.error.code, "invalid_slug");
    assert.equal(refused.body.error.field, "body.slug");
  }
  const longest = await request("POST", "/v1/teams", { body: { slug: "x".repeat(48) } });
  assert.equal(longest.status, 200);
});

test("reserved words and texts that look like ids are no slugs", async () => {
  for (const slug of ["api", "www", "join", "teams", "team_", `team_${"a".repeat(24)}`]) {
    const refused = await request("POST", "/v1/teams", { body: { slug } });
    assert.equal(refused.status, 400, slug);
    assert.equal(refused.body.error.code, "reserved_slug");
    assert.equal(refused.body.error.field, "body.slug");
  }
});

test("the slug of another team is refused, also to users who cannot see that team", async () => {
  const { slug } = await createTeam(await createUser());
  const stranger = await createUser();
  const refused = await request("POST", "/v1/teams", { token: stranger.token, body: { slug } });
  assert.equal(refused.status, 409);
  assert.equal(refused.body.error.code, "slug_taken");
  assert.match(refused.body.error.message, new RegExp(slug));
});

test("of ten concurrent creations of one slug exactly one succeeds", async () => {
  const users = await Promise.all(Array.from({ length: 10 }, () => createUser()));
  const slug = uniqueName("race");
  const responses = await Promise.all(
    users.map(({ token }) => request("POST", "/v1/teams", { token, body: { slug } })),
  );
  const statuses = responses.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 409)]);
});

test("a team is found by id and by slug, on every path that clients use", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const { body: expected } = await request("GET", `/v2/teams/${team.id}`, { token: owner.token });
  assert.equal(expected.id, team.id);
  for (const prefix of ["/v2", "/v1", ""]) {
    for (const name of [team.id, team.slug, `${team.slug}?teamId=${team.id}`, `${team.id}?teamId=&slug=${team.slug}`]) {
      const { status, body, headers } = await request("GET", `${prefix}/teams/${name}`, { token: owner.token });
      assert.equal(status, 200);
      assert.equal(headers["etag"], '"1"');
      assert.deepEqual(body, expected);
    }
  }
  assert.equal((await request("GET", `/v9/teams/${team.id}`, { token: owner.token })).status, 404);
});

test("a team that the caller is not in looks like one that does not exist", async () => {
  const team = await createTeam(await createUser());
  const { token } = await createUser();
  const foreign = await request("GET", `/v2/teams/${team.id}`, { token, headers: { "x-request-id": "same" } });
  const absent = await request("GET", `/v2/teams/team_${"0".repeat(24)}`, {
    token,
    headers: { "x-request-id": "same" },
  });
  assert.equal(foreign.status, 404);
  assert.deepEqual(foreign.body, absent.body);
});

test("an administrator sees every team, without a membership of it", async () => {
  const team = await createTeam(await createUser());
  const { status, body } = await request("GET", `/v2/teams/${team.slug}`);
  assert.equal(status, 200);
  assert.equal(body.membership, undefined);
  assert.equal("inviteCode" in body, false);
  const own = await request("GET", "/v2/teams?limit=100");
  assert.ok(!slugsOf(own.body).includes(team.slug));
});

test("the list of teams is the same on every path, newest first", async () => {
  const owner = await createUser();
  const first = await createTeam(owner);
  clock.advance(5);
  const second = await createTeam(owner);
  for (const path of ["/v2/teams", "/v1/teams", "/teams?limit=20"]) {
    const { status, body } = await request("GET", path, { token: owner.token });
    assert.equal(status, 200);
    assert.deepEqual(slugsOf(body), [second.slug, first.slug]);
    assert.deepEqual(body.pagination, { count: 2, next: null, prev: clock.now });
    assert.deepEqual(body.teams[0], (await request("GET", `/v2/teams/${second.id}`, { token: owner.token })).body);
  }
  const nobody = await createUser();
  const { body } = await request("GET", "/v2/teams", { token: nobody.token });
  assert.deepEqual(body, { teams: [], pagination: { count: 0, next: null, prev: null } });
});

test("pages neither repeat nor miss one of 500 teams of the same millisecond", async () => {
  const owner = await createUser();
  const slugs: string[] = [];
  /** What a busy store did not do is sent again. */
  const create = async (slug: string) => {
    for (;;) {
      const { status, text } = await request("POST", "/v1/teams", { token: owner.token, body: { slug } });
      if (status === 503) continue;
      assert.equal(status, 200, text);
      return;
    }
  };
  // Ten at a time: they wait for one lock, and PostgreSQL refuses what would wait for too long.
  while (slugs.length < 500) {
    const some = Array.from({ length: 10 }, () => uniqueName("many"));
    await Promise.all(some.map(create));
    slugs.push(...some);
  }
  const walk = async (cursorName: string) => {
    const found: string[] = [];
    let cursor: number | null = null;
    do {
      const from: string = cursor === null ? "" : `&${cursorName}=${cursor}`;
      const { body }: { body: Body } = await request("GET", `/v2/teams?limit=77${from}`, { token: owner.token });
      assert.equal(body.pagination.count, body.teams.length);
      found.push(...slugsOf(body));
      cursor = body.pagination.next;
    } while (cursor !== null);
    return found;
  };
  const found = await walk("until");
  assert.equal(found.length, 500);
  assert.deepEqual(found.toSorted(), slugs.toSorted());
  assert.deepEqual(await walk("next"), found);
});

test("the list in which clients look a team up has longer pages by default", async () => {
  const owner = await createUser();
  for (let i = 0; i < 21; i++) await createTeam(owner);
  const countAt = async (url: string) => (await request("GET", url, { token: owner.token })).body.teams.length;
  assert.equal(await countAt("/v2/teams"), 20);
  assert.equal(await countAt("/v1/teams"), 21);
  assert.equal(await countAt("/teams?limit=3"), 3);
});

test("pages lead back: prev and since reach newer teams", async () => {
  const owner = await createUser();
  for (let i = 0; i < 5; i++) await createTeam(owner);
  const { body: newest } = await request("GET", "/v2/teams?limit=2", { token: owner.token });
  const second = await request("GET", `/v2/teams?limit=2&until=${newest.pagination.next}`, { token: owner.token });
  assert.equal(second.body.pagination.count, 2);
  const links = second.headers["link"];
  assert.match(links ?? "", /\/v2\/teams\?limit=2&until=[\d.]+>; rel="next"/);
  const back = await request("GET", `/v2/teams?limit=2&since=${second.body.pagination.prev}`, { token: owner.token });
  assert.deepEqual(slugsOf(back.body), slugsOf(newest));
});

test("the size of a page has limits", async () => {
  for (const search of [
    "limit=0",
    "limit=101",
    "limit=abc",
    "until=yesterday",
    "next=1&until=2",
    "since=9&until=3",
    "x=1",
  ]) {
    const refused = await request("GET", `/v2/teams?${search}`);
    assert.equal(refused.status, 400, search);
    assert.match(refused.body.error.field, /^query\./);
  }
});

test("a creation with a repeated idempotency key happens once", async () => {
  const options = { body: { slug: uniqueName("once") }, headers: { "idempotency-key": uniqueName("key") } };
  const first = await request("POST", "/v1/teams", options);
  const second = await request("POST", "/v1/teams", options);
  assert.equal(first.status, 200);
  assert.equal(second.headers["idempotency-replayed"], "true");
  // The link is for those who may see it now.
  const { inviteCode, ...rest } = first.body;
  assert.match(inviteCode, /./);
  assert.deepEqual(second.body, rest);
  assert.equal(first.body.creatorId, admin.id);
});

test("teams that the caller is only invited to, or asked to join, are not listed", async () => {
  const user = await createUser();
  const own = await createTeam(user);
  for (const state of ["invited", "requested"]) {
    const owner = await createUser();
    const team = await createTeam(owner);
    await (state === "invited"
      ? request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body: { email: user.email } })
      : request("POST", `/v1/teams/${team.id}/request`, { token: user.token }));
    const { status, body } = await request("GET", `/v2/teams/${team.id}`, { token: user.token });
    assert.deepEqual([status, body.limited, "membership" in body], [200, true, false], state);
  }
  const { body } = await request("GET", "/v2/teams", { token: user.token });
  assert.deepEqual(slugsOf(body), [own.slug]);
});
