import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { send, startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";

const client = await startOwnApp();
const { app, clock, request, createUser, createTeam, startAnother } = client;

const KIBIBYTE = 1_024;
const MAX_BYTES = 64 * KIBIBYTE;

async function ownVault() {
  return openVault(client, (await createUser()).token);
}

const idsOf = ({ secrets }: Body): string[] => secrets.map(({ uid }: Body) => uid);

test("a secret shows everything but its value", async () => {
  const user = await createUser();
  const vault = openVault(client, user.token);
  const made = await vault.create({ name: "DB_URL", value: "postgres://", description: "main", tags: ["a", "b", "a"] });
  assert.equal(made.status, 200, made.text);
  const { uid } = made.body;
  const secret = {
    uid,
    name: "DB_URL",
    teamId: null,
    userId: user.id,
    updatedBy: user.id,
    created: new Date(clock.now).toISOString(),
    createdAt: clock.now,
    updatedAt: clock.now,
    decryptable: false,
    description: "main",
    tags: ["a", "b"],
    version: 1,
    metadataVersion: 1,
    maxVersions: 10,
    expiresAt: null,
  };
  assert.deepEqual(made.body, { ...secret, value: { type: "Buffer", data: [] } });
  assert.equal(made.headers["etag"], '"1"');
  for (const name of [uid, "DB_URL", "db_url"]) {
    const read = await vault.read(name);
    assert.deepEqual(read.body, secret, name);
    assert.equal(read.headers["etag"], '"1"');
  }
  assert.deepEqual((await vault.list()).secrets, [secret]);
});

test("an alias reads the secret under its present name", async () => {
  const vault = await ownVault();
  const { uid } = await vault.add("before");
  await vault.change("before", { name: "after", keepAlias: true });
  const { body } = await vault.reveal("BEFORE");
  assert.deepEqual([body.uid, body.name, body.value], [uid, "after", "value of before"]);
});

test("a name in the body wins over the one in the path", async () => {
  const vault = await ownVault();
  const create = (path: string, body: object) => vault.call("POST", `/${path}`, { body: { value: "x", ...body } });
  assert.equal((await create("from-path", {})).body.name, "from-path");
  assert.equal((await create("from-path", { name: "from-body" })).body.name, "from-body");
  const refusals = [await create("from-path", {}), await create("other", { name: "from-BODY" })];
  assert.deepEqual(refusals.map(outcome), ["secret_name_taken", "secret_name_taken"]);
  const badPath = await create("a%20b", {});
  assert.deepEqual([outcome(badPath), badPath.body.error.field], ["invalid_secret_name", "path.name"]);
  const badBody = await create("a", { name: "a b" });
  assert.deepEqual([outcome(badBody), badBody.body.error.field], ["invalid_secret_name", "body.name"]);
  assert.equal(outcome(await create("a", { value: "x", encoding: "base64" })), "invalid_secret_value");
  assert.equal(outcome(await create("a", { expiresAt: clock.now })), "invalid_expiry");
});

test("unknown members and out-of-range settings are refused by name", async () => {
  const vault = await ownVault();
  const cases: [object, string][] = [
    [{ secret: "x" }, "body.secret"],
    [{ tags: Array.from({ length: 21 }, (_, at) => `tag${at}`) }, "body.tags"],
    [{ tags: [""] }, "body.tags[0]"],
    [{ tags: ["x".repeat(65)] }, "body.tags[0]"],
    [{ description: "x".repeat(1_001) }, "body.description"],
    [{ maxVersions: 0 }, "body.maxVersions"],
    [{ maxVersions: 101 }, "body.maxVersions"],
    [{ expiresAt: "soon" }, "body.expiresAt"],
    [{ encoding: "hex" }, "body.encoding"],
    [{ value: 1 }, "body.value"],
    [{ value: undefined }, "body.value"],
  ];
  for (const [more, field] of cases) {
    const { status, body } = await vault.create({ name: "refused", value: "x", ...more });
    assert.deepEqual([status, body.error?.code, body.error?.field], [400, "bad_request", field]);
  }
  assert.deepEqual(await vault.listNames(), []);
});

test("a value may have 64 KiB of any bytes", async () => {
  const vault = await ownVault();
  const twoBytes = "é".repeat(MAX_BYTES / 2);
  const base64 = (bytes: number) => Buffer.alloc(bytes, 0xff).toString("base64");
  const fitting: object[] = [
    { value: "x".repeat(MAX_BYTES) },
    { value: twoBytes },
    { value: base64(MAX_BYTES), encoding: "base64" },
    { value: "" },
    { value: "", encoding: "base64" },
    { value: Buffer.from("a\0b").toString("base64"), encoding: "base64" },
    { value: "\ufeff \r\n\t" },
  ];
  for (const value of fitting) {
    const { uid } = await vault.add(uniqueName("fits"), value);
    const { body } = await vault.reveal(uid);
    assert.deepEqual({ encoding: "utf8", ...value }, { value: body.value, encoding: body.encoding });
  }
  const refused: object[] = [
    { value: "x".repeat(MAX_BYTES + 1) },
    { value: `${twoBytes}x` },
    { value: base64(MAX_BYTES + 1), encoding: "base64" },
    { value: "YQ", encoding: "base64" },
    { value: "YR==", encoding: "base64" },
    { value: "YQ==\n", encoding: "base64" },
    { value: "_-8=", encoding: "base64" },
    { value: "é", encoding: "base64" },
  ];
  for (const value of refused) {
    const response = await vault.create({ name: "refused", ...value });
    assert.deepEqual([outcome(response), response.body.error.field], ["invalid_secret_value", "body.value"]);
  }
  assert.equal(outcome(await vault.create({ name: "refused", value: "a\0b" })), "bad_request");
});

test("a list holds one owner's secrets, and never a value", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const own = openVault(client, user.token);
  const ofTeam = openVault(client, user.token, team.id);
  const mine = await own.add("SAME", { value: "planted-own" });
  const ours = await ofTeam.add("SAME", { value: "planted-team" });
  assert.deepEqual([mine.teamId, ours.teamId], [null, team.id]);
  for (const [vault, secret] of [
    [own, mine],
    [ofTeam, ours],
  ] as const) {
    for (const query of ["", `id=${secret.uid}`, "decrypt=true"]) {
      const response = await vault.call("GET", "", { query });
      assert.doesNotMatch(response.text, /planted|"value"/);
      if (query === "decrypt=true") assert.equal(outcome(response), "invalid_query");
      else assert.deepEqual(idsOf(response.body), [secret.uid]);
    }
  }
  const bySlug = await request("GET", `/v2/secrets?slug=${team.slug}`, { token: user.token });
  assert.deepEqual(idsOf(bySlug.body), [ours.uid]);
});

test("secrets of one millisecond are listed page by page, none twice and none missed", async () => {
  const vault = await ownVault();
  const ids: string[] = [];
  for (let made = 0; made < 7; made++) ids.unshift((await vault.add(uniqueName("page"))).uid);
  const seen: string[] = [];
  let page = await vault.list("limit=3");
  for (;;) {
    seen.push(...idsOf(page));
    if (page.pagination.next === null) break;
    page = await vault.list(`limit=3&until=${page.pagination.next}`);
  }
  assert.deepEqual(seen, ids);
  assert.equal(page.pagination.count, 1);
  const newer = await vault.list(`limit=3&since=${page.pagination.prev}`);
  assert.deepEqual(idsOf(newer), ids.slice(3, 6));
  clock.advance(5);
  const late = await vault.add("late");
  assert.deepEqual(idsOf(await vault.list(`since=${clock.now - 1}`)), [late.uid]);
  assert.equal(outcome(await vault.call("GET", "", { query: "since=9&until=3" })), "invalid_cursor");
});

test("an empty list is returned as an empty page", async () => {
  const vault = await ownVault();
  const empty = { secrets: [], pagination: { count: 0, next: null, prev: null } };
  for (const query of ["", "id=sec_none", "projectId=none", "deleted=true"]) {
    assert.deepEqual(await vault.list(query), empty, query);
  }
});

test("filters select by id, by project or deleted secrets, page by page", async () => {
  const vault = await ownVault();
  const [a, b, c] = [
    await vault.add("a", { projectId: "prj_1" }),
    await vault.add("b", { projectId: "prj_1" }),
    await vault.add("c"),
  ];
  const foreign = await (await ownVault()).add("foreign");
  assert.equal(a.projectId, "prj_1");
  assert.deepEqual(idsOf(await vault.list(`id=${c.uid},${a.uid},${foreign.uid},sec_none`)), [c.uid, a.uid]);
  const chosen = await vault.list(`limit=1&id=${c.uid},${a.uid}`);
  assert.deepEqual(idsOf(chosen), [c.uid]);
  assert.deepEqual(idsOf(await vault.list(`id=${c.uid},${a.uid}&until=${chosen.pagination.next}`)), [a.uid]);
  assert.deepEqual(idsOf(await vault.list(`id=${c.uid},${a.uid}&since=0`)), [c.uid, a.uid]);
  assert.deepEqual(idsOf(await vault.list("projectId=prj_1")), [b.uid, a.uid]);
  assert.deepEqual(idsOf(await vault.list("projectId=prj_1&since=0&limit=1")), [a.uid]);
  assert.equal(outcome(await vault.call("GET", "", { query: `id=${a.uid}&deleted=true` })), "invalid_query");

  await vault.remove("a");
  await vault.remove("c");
  const deleted = await vault.list("deleted=true");
  assert.deepEqual(idsOf(deleted), [c.uid, a.uid]);
  assert.equal(deleted.secrets[0].deletedAt, clock.now);
  assert.deepEqual(idsOf(await vault.list("deleted=true&since=0&limit=1")), [a.uid]);
  assert.deepEqual(idsOf(await vault.list("projectId=prj_1")), [b.uid]);
  assert.deepEqual(idsOf(await vault.list(`id=${a.uid},${b.uid}`)), [b.uid]);
  assert.deepEqual(idsOf(await vault.list("deleted=false")), [b.uid]);
});

test("another owner's secret looks like one that does not exist, to every call", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const own = openVault(client, user.token);
  const ofTeam = openVault(client, user.token, team.id);
  const stranger = await ownVault();
  const mine = await own.add("MINE");
  const ours = await ofTeam.add("OURS");
  const calls: [string, string, object?][] = [
    ["GET", ""],
    ["GET", "?decrypt=true"],
    ["PUT", "", { value: "x" }],
    ["PATCH", "", { description: "x" }],
    ["DELETE", ""],
    ["POST", "/restore"],
    ["GET", "/versions"],
    ["GET", "/versions/1"],
    ["POST", "/versions/1/restore"],
    ["GET", "/names"],
    ["DELETE", "/aliases/MINE"],
  ];
  for (const [vault, { uid, name }] of [
    [stranger, mine],
    [ofTeam, mine],
    [own, ours],
  ] as const) {
    for (const [method, rest, body] of calls) {
      const [path, query = ""] = rest.split("?") as [string, string?];
      const at = (id: string) => vault.call(method, `/${id}${path}`, { query, ...(body ? { body } : {}) });
      const absent = await at("sec_none");
      assert.equal(absent.status, 404);
      for (const id of [uid, name]) assert.deepEqual((await at(id)).body, absent.body, `${method} ${rest}`);
    }
  }
  const throughTeam = openVault(client, (await createUser()).token, team.id);
  assert.equal((await throughTeam.call("GET", "")).status, 404);
  assert.equal((await throughTeam.create({ name: "intruder", value: "x" })).status, 404);
});

test("a team's key handles the team's secrets as their creator without an account", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const key = (await createKey(client, user.token, `?teamId=${team.id}`)).body.value;
  const vault = openVault(client, key);
  const made = await vault.add("by-key");
  assert.equal(made.teamId, team.id);
  assert.equal("userId" in made, false);
  await vault.put("by-key", { value: "second" });
  const { body } = await vault.call("GET", "/by-key/versions");
  assert.deepEqual(
    body.versions.map(({ version, createdBy }: Body) => [version, createdBy]),
    [
      [2, null],
      [1, null],
    ],
  );
  assert.equal((await openVault(client, user.token, team.id).reveal("by-key")).body.value, "second");
  const elsewhere = openVault(client, key, (await createTeam(user)).id);
  assert.equal((await elsewhere.call("GET", "")).status, 404);
});

test("a name is found by its own letters in another case only", async () => {
  const vault = await ownVault();
  await vault.add("k");
  // The Kelvin sign, whose small letter is a plain k.
  assert.equal(outcome(await vault.read("%E2%84%AA")), "not_found");
  assert.equal(outcome(await vault.renameAll([{ from: "\u212A", to: "other" }])), "not_found");
});

test("a value is still there after a restart", async () => {
  const user = await createUser();
  await openVault(client, user.token).add("lasting", { value: "for ever" });
  await app.close();
  const another = await startAnother();
  const read = await send(another, "GET", "/v3/secrets/lasting?decrypt=true", { token: user.token });
  assert.equal(read.body.value, "for ever");
});
