import assert from "node:assert/strict";
import { test } from "node:test";
import { openShield } from "../../../test/resources/attack-mode.ts";
import { refused } from "../../../test/resources/bypasses.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body } from "../../../test/harness/test-app.ts";

const client = await startOwnApp({ firewallCostLimit: "1000" });
const { clock, createTeam, createUser, request, readEvents } = client;

const PATH = "/v1/security/firewall/bypass/rules";

const condition = (value: string | readonly string[], op = "pre") => ({ type: "path", op, value });
const groups = (...conditions: readonly object[]) => [{ conditions }];
const HOOKS = groups(condition("/hooks/"), { type: "header", op: "eq", key: "X-Kind", value: "push" });

async function openRules(scope = "") {
  const user = await createUser();
  const call = (method: string, rest = "", body?: unknown) =>
    request(method, `${PATH}?projectId=shop${scope}${rest}`, {
      token: user.token,
      ...(body !== undefined && { body }),
    });
  return {
    user,
    call,
    add: (body: unknown) => call("POST", "", body),
    replace: (body: unknown) => call("PUT", "", body),
    remove: (domain: string) => call("DELETE", `&domain=${domain}`),
    list: async (rest = ""): Promise<Body[]> => (await call("GET", rest)).body.result,
    events: async () => (await readEvents(user.id)).filter(({ type }) => type.startsWith("firewall-bypass-rule-")),
  };
}

function resultOf({ status, body, text }: TestResponse): Body {
  assert.equal(status, 200, text);
  assert.deepEqual([body.ok, body.pagination, body.result.length], [true, null, 1]);
  return body.result[0];
}

test("a bypass rule is added, replaced and removed, and each is an event", async () => {
  const { user, add, replace, remove, list, events } = await openRules();
  assert.deepEqual(await list(), []);
  const added = resultOf(await add({ domain: "Hooks.Example.com", conditionGroup: HOOKS, note: "of a forge" }));
  const at = new Date(clock.now).toISOString();
  const expected = {
    id: "shop#hooks.example.com",
    ownerId: user.id,
    projectId: "shop",
    domain: "hooks.example.com",
    conditionGroup: HOOKS,
    cost: 2,
    note: "of a forge",
    createdAt: at,
    createdBy: user.id,
    updatedAt: at,
    updatedBy: user.id,
  };
  assert.deepEqual(added, expected);
  assert.deepEqual(await list(), [expected]);

  clock.advance(1_000);
  const other = { domain: "hooks.example.com", conditionGroup: groups(condition("/other")) };
  assert.deepEqual(resultOf(await replace(other)), {
    ...expected,
    ...other,
    cost: 1,
    note: "",
    updatedAt: new Date(clock.now).toISOString(),
  });
  clock.advance(1_000);
  resultOf(await replace(other));
  assert.equal((await events()).length, 2, "what changes nothing is no event");
  const response = await remove("Hooks.example.com");
  assert.deepEqual([response.status, response.body], [200, { ok: true }]);
  assert.deepEqual(refused(await remove("hooks.example.com")), [404, "not_found", undefined]);
  assert.deepEqual(await list(), []);

  const before = { conditionGroup: HOOKS, note: "of a forge" };
  const after = { conditionGroup: other.conditionGroup, note: "" };
  const shown = (await events()).map(({ type, text, entityId, payload, previous, next }) => ({
    type,
    text,
    entityId,
    payload,
    previous,
    next,
  }));
  const event = (what: string, did: string, previous: object | null, next: object | null) => ({
    type: `firewall-bypass-rule-${what}`,
    text: `${user.username} ${did} the bypass rule of shop for hooks.example.com`,
    entityId: "shop#hooks.example.com",
    payload: { projectId: "shop", domain: "hooks.example.com" },
    previous,
    next,
  });
  assert.deepEqual(shown, [
    event("created", "added", null, before),
    event("updated", "replaced", before, after),
    event("deleted", "removed", after, null),
  ]);
});

test("a domain has one rule: adding another is rejected, also concurrently, and replacing creates none", async () => {
  const { add, replace, list } = await openRules();
  const rule = { domain: "*", conditionGroup: HOOKS };
  assert.deepEqual(refused(await replace(rule)), [404, "not_found", undefined]);
  assert.deepEqual(await list(), []);
  const responses = await Promise.all([add(rule), add(rule), add({ ...rule, note: "x" })]);
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 409, 409]);
  assert.deepEqual(refused(await add(rule)), [409, "bypass_rule_exists", undefined]);
  assert.equal((await list()).length, 1);
});

test("the rules are listed by page and by domain, on every path", async () => {
  const { user, add, call, list } = await openRules();
  for (const domain of ["c.example", "a.example", "*", "*.b.example"]) await add({ domain, conditionGroup: HOOKS });
  const found: string[] = [];
  let offset = "";
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await call("GET", `&limit=2${offset}`);
    found.push(...body.result.map(({ domain }: Body) => domain));
    if (!body.pagination) break;
    assert.equal(body.pagination.OwnerId, user.id);
    offset = `&offset=${encodeURIComponent(body.pagination.Id)}`;
  }
  assert.deepEqual(found, ["*", "*.b.example", "a.example", "c.example"]);
  assert.deepEqual((await list("&domain=A.Example")).length, 1);
  assert.deepEqual(await list("&domain=b.example"), []);
  assert.deepEqual(refused(await call("GET", "&offset=other")), [400, "invalid_cursor", "query.offset"]);
  assert.deepEqual(refused(await call("GET", "&limit=101")), [400, "invalid_query", "query.limit"]);
  for (const path of [PATH, PATH.slice(3), "/v1/firewalls/bypass/rules", "/firewalls/bypass/rules"]) {
    const response = await request("GET", `${path}?projectId=shop`, { token: user.token });
    assert.deepEqual([response.status, response.body.result.length], [200, 4], path);
  }
});

test("all errors of a rule are listed at once", async () => {
  const { add, replace, call, list } = await openRules();
  const domain = "a.example";
  const cases: [object, string[]][] = [
    [{}, ["body.domain", "body.conditionGroup"]],
    [{ domain: "a b", conditionGroup: {}, notes: "" }, ["body.notes", "body.domain", "body.conditionGroup"]],
    [{ domain, conditionGroup: [] }, ["body.conditionGroup"]],
    [{ domain, conditionGroup: [{ conditions: [] }] }, ["body.conditionGroup[0].conditions"]],
    [
      { domain, conditionGroup: groups(condition("x", "gt"), condition("(", "re")) },
      ["body.conditionGroup[0].conditions[0].op", "body.conditionGroup[0].conditions[1].value"],
    ],
    [
      { domain, conditionGroup: groups({ type: "shared_condition", op: "eq", value: "x" }) },
      ["body.conditionGroup[0].conditions[0].value"],
    ],
    [{ domain, conditionGroup: HOOKS, note: "n".repeat(501) }, ["body.note"]],
    [{ domain, conditionGroup: groups(...Array(5).fill(condition("p".repeat(2_048)))) }, ["body.conditionGroup"]],
    [
      Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`k${at}`, 0])),
      Array.from({ length: 100 }, (_, at) => `body.k${at}`),
    ],
  ];
  for (const [body, fields] of cases) {
    for (const write of [add, replace]) {
      const response = await write(body);
      assert.deepEqual(refused(response), [400, "invalid_firewall", fields[0]], response.text.slice(0, 300));
      assert.deepEqual(
        response.body.error.errors.map(({ field }: Body) => field),
        fields,
      );
    }
  }
  assert.deepEqual(refused(await call("DELETE")), [400, "bad_request", "query.domain"]);
  assert.deepEqual(refused(await call("DELETE", "&domain=a.example", { domain: "b.example" })), [
    400,
    "bad_request",
    "body.domain",
  ]);
  assert.deepEqual(await list(), []);
  await add({ domain, conditionGroup: HOOKS });
  assert.equal((await call("DELETE", "", { domain })).status, 200, "older clients send the domain in the body");
});

test("a project's rules are bounded in number and in total cost", async () => {
  const { add, replace, remove, list } = await openRules();
  const costly = (count: number) => Array.from({ length: count }, () => ({ conditions: [condition("[0-9]+", "re")] }));
  const first = resultOf(await add({ domain: "a.example", conditionGroup: costly(1) }));
  const fits = Math.floor(1_000 / first.cost);
  resultOf(await replace({ domain: "a.example", conditionGroup: costly(fits - 1) }));
  resultOf(await add({ domain: "b.example", conditionGroup: costly(1) }));
  const tooMuch = [
    await add({ domain: "c.example", conditionGroup: costly(1) }),
    await replace({ domain: "b.example", conditionGroup: costly(2) }),
  ];
  for (const refusal of tooMuch) {
    assert.deepEqual(refused(refusal), [400, "firewall_too_costly", undefined]);
    assert.match(refusal.body.error.message, /REEVE_FIREWALL_COST_LIMIT/);
  }
  assert.equal((await remove("b.example")).status, 200);
  resultOf(await replace({ domain: "a.example", conditionGroup: HOOKS }));
  for (let at = 1; at < 100; at++) resultOf(await add({ domain: `h${at}.example`, conditionGroup: HOOKS }));
  const one = { domain: "more.example", conditionGroup: HOOKS };
  assert.deepEqual(refused(await add(one)), [400, "too_many_bypasses", undefined]);
  assert.equal((await list("&limit=100")).length, 100);
  resultOf(await replace({ domain: "a.example", conditionGroup: HOOKS, note: "full" }));
  await remove("a.example");
  resultOf(await add(one));
});

test("each owner and project has rules of its own, and they require firewall:read", async () => {
  const { user, add } = await openRules();
  const rule = { domain: "a.example", conditionGroup: HOOKS };
  resultOf(await add(rule));
  const team = await createTeam(user);
  const stranger = await createUser();
  for (const scope of ["?projectId=other", `?projectId=shop&teamId=${team.id}`]) {
    const { body } = await request("GET", PATH + scope, { token: user.token });
    assert.deepEqual(body.result, []);
    assert.equal((await request("DELETE", `${PATH}${scope}&domain=a.example`, { token: user.token })).status, 404);
  }
  const { status } = await request("GET", `${PATH}?teamId=${team.id}`, { token: stranger.token });
  assert.equal(status, 404);
  const scope = `?projectId=shop&teamId=${team.id}`;
  resultOf(await request("POST", PATH + scope, { token: user.token, body: rule }));
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: user.token })).status, 200);
  const rows = await client.query(`select count(*) as count from firewall_bypass_rules where owner_id = '${team.id}'`);
  assert.deepEqual(
    rows.map(({ count }) => Number(count)),
    [0],
  );
});

test("while attack mode is on, a request that matches a rule for its domain is not challenged", async () => {
  const { user, add } = await openRules();
  const { token } = user;
  const firewall = "/v1/firewalls";
  const put = await request("PUT", `${firewall}?projectId=shop`, { token, body: { firewallEnabled: true } });
  assert.equal(put.status, 200);
  await openShield(client, token, "shop").set({ attackModeEnabled: true });
  resultOf(await add({ domain: "*.shop.example", conditionGroup: HOOKS }));
  const headers = { "X-Kind": "push" };
  const hook = { url: "https://a.shop.example/hooks/1", headers };
  const requests = [
    hook,
    { ...hook, headers: {} },
    { ...hook, url: "https://a.shop.example/" },
    { ...hook, url: "https://shop.example/hooks/1" },
  ];
  const evaluate = async (body: object) =>
    (await request("POST", `${firewall}/active/evaluate?projectId=shop`, { token, body })).body.results;
  const actions = (results: Body[]) => results.map(({ decision }) => decision.action);
  assert.deepEqual(actions(await evaluate({ requests })), ["allow", "challenge", "challenge", "challenge"]);
  const [{ steps }] = await evaluate({ requests: [hook] });
  assert.deepEqual([steps[0].outcome, steps[0].reason], ["skipped", "the bypass rule of *.shop.example matches"]);
  assert.deepEqual(actions(await evaluate({ requests: [hook], bypasses: [] })), ["challenge"]);
});
