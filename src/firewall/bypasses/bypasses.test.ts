import assert from "node:assert/strict";
import { test } from "node:test";
import { BYPASS_PATH as PATH, openBypassList, refused } from "../../../test/resources/bypasses.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { request, clock, createUser, createTeam, query } = client;

test("an entry is returned in the form that clients expect, when it is added and when it is read", async () => {
  const { user, add, list } = await openBypassList(client, "prj_2WjyKQmM8ZnGcJsPWMrHRHrE");
  const body = { domain: "example.com", sourceIp: "52.33.44.0/24", note: "office" };
  const identity = {
    OwnerId: user.id,
    Id: "prj_2WjyKQmM8ZnGcJsPWMrHRHrE#example.com#52.33.44.0/24",
    Domain: "example.com",
    Ip: "52.33.44.0/24",
  };
  const ProjectId = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";
  const added = await add(body);
  assert.deepEqual(added.body, {
    ok: true,
    result: [{ ...identity, ProjectId, Note: "office", IsProjectRule: false }],
    pagination: null,
  });
  const now = new Date(clock.now).toISOString().slice(0, 19).replace("T", " ");
  assert.deepEqual(await list(), {
    result: [
      {
        ...identity,
        Action: "bypass",
        ProjectId,
        IsProjectRule: false,
        Note: "office",
        CreatedAt: now,
        ActorId: user.id,
        UpdatedAt: now,
        UpdatedAtHour: now,
        ExpiresAt: null,
      },
    ],
  });
});

test("times are seconds in UTC, and the expiry is rounded up", async () => {
  const { add, list } = await openBypassList(client);
  const start = clock.now;
  clock.advance(HOUR_MS + 90_500);
  await add({ domain: "example.com", sourceIp: "192.0.2.1", ttl: MINUTE_MS });
  const [{ CreatedAt, UpdatedAt, UpdatedAtHour, ExpiresAt }] = (await list()).result;
  assert.deepEqual(
    [CreatedAt, UpdatedAt, UpdatedAtHour],
    ["2030-01-01 01:01:30", "2030-01-01 01:01:30", "2030-01-01 01:00:00"],
  );
  assert.equal(ExpiresAt, (start + HOUR_MS + 90_500 + 500 + MINUTE_MS) / 1_000);
});

test("a domain and a network have one id, in any notation", async () => {
  const { add, ids } = await openBypassList(client);
  const same: [object, string][] = [
    [{ domain: "Example.COM", sourceIp: "192.0.2.7/24" }, "example.com#192.0.2.0/24"],
    [{ domain: "example.com", sourceIp: "192.0.2.0/24", projectScope: false }, "example.com#192.0.2.0/24"],
    [{ domain: "*.example.com", sourceIp: "192.0.2.1/32" }, "*.example.com#192.0.2.1"],
    [{ domain: "*.example.com", sourceIp: "192.0.2.1" }, "*.example.com#192.0.2.1"],
    [{ domain: "*", sourceIp: "2001:DB8:0::1/128" }, "2001:db8::1"],
    [{ projectScope: true, sourceIp: "2001:db8::1" }, "2001:db8::1"],
    [{ domain: "*", projectScope: true, sourceIp: "2001:db8::/48" }, "2001:db8::/48"],
    [{ projectScope: true, sourceIp: "0.0.0.0/0" }, "0.0.0.0/0"],
    [{ projectScope: true, sourceIp: "::/0" }, "::/0"],
    [{ projectScope: true, allSources: true }, "*"],
    [{ domain: "example.com", allSources: true }, "example.com#*"],
  ];
  for (const [body, id] of same) {
    const { result } = (await add(body)).body;
    assert.equal(result[0].Id, `default#${id}`, JSON.stringify(body));
  }
  assert.deepEqual((await ids("&limit=128")).toSorted(), [...new Set(same.map(([, id]) => id))].toSorted());
});

test("an address is returned as it was sent, and for every client as 0.0.0.0/0", async () => {
  const { add, list } = await openBypassList(client);
  for (const sourceIp of ["192.0.2.7/24", "192.0.2.0/24", "192.0.2.1/32", "192.0.2.1"]) {
    const { result } = (await add({ domain: "example.com", sourceIp })).body;
    assert.equal(result[0].Ip, sourceIp);
  }
  await add({ projectScope: true, allSources: true });
  const shown = (await list()).result.map(({ Domain, Ip, IsProjectRule }: Body) => [Domain, Ip, IsProjectRule]);
  assert.deepEqual(shown, [
    ["*", "0.0.0.0/0", true],
    ["example.com", "192.0.2.0/24", false],
    ["example.com", "192.0.2.1", false],
  ]);
});

test("adding an entry again renews its note and expiry, and changes nothing when they are equal", async () => {
  const { user, add, list, events } = await openBypassList(client);
  const body = { domain: "example.com", sourceIp: "192.0.2.1" };
  await add({ ...body, note: "one" });
  clock.advance(1_000);
  assert.equal((await add({ ...body, note: "one" })).status, 200);
  assert.equal((await add(body)).body.result[0].Note, "one", "a note that is not sent stays");
  assert.equal((await events()).length, 1);
  const [first] = (await list()).result;
  assert.equal(first.UpdatedAt, first.CreatedAt);

  await add({ ...body, note: "", ttl: MINUTE_MS });
  const [second, ...others] = (await list()).result;
  assert.deepEqual(others, []);
  assert.deepEqual([second.Id, second.Note, second.CreatedAt], [first.Id, "", first.CreatedAt]);
  assert.equal(second.ExpiresAt, Math.ceil((clock.now + MINUTE_MS) / 1_000));
  assert.notEqual(second.UpdatedAt, first.UpdatedAt);
  await add(body);
  assert.equal((await list()).result[0].ExpiresAt, null, "without a ttl it stays");

  const payload = { projectId: "default", scope: "example.com", source: "192.0.2.1" };
  const state = { source: "192.0.2.1", note: "", expiresAt: clock.now + MINUTE_MS };
  const [created, renewed] = await events();
  assert.deepEqual(created, {
    type: "firewall-bypass-created",
    text: `${user.username} put 192.0.2.1 on the bypass list of default for example.com`,
    principalId: user.id,
    entityId: "default#example.com#192.0.2.1",
    payload,
    previous: null,
    next: { source: "192.0.2.1", note: "one", expiresAt: null },
  });
  assert.equal(renewed?.text, `${user.username} renewed 192.0.2.1 on the bypass list of default for example.com`);
  assert.deepEqual(renewed?.payload, { ...payload, expiresAt: clock.now + MINUTE_MS });
  assert.deepEqual([renewed?.previous, renewed?.next], [created?.next, state]);
});

test("an entry is removed by its target, once", async () => {
  const { user, add, remove, ids, events } = await openBypassList(client);
  await add({ domain: "example.com", sourceIp: "192.0.2.0/24" });
  await add({ projectScope: true, sourceIp: "192.0.2.0/24", ttl: MINUTE_MS });
  await add({ projectScope: true, allSources: true });
  assert.deepEqual(refused(await remove({ domain: "example.com", sourceIp: "192.0.2.1" })), [
    404,
    "not_found",
    undefined,
  ]);
  assert.deepEqual(refused(await remove({ domain: "example.com", allSources: true })), [404, "not_found", undefined]);
  // One client names the whole project like this when it removes an entry.
  const removed = await remove({ domain: "*", sourceIp: "192.0.2.0/24" });
  assert.deepEqual([removed.status, removed.body], [200, { ok: true }]);
  assert.deepEqual(refused(await remove({ domain: "*", sourceIp: "192.0.2.0/24" })), [404, "not_found", undefined]);
  assert.deepEqual(await ids(), ["*", "example.com#192.0.2.0/24"]);
  const last = (await events()).at(-1);
  assert.deepEqual(
    [last?.type, last?.principalId, last?.payload],
    [
      "firewall-bypass-deleted",
      user.id,
      { projectId: "default", scope: "*", source: "192.0.2.0/24", expiresAt: clock.now + MINUTE_MS },
    ],
  );
  assert.equal((await remove({ projectScope: true, allSources: true })).status, 200);
  assert.equal((await events()).at(-1)?.text, `${user.username} took every client off the bypass list of default`);
});

test("the entry for every client can also be removed by the address that the list shows", async () => {
  const { add, remove, list, ids } = await openBypassList(client);
  for (const domain of ["*", "example.com"]) await add({ domain, allSources: true });
  for (const { Domain: domain, Ip: sourceIp } of (await list()).result) {
    assert.equal((await remove({ domain, sourceIp })).status, 200);
    assert.deepEqual(refused(await remove({ domain, sourceIp })), [404, "not_found", undefined]);
  }
  await add({ domain: "*", allSources: true });
  await add({ domain: "*", sourceIp: "0.0.0.0/0" });
  assert.equal((await remove({ domain: "*", sourceIp: "0.0.0.0/0" })).status, 200);
  assert.deepEqual(await ids(), ["*"]);
});

test("a target has to be valid and given once", async () => {
  const { add, remove, ids, events } = await openBypassList(client);
  const sourceIp = "192.0.2.1";
  const domain = "example.com";
  const bad: [object, string][] = [
    [{ sourceIp }, "domain"],
    [{ sourceIp, projectScope: false }, "domain"],
    [{ domain }, "sourceIp"],
    [{ domain, allSources: false }, "sourceIp"],
    [{ domain, projectScope: true, sourceIp }, "projectScope"],
    [{ domain, sourceIp, allSources: true }, "allSources"],
    ...[
      "",
      "exa mple.com",
      "-a.com",
      "a..com",
      "a.com.",
      "a.*.com",
      "**",
      "*.",
      "a_b.com",
      "a".repeat(64),
      "ä.com",
    ].map((name): [object, string] => [{ domain: name, sourceIp }, "domain"]),
    [{ domain: `${"a.".repeat(126)}aa`, sourceIp }, "domain"],
    [{ domain: "a".repeat(2_545), sourceIp }, "domain"],
    ...["", "10.0.0.0/15", "0.0.0.0/1", "2000::/15", "::/1", "1.2.3", "0x7f.0.0.1", "::ffff:1.2.3.4", "a"].map(
      (text): [object, string] => [{ domain, sourceIp: text }, "sourceIp"],
    ),
  ];
  for (const [body, field] of bad) {
    for (const call of [add, remove]) {
      assert.deepEqual(refused(await call(body)), [400, "bad_request", `body.${field}`], JSON.stringify(body));
    }
  }
  for (const [more, field] of [
    [{ ttl: 0 }, "ttl"],
    [{ ttl: 1.5 }, "ttl"],
    [{ ttl: 366 * 24 * HOUR_MS }, "ttl"],
    [{ note: "a".repeat(501) }, "note"],
  ] as const) {
    assert.deepEqual(refused(await add({ domain, sourceIp, ...more })), [400, "bad_request", `body.${field}`]);
  }
  assert.deepEqual(refused(await remove({ domain, sourceIp, ttl: 1 })), [400, "bad_request", "body.ttl"]);
  assert.deepEqual(await ids(), []);
  assert.deepEqual(await events(), []);
  for (const text of ["10.0.0.0/16", "2001::/16", "0.0.0.0/0", "::/0"]) {
    assert.equal((await add({ domain, sourceIp: text })).status, 200, text);
  }
});

test("a project has at most a thousand entries, without expired ones", async () => {
  const { user, add, remove } = await openBypassList(client);
  await add({ domain: "example.com", sourceIp: "192.0.2.1" });
  const rows = Array.from(
    { length: 999 },
    (_, at) =>
      `('${user.id}', 'default', 'default#${at}', '*', null, '', '', '', ${at === 0 ? clock.now + 1 : "null"}, 0, 0)`,
  );
  await query(
    `insert into firewall_bypasses (owner_id, project_id, id, domain, ip, source, note, actor_id, expires_at,
      created_at, updated_at) values ${rows.join(", ")}`,
  );
  const more = { domain: "example.com", sourceIp: "192.0.2.2" };
  assert.deepEqual(refused(await add(more)), [400, "too_many_bypasses", undefined]);
  assert.equal((await add({ domain: "example.com", sourceIp: "192.0.2.1", note: "full" })).status, 200);
  clock.advance(1);
  assert.equal((await add(more)).status, 200);
  assert.deepEqual(refused(await add({ ...more, sourceIp: "192.0.2.3" })), [400, "too_many_bypasses", undefined]);
  assert.equal((await remove(more)).status, 200);
  assert.equal((await add({ ...more, sourceIp: "192.0.2.3" })).status, 200);
});

test("each team, account and project has a list of its own", async () => {
  const { user, add, ids } = await openBypassList(client);
  const team = await createTeam(user);
  const { token } = user;
  const body = { domain: "example.com", sourceIp: "192.0.2.1" };
  await add(body);
  const elsewhere = [`?teamId=${team.id}`, "?projectId=other", `?teamId=${team.id}&projectId=other`];
  for (const where of elsewhere) {
    assert.deepEqual((await request("GET", PATH + where, { token })).body.result, []);
    assert.equal((await request("DELETE", PATH + where, { token, body })).status, 404);
    assert.equal((await request("POST", PATH + where, { token, body })).status, 200);
  }
  assert.deepEqual(await ids(), ["example.com#192.0.2.1"]);
  const { result } = (await request("GET", `${PATH}?teamId=${team.id}&projectId=other`, { token })).body;
  assert.deepEqual(
    result.map(({ OwnerId, ProjectId, Id }: Body) => [OwnerId, ProjectId, Id]),
    [[team.id, "other", "other#example.com#192.0.2.1"]],
  );
  const outsider = await createUser();
  assert.equal((await request("GET", `${PATH}?teamId=${team.id}`, { token: outsider.token })).status, 404);
});
