import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import { SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";

// Nothing listens at this address, and inactive webhooks are sent nothing.
const api = await startOwnApp({ egressAllow: "127.0.0.1" });
const HOOK = { url: "http://127.0.0.1:8999/hook", events: ["*"], active: false };
const TYPES = ["deployment.created", "deployment.ready", "project.created", "flag.created"] as const;
const STATES = ["pending", "delivered", "failed", "skipped"] as const;

async function newOwner() {
  const owner = await api.createUser();
  const call = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const publish = (type: string) => call("POST", "/v1/events", { type, payload: { of: type } });
  const createWebhook = async () => (await call("POST", "/v1/webhooks", HOOK)).body.id as string;
  /** The deliveries on the page at `path` and on the pages that its links lead to. */
  async function readAll(path: string, rel = "next") {
    const ids: string[] = [];
    for (let at: string | undefined = path; at !== undefined;) {
      const { status, body, text, headers } = await call("GET", at);
      assert.equal(status, 200, text);
      if (body.deliveries.length === 0) break;
      const page = body.deliveries.map(({ id }: { id: string }) => id);
      if (rel === "next") ids.push(...page);
      else ids.unshift(...page);
      at = new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers["link"] ?? "")?.[1];
    }
    return ids;
  }
  return { ...owner, call, publish, createWebhook, readAll };
}

test("the log is paged newest first, and every filter selects its part of it", async () => {
  const { call, publish, createWebhook, readAll } = await newOwner();
  const id = await createWebhook();
  const path = `/v1/webhooks/${id}/deliveries`;
  const count = 250;
  for (let at = 0; at < count; at++) {
    // Several have the same time.
    if (at % 3 === 0) api.clock.advance(SECOND_MS);
    await publish(TYPES[at % TYPES.length] as string);
  }
  for (const [at, state] of STATES.entries()) {
    await api.query(
      `update webhook_deliveries set state = '${state}' where webhook_id = '${id}' and sequence / 5 % 4 = ${at}`,
    );
  }
  const { deliveries: newest } = (await call("GET", path)).body;
  assert.equal(newest.length, 20);
  assert.equal(newest[0].id, `msg_${id.slice("account_hook_".length)}_${newest[0].sequence}`);
  const all: { id: string; sequence: number; type: string; state: string; createdAt: number }[] = [];
  for (let before = newest[0].sequence + 1; all.length < count; before = all.at(-1)?.sequence ?? 0) {
    all.push(...(await call("GET", `${path}?limit=100&before=${before}`)).body.deliveries);
  }
  assert.deepEqual(
    all.map(({ sequence }) => newest[0].sequence - sequence),
    Array.from({ length: count + 1 }, (_, at) => at).filter((at) => at < all.length),
  );
  const [early, late] = [all[200]?.createdAt ?? 0, all[30]?.createdAt ?? 0];
  type Fits = (delivery: (typeof all)[number]) => boolean;
  const filters: readonly [query: string, fits: Fits][] = [
    ["", () => true],
    ["state=failed", ({ state }) => state === "failed"],
    ["state=pending,skipped", ({ state }) => state === "pending" || state === "skipped"],
    ["state=pending,delivered,failed,skipped", () => true],
    ["type=deployment.*", ({ type }) => type.startsWith("deployment.")],
    ["type=flag.created,project.created", ({ type }) => type === "flag.created" || type === "project.created"],
    ["type=*&state=delivered", ({ state }) => state === "delivered"],
    ["type=deployment.ready&state=failed", ({ type, state }) => type === "deployment.ready" && state === "failed"],
    ["type=secret-add", () => false],
    [`since=${early}`, ({ createdAt }) => createdAt >= early],
    [`until=${new Date(late).toISOString()}`, ({ createdAt }) => createdAt <= late],
    [`since=${early + 1}&until=${late - 1}`, ({ createdAt }) => createdAt > early && createdAt < late],
    [`since=${late}&until=${early}`, () => false],
    [`since=2099-01-01`, () => false],
    [`until=1999-01-01`, () => false],
    [
      `state=skipped,failed&type=deployment.*&since=${early}&until=${late}`,
      ({ state, type, createdAt }) =>
        /^(?:skipped|failed)$/.test(state) && type.startsWith("deployment.") && createdAt >= early && createdAt <= late,
    ],
  ];
  for (const [query, fits] of filters) {
    const wanted = all.filter(fits).map((delivery) => delivery.id);
    assert.deepEqual(await readAll(`${path}?${query}`), wanted, query);
    assert.deepEqual(await readAll(`${path}?limit=40&${query}`), wanted, query);
    assert.deepEqual(await readAll(`${path}?limit=40&after=0&${query}`, "prev"), wanted, `${query}, backwards`);
  }
});

test("an invalid state, type or time is refused with its field", async () => {
  const { call, createWebhook } = await newOwner();
  const path = `/v1/webhooks/${await createWebhook()}/deliveries`;
  for (const [query, field] of [
    ["state=lost", "query.state"],
    ["state=failed,done", "query.state"],
    ["type=deployment.craeted", "query.type"],
    ["since=yesterday", "query.since"],
    ["until=2030-13-01", "query.until"],
    ["limit=101", "query.limit"],
    ["before=-1", "query.before"],
  ] as const) {
    const refused = await call("GET", `${path}?${query}`);
    assert.deepEqual([refused.status, refused.body.error?.field], [400, field], `${query}: ${refused.text}`);
  }
  assert.match((await call("GET", `${path}?type=deployment.craeted`)).text, /deployment\.created/);
});

test("a delivery shows the body that is sent, until its event is deleted", async () => {
  const { id: ownerId, call, publish, createWebhook } = await newOwner();
  const id = await createWebhook();
  await publish("deployment.created");
  const { name, uid } = (await call("POST", "/v2/secrets", { name: "KEY", value: "v" })).body;
  const path = `/v1/webhooks/${id}/deliveries`;
  const [secret, published] = (await call("GET", path)).body.deliveries;
  const { events } = (await call("GET", "/v3/events?limit=2")).body;
  assert.deepEqual(published, {
    id: published.id,
    webhookId: id,
    eventId: events[1].id,
    sequence: events[1].sequence,
    type: "deployment.created",
    state: "skipped",
    attempts: 0,
    nextAttemptAt: null,
    createdAt: events[1].createdAt,
    lastAttemptAt: null,
    durationMs: null,
    status: null,
    errorStage: null,
  });
  const read = (await call("GET", `${path}/${published.id}`)).body;
  const { sequence, createdAt } = published;
  const payload = { of: "deployment.created" };
  const sent = { id: published.id, type: "deployment.created", createdAt, region: null, payload, sequence };
  assert.deepEqual(read, { delivery: published, requestBody: JSON.stringify(sent), attempts: [] });
  const own = JSON.parse((await call("GET", `${path}/${secret.id}`)).body.requestBody);
  assert.deepEqual(own.payload, { team: null, user: { id: ownerId }, name, uid });
  await api.query(`delete from events where owner_id = '${ownerId}' and sequence = ${sequence}`);
  assert.equal((await call("GET", `${path}/${published.id}`)).body.requestBody, null);
});

test("unknown deliveries are not found, and no owner reads the log of another", async () => {
  const { call, publish, createWebhook } = await newOwner();
  const [one, other] = [await createWebhook(), await createWebhook()];
  await publish("deployment.created");
  const [delivery] = (await call("GET", `/v1/webhooks/${one}/deliveries`)).body.deliveries;
  const path = `/v1/webhooks/${one}/deliveries/${delivery.id}`;
  assert.equal((await call("GET", path)).status, 200);
  const stranger = await newOwner();
  for (const response of [
    await call("GET", `/v1/webhooks/${other}/deliveries/${delivery.id}`),
    await call("GET", `${path}0`),
    await call("GET", path.replace(/_(\d+)$/, "_0$1")),
    await call("GET", path.replace(/_\d+$/, "_9007199254740993")),
    await call("GET", `/v1/webhooks/account_hook_0/deliveries`),
    await stranger.call("GET", path),
    await stranger.call("GET", `/v1/webhooks/${one}/deliveries`),
  ]) {
    assert.deepEqual([response.status, response.body.error.code], [404, "not_found"], response.text);
  }
});

test("a member who may only read webhooks reads the log, and can't redeliver", async () => {
  const { call, ...owner } = await newOwner();
  const team = await api.createTeam(owner);
  const viewer = await api.createUser();
  await call("POST", `/v1/teams/${team.id}/members`, { uid: viewer.id, role: "VIEWER" });
  await api.request("POST", "/v1/teams/join", { token: viewer.token, body: { teamId: team.id } });
  const query = `?teamId=${team.id}`;
  const { id } = (await call("POST", `/v1/webhooks${query}`, HOOK)).body;
  await call("POST", `/v1/events${query}`, { type: "flag.created" });
  const path = `/v1/webhooks/${id}`;
  const look = (method: string, rest: string) => api.request(method, `${path}${rest}${query}`, { token: viewer.token });
  const [delivery] = (await look("GET", "/deliveries")).body.deliveries;
  assert.equal((await look("GET", `/deliveries/${delivery.id}`)).status, 200);
  for (const rest of [`/deliveries/${delivery.id}/redeliver`, "/replay"]) {
    const refused = await look("POST", rest);
    assert.deepEqual([refused.status, refused.body.error.code], [403, "forbidden"], rest);
  }
});

test("the deliveries to all webhooks are one log, filtered and paged by events", async () => {
  const { id: ownerId, call, publish, createWebhook, readAll } = await newOwner();
  const [first, second, third] = [await createWebhook(), await createWebhook(), await createWebhook()];
  const path = "/v1/webhook-deliveries";
  const list = async (query = "") => (await call("GET", `${path}?${query}`)).body;
  for (let at = 0; at < 40; at++) {
    api.clock.advance(SECOND_MS);
    await publish(TYPES[at % TYPES.length] as string);
  }
  const of = `owner_id = '${ownerId}'`;
  await api.query(`update webhook_deliveries set state = 'failed', status = 503, attempts = 1, last_attempt_at = 1
    where ${of} and webhook_id = '${second}' and sequence % 8 = 0`);
  await api.query(`update webhook_deliveries set state = 'failed', error_stage = 'connect', attempts = 1, last_attempt_at = 1
    where ${of} and webhook_id = '${third}' and sequence % 8 = 1`);
  const stored = (await api.query(
    `select webhook_id, sequence, state, status, type, last_attempt_at, created_at from webhook_deliveries where ${of}`,
  )) as {
    webhook_id: string;
    sequence: number;
    state: string;
    status: number | null;
    type: string;
    last_attempt_at: number | null;
    created_at: number;
  }[];
  const expected = (matches: (row: (typeof stored)[number]) => boolean) =>
    stored
      .filter(matches)
      .toSorted((a, b) => b.sequence - a.sequence || (a.webhook_id < b.webhook_id ? -1 : 1))
      .map(({ webhook_id: webhookId, sequence }) => `msg_${webhookId.slice("account_hook_".length)}_${sequence}`);
  const middle = Number(stored[60]?.created_at);
  const filters: readonly (readonly [string, (row: (typeof stored)[number]) => boolean])[] = [
    ["", () => true],
    ["state=failed", ({ state }) => state === "failed"],
    [`webhookId=${first}`, ({ webhook_id: webhookId }) => webhookId === first],
    ["type=deployment.*", ({ type }) => type.startsWith("deployment.")],
    ["status=5xx", ({ status }) => status === 503],
    ["status=503&state=failed", ({ status }) => status === 503],
    ["status=404", () => false],
    ["status=none", ({ status, last_attempt_at: at }) => status === null && at !== null],
    [`since=${middle}`, ({ created_at: at }) => at >= middle],
    [`until=${middle}&type=flag.created`, ({ created_at: at, type }) => at <= middle && type === "flag.created"],
  ];
  for (const [query, matches] of filters) {
    for (const limit of [7, 100])
      assert.deepEqual(await readAll(`${path}?limit=${limit}&${query}`), expected(matches), query);
  }
  assert.equal((await list("limit=1")).deliveries.length, 3, "the deliveries of one event stay together");
  for (const wrong of ["status=6xx", "status=ok", "state=lost", "after=1"]) {
    assert.equal((await call("GET", `${path}?${wrong}`)).status, 400, wrong);
  }
  assert.equal((await call("GET", `${path}?webhookId=account_hook_none`)).status, 404);
});

test("a status that nothing has is looked for in steps, of which each has an end", async () => {
  const { id: ownerId, call, publish, createWebhook } = await newOwner();
  const webhookId = await createWebhook();
  await publish("project.created");
  const [row] = await api.query(
    `select * from webhook_deliveries where webhook_id = '${webhookId}' order by sequence desc limit 1`,
  );
  const from = Number(row?.["sequence"]);
  const rows = Array.from(
    { length: 2_500 },
    (_, at) =>
      `('${webhookId}', ${from + 1 + at}, '${ownerId}', 'evt_${at}', 'project.created', 'delivered', null, 1, 1, ${api.clock.now}, 1, ${at === 0 ? 500 : 200}, null)`,
  );
  await api.query(
    `insert into webhook_deliveries (webhook_id, sequence, owner_id, event_id, type, state, due_at, attempts, tries, created_at, last_attempt_at, status, error_stage) values ${rows.join(",")}`,
  );
  const found: number[] = [];
  let [pages, before] = [0, Number.MAX_SAFE_INTEGER];
  for (;;) {
    const { body } = await call("GET", `/v1/webhook-deliveries?limit=20&status=500&before=${before}`);
    pages++;
    found.push(...body.deliveries.map(({ sequence }: { sequence: number }) => sequence));
    if (body.pagination.next === null) break;
    before = body.pagination.next;
  }
  assert.deepEqual([found, pages], [[from + 1], 3]);
});

test("deliveries are counted by state, whatever else the query narrows, and up to a thousand", async () => {
  const { call, publish, createWebhook, id: ownerId } = await newOwner();
  const [one, other] = [await createWebhook(), await createWebhook()];
  for (let at = 0; at < 6; at++) await publish(TYPES[0]);
  const two = `select sequence from webhook_deliveries where webhook_id = '${one}' order by sequence limit 2`;
  await api.query(
    `update webhook_deliveries set state = 'failed' where webhook_id = '${one}' and sequence in (${two})`,
  );
  const of = async (query: string) => (await call("GET", `/v1/webhook-deliveries?limit=1${query}`)).body.counts;
  assert.equal(await of(""), undefined);
  const stored = async (webhookId: string) => {
    const rows = await api.query(
      `select state, count(*) as n from webhook_deliveries where webhook_id = '${webhookId}' group by state`,
    );
    const found = Object.fromEntries(rows.map(({ state, n }) => [state, Number(n)]));
    return Object.fromEntries(STATES.map((state) => [state, found[state] ?? 0]));
  };
  const own = await stored(one);
  assert.equal(own["failed"], 2);
  assert.deepEqual(await of(`&withCounts=true&webhookId=${one}`), own);
  assert.deepEqual(await of(`&withCounts=true&webhookId=${one}&state=failed&type=flag.created&status=5xx`), own);
  const both = await stored(other);
  const sum = Object.fromEntries(STATES.map((state) => [state, (own[state] ?? 0) + (both[state] ?? 0)]));
  assert.deepEqual(await of("&withCounts=true"), sum);
  // A thousand more of one state.
  await api.query(`insert into webhook_deliveries (webhook_id, sequence, owner_id, event_id, type, state, attempts, tries, created_at)
    with recursive n (at) as (select 1 union all select at + 1 from n where at < 999)
    select '${other}', 100000 + at, '${ownerId}', 'e' || at, 'flag.created', 'failed', 1, 1, 0 from n`);
  assert.equal((await of(`&withCounts=true&webhookId=${other}`)).failed, 999);
  assert.equal((await of("&withCounts=true")).failed, 1_001, "there are 1 001");
  // Those of somebody else are not told of.
  const stranger = await newOwner();
  assert.equal((await stranger.call("GET", `/v1/webhook-deliveries?withCounts=true&webhookId=${one}`)).status, 404);
});
