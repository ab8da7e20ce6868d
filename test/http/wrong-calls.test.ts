// What a wrong call is told: the field, what was expected there, and where to go instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startTestApp } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";

const api = await startTestApp();
const team = await openTeam(api, await api.createUser());
const scope = `teamId=${team.id}`;
const RULE = { name: "r", active: true, conditionGroup: [], action: { mitigate: { action: "deny" } } };
const seconds = Math.floor(api.clock.now / 1_000);

const CALLS: readonly (readonly [
  call: string,
  body: unknown,
  status: number,
  field: string | undefined,
  said: RegExp,
])[] = [
  // A slash at the end is an empty id.
  ["GET /v1/webhooks/", undefined, 400, "path.webhookId", /^webhookId: .* leave the last slash out$/],
  [`DELETE /v2/secrets/?${scope}`, undefined, 400, "path.name", /^name: .*got nothing/],
  // The path that has the method.
  ["GET /v1/secrets", undefined, 405, undefined, /^This path knows PATCH; GET is at \/v2\/secrets$/],
  ["PUT /v1/webhooks/hook_x", undefined, 405, undefined, /^This path knows GET, PATCH, DELETE$/],
  ["POST /v2/team", {}, 404, undefined, /did you mean \/v1\/teams\?$/],
  // The other place of a member.
  [
    "POST /v2/secrets",
    { name: "A", value: "x", teamId: team.id },
    400,
    "body.teamId",
    /^teamId: expected in the query, as \?teamId=/,
  ],
  [
    `POST /v2/secrets?${scope}&value=x`,
    { name: "A" },
    400,
    "query.value",
    /^value: expected in the body, not in the query$/,
  ],
  // All of a query is text.
  ["GET /v2/teams?limit=many", undefined, 400, "query.limit", /^limit: expected an integer$/],
  ["GET /v2/teams?until=yesterday", undefined, 400, "query.until", /epoch, such as \d+, or ISO 8601 as 2030-/],
  // Units, and seconds for milliseconds.
  [`GET /v3/events?since=${seconds}`, undefined, 400, "query.since", /got seconds: send \d{13}$/],
  [`GET /v1/webhooks?until=${seconds}`, undefined, 400, "query.until", /got seconds: send \d{13}$/],
  ["GET /v1/webhooks?since=yesterday", undefined, 400, "query.since", /in ms since the epoch/],
  ["GET /v1/webhooks?withHealth=yes", undefined, 400, "query.withHealth", /expected true or false/],
  ["POST /v3/user/tokens", { name: "t", expiresAt: seconds }, 400, "body.expiresAt", /got seconds: send \d{13}$/],
  ["POST /v3/user/tokens", { name: "t", expiresAt: "1d" }, 400, "body.expiresAt", /an integer, in ms since the epoch/],
  [
    `POST /v1/security/firewall/bypass?projectId=shop&${scope}`,
    { domain: "example.com", sourceIp: "192.0.2.1", ttl: 3_600 },
    400,
    "body.ttl",
    /^ttl: expected a number >= 60000, in ms$/,
  ],
  // Other words for a member.
  ["POST /v1/teams", { team: "acme" }, 400, "body.team", /did you mean slug\?$/],
  [`POST /v1/webhooks?${scope}`, { path: "https://example.com", events: ["*"] }, 400, "body.path", /mean url\?$/],
  ["GET /v2/teams?page=2", undefined, 400, "query.page", /send `pagination\.next` of the response as `until`$/],
  [`GET /v3/events?event=secret-add&${scope}`, undefined, 400, "query.event", /did you mean types\?$/],
  // What there is, where nothing is near.
  ["POST /v1/teams", { slug: "x", colour: 1 }, 400, "body.colour", /unknown key; expected one of slug, name, /],
  ["POST /v1/teams", {}, 400, "body.slug", /^slug: is required: a string$/],
  // Not what it seems.
  [
    `POST /v1/firewalls/active/evaluate?projectId=shop&${scope}`,
    { requests: [{ url: "/", ip: "localhost" }] },
    400,
    "body.requests[0].ip",
    /expected an IPv4 or IPv6 address/,
  ],
  [
    `POST /v1/identity/trusts?${scope}`,
    { name: "ci", issuer: "http://example.com", audience: "a", claims: { sub: "x" }, role: "VIEWER" },
    400,
    "body.issuer",
    /expected a URL with https, such as https:/,
  ],
];

for (const [call, body, status, field, said] of CALLS) {
  test(`${call} ${JSON.stringify(body ?? null).slice(0, 60)}: ${status} ${field ?? ""}`, async () => {
    const [method = "", path = ""] = call.split(" ");
    const response = await api.request(method, path, { token: team.owner.token, body });
    assert.equal(response.status, status, response.text);
    const { error } = response.body;
    assert.equal(error.field, field, response.text);
    assert.match(error.message, said);
    if (field !== undefined && !/did you mean/.test(error.message)) assert.ok(error.expected.length > 3, response.text);
  });
}

test("lists take times in ISO 8601 as in ms", async () => {
  await api.request("POST", `/v1/webhooks?${scope}`, {
    token: team.owner.token,
    body: { url: "https://example.com/hook", events: ["secret-add"] },
  });
  for (const [at, count] of [
    [api.clock.now - DAY_MS, 1],
    [api.clock.now + DAY_MS, 0],
  ] as const) {
    for (const since of [String(at), new Date(at).toISOString()]) {
      const { body, text } = await api.request("GET", `/v1/webhooks?${scope}&since=${since}`, {
        token: team.owner.token,
      });
      assert.equal((body.webhooks ?? body).length, count, text);
    }
  }
});

test("a rule without conditions says that it never matches", async () => {
  const token = team.owner.token;
  const { body } = await api.request("PUT", `/v1/firewalls?projectId=shop&${scope}`, {
    token,
    body: { firewallEnabled: true, rules: [RULE] },
  });
  const [{ valid, validationErrors }] = body.active.rules;
  assert.deepEqual([valid, validationErrors.length], [true, 1]);
  assert.match(validationErrors[0], /never matches$/);
});

/** Conditions, what is said of each, and a request of which it does not hold although it looks so. */
const DOUBTFUL: readonly (readonly [condition: object, said: RegExp, request: object])[] = [
  [{ type: "path", op: "eq", value: "admin" }, /value: "admin" is in no request/, { url: "https://a.example/admin" }],
  [{ type: "path", op: "re", value: "^admin" }, /write \^\/$/, { url: "https://a.example/admin" }],
  [{ type: "path", op: "eq", value: "/a?b=1" }, /the type query reads parameters$/, { url: "https://a.example/a?b=1" }],
  [{ type: "raw_path", op: "pre", value: "/a?b" }, /no space, \? and #/, { url: "https://a.example/a?b=1" }],
  [{ type: "path", op: "eq", value: "/a%20b" }, /one normal form/, { url: "https://a.example/a%20b" }],
  [{ type: "host", op: "pre", value: "https://" }, /without scheme, port and path$/, { url: "https://a.example/" }],
  [{ type: "host", op: "suf", value: ":8080" }, /without scheme, port and path$/, { url: "https://a.example:8080/" }],
  [
    { type: "header", key: "X-Api ", op: "ex" },
    /key: "X-Api " is the name of no header/,
    { url: "/", headers: { "x-api": "1" } },
  ],
  [{ type: "path", op: "inc", value: "/a,/b" }, /write several as a list of JSON$/, { url: "https://a.example/b" }],
  [{ type: "ja3_digest", op: "eq", value: "abc" }, /32 hexadecimal digits$/, { url: "/" }],
];

for (const [condition, said, request] of DOUBTFUL) {
  test(`a rule with ${JSON.stringify(condition)} says ${said.source}`, async () => {
    const { token } = team.owner;
    const rule = { ...RULE, conditionGroup: [{ conditions: [condition] }] };
    const { body } = await api.request("PUT", `/v1/firewalls?projectId=doubts&${scope}`, {
      token,
      body: { firewallEnabled: true, rules: [rule] },
    });
    const [{ validationErrors }] = body.active.rules;
    assert.equal(validationErrors.length, 1, JSON.stringify(validationErrors));
    assert.match(validationErrors[0], /^conditionGroup\[0\]\.conditions\[0\]\./);
    assert.match(validationErrors[0], said);
    const evaluated = await api.request("POST", `/v1/firewalls/active/evaluate?projectId=doubts&${scope}`, {
      token,
      body: { requests: [request] },
    });
    assert.equal(evaluated.status, 200, evaluated.text);
    assert.match(evaluated.text, /"action":"allow"/);
  });
}

test("a network with bits behind its prefix says what it covers; at most five doubts of a rule are said", async () => {
  const { token } = team.owner;
  const conditions = [
    { type: "ip_address", op: "eq", value: "10.1.2.3/8" },
    { type: "path", op: "inc", value: ["a", "b", "c", "d", "e", "/f"] },
  ];
  const { body } = await api.request("PUT", `/v1/firewalls?projectId=doubts&${scope}`, {
    token,
    body: { firewallEnabled: true, rules: [{ ...RULE, conditionGroup: [{ conditions }] }] },
  });
  const [{ validationErrors }] = body.active.rules;
  assert.equal(validationErrors[0], 'conditionGroup[0].conditions[0].value: "10.1.2.3/8" is all of 10.0.0.0/8');
  assert.equal(validationErrors.length, 5);
});

test("a query that is wrong in several ways is told each, unknown keys first", async () => {
  const { token } = team.owner;
  const { status, body, text } = await api.request("GET", `/v1/webhooks?limit=abc&offset=20&since=${seconds}&q=x`, {
    token,
  });
  assert.equal(status, 400);
  const { error } = body;
  assert.deepEqual(
    error.errors.map(({ field }: { field: string }) => field),
    ["query.offset", "query.q", "query.since", "query.limit"],
    text,
  );
  assert.equal(error.field, "query.offset");
  assert.match(error.errors[3].message, /^expected an integer/);
});

const DOUBTED_GROUP = [{ conditions: [{ type: "path", op: "eq", value: "admin" }] }];
const NETWORK_GROUP = [{ conditions: [{ type: "ip_address", op: "eq", value: "10.1.2.3/8" }] }];
const SOUND_GROUP = [{ conditions: [{ type: "path", op: "eq", value: "/admin" }] }];
const NO_SLASH = /^conditionGroup\[0\]\.conditions\[0\]\.value: "admin" is in no request/;
const WHOLE_NETWORK = 'conditionGroup[0].conditions[0].value: "10.1.2.3/8" is all of 10.0.0.0/8';

test("a shared condition says what is doubtful, in versions and drafts, and may be sent back with it", async () => {
  const { token } = team.owner;
  const path = (name: string) => `/v1/firewalls${name}?projectId=shared-doubts&${scope}`;
  const shared = (id: string, conditionGroup: object) => ({ id, name: id, active: true, conditionGroup });
  const conditions = [shared("a", DOUBTED_GROUP), shared("b", NETWORK_GROUP), shared("c", SOUND_GROUP)];
  const put = async (body: object) => await api.request("PUT", path(""), { token, body });
  const { active } = (await put({ firewallEnabled: true, conditions })).body;
  assert.match(active.conditions[0].validationErrors[0], NO_SLASH);
  assert.deepEqual(active.conditions[1].validationErrors, [WHOLE_NETWORK]);
  assert.equal("validationErrors" in active.conditions[2], false);
  const again = await put(active);
  assert.equal(again.body.active?.version, 1, again.text);
});

test("a bypass rule says what is doubtful when it is written and when it is listed", async () => {
  const { token } = team.owner;
  const path = `/v1/security/firewall/bypass/rules?projectId=bypass-doubts&${scope}`;
  const write = async (method: string, conditionGroup: object) =>
    (await api.request(method, path, { token, body: { domain: "a.example", conditionGroup } })).body.result[0];
  assert.match((await write("POST", DOUBTED_GROUP)).validationErrors[0], NO_SLASH);
  assert.deepEqual((await write("PUT", NETWORK_GROUP)).validationErrors, [WHOLE_NETWORK]);
  const { body } = await api.request("GET", path, { token });
  assert.deepEqual(body.result[0].validationErrors, [WHOLE_NETWORK]);
  assert.equal("validationErrors" in (await write("PUT", SOUND_GROUP)), false);
});
