import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openVault, outcome } from "../../../../test/resources/secrets.ts";
import type { Vault } from "../../../../test/resources/secrets.ts";

const client = await startTestApp();
const { clock, createUser, readEvents } = client;

async function ownVault() {
  return openVault(client, (await createUser()).token);
}

async function versionsOf(vault: Vault, name: string, query = "limit=100"): Promise<Body> {
  return (await vault.call("GET", `/${name}/versions`, { query })).body;
}

async function numbersOf(vault: Vault, name: string): Promise<number[]> {
  return (await versionsOf(vault, name)).versions.map(({ version }: Body) => version);
}

const readVersion = (vault: Vault, name: string, version: number, query = "decrypt=true") =>
  vault.call("GET", `/${name}/versions/${version}`, { query });
const restoreVersion = (vault: Vault, name: string, version: number, body?: object, headers = {}) =>
  vault.call("POST", `/${name}/versions/${version}/restore`, { headers, ...(body ? { body } : {}) });

test("a new value is a new version, and the old ones can be read", async () => {
  const user = await createUser();
  const vault = openVault(client, user.token);
  const { uid } = await vault.add("v", { value: "one" });
  clock.advance(1_000);
  const second = await vault.put("V", { value: "AP8=", encoding: "base64" });
  assert.deepEqual(
    [second.status, second.body.version, second.body.metadataVersion, second.body.updatedAt, second.headers["etag"]],
    [200, 2, 1, clock.now, '"2"'],
  );
  assert.equal("value" in second.body, false);
  assert.equal((await vault.put(uid, { value: "three" })).body.version, 3);
  const third = {
    version: 3,
    size: 5,
    encoding: "utf8",
    restoredFrom: null,
    createdBy: user.id,
    createdAt: clock.now,
  };
  assert.deepEqual((await versionsOf(vault, "v")).versions, [
    third,
    { ...third, version: 2, size: 2, encoding: "base64" },
    { ...third, version: 1, size: 3, createdAt: clock.now - 1_000 },
  ]);
  assert.deepEqual((await readVersion(vault, "v", 3, "")).body, third);
  const values = await Promise.all([1, 2, 3].map((version) => readVersion(vault, "v", version)));
  assert.deepEqual(
    values.map(({ body }) => body.value),
    ["one", "AP8=", "three"],
  );
  assert.equal((await vault.reveal("v")).body.value, "three");
  assert.equal(outcome(await readVersion(vault, "v", 4, "")), "not_found");
  assert.equal(outcome(await readVersion(vault, "v", 0, "")), "invalid_path");
  const updates = (await readEvents(user.id)).filter(({ type }) => type === "secret-value-update");
  assert.deepEqual(
    updates.map(({ payload }) => payload),
    [2, 3].map((version) => ({ uid, name: "v", version })),
  );
});

test("restoring a version makes its value the newest, in its encoding", async () => {
  const vault = await ownVault();
  await vault.add("r", { value: "AP8=", encoding: "base64" });
  await vault.put("r", { value: "text" });
  const restored = await restoreVersion(vault, "r", 1);
  assert.deepEqual([restored.status, restored.body.version, restored.headers["etag"]], [200, 3, '"3"']);
  const { body } = await vault.reveal("r");
  assert.deepEqual([body.value, body.encoding], ["AP8=", "base64"]);
  const [newest] = (await versionsOf(vault, "r")).versions;
  assert.deepEqual([newest.version, newest.restoredFrom, newest.size], [3, 1, 2]);
  assert.equal(outcome(await restoreVersion(vault, "r", 9)), "not_found");
  await vault.change("r", { name: "renamed", keepAlias: true });
  assert.equal(outcome(await restoreVersion(vault, "r", 1)), "secret_is_alias");
  assert.equal((await restoreVersion(vault, "renamed", 2)).body.version, 4);
});

test("invalid values leave the secret unchanged", async () => {
  const vault = await ownVault();
  await vault.add("bad");
  const refusals = [
    await vault.put("bad", { value: "x".repeat(65_537) }),
    await vault.put("bad", { value: "%", encoding: "base64" }),
    await vault.put("bad", { value: "x", expiresAt: clock.now }),
    await vault.put("absent", { value: "x" }),
    await vault.put("bad", {}),
    await vault.put("bad", { value: "x", name: "y" }),
  ];
  assert.deepEqual(refusals.map(outcome), [
    "invalid_secret_value",
    "invalid_secret_value",
    "invalid_expiry",
    "not_found",
    "bad_request",
    "bad_request",
  ]);
  assert.equal((await vault.read("bad")).headers["etag"], '"1"');
});

test("the newest versions are kept: ten, or as many as maxVersions says", async () => {
  const vault = await ownVault();
  const fill = async (name: string, count: number) => {
    for (let made = 0; made < count; made++) await vault.put(name, { value: `${made}` });
  };
  await vault.add("ten");
  await fill("ten", 11);
  assert.deepEqual(await numbersOf(vault, "ten"), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  assert.equal(outcome(await readVersion(vault, "ten", 2)), "not_found");
  assert.equal(outcome(await vault.change("ten", { maxVersions: 3 })), "ok");
  assert.deepEqual(await numbersOf(vault, "ten"), [12, 11, 10]);
  await vault.change("ten", { maxVersions: 4 });
  await restoreVersion(vault, "ten", 10);
  await fill("ten", 1);
  assert.deepEqual(await numbersOf(vault, "ten"), [14, 13, 12, 11]);

  await vault.add("one", { maxVersions: 1 });
  await fill("one", 2);
  assert.deepEqual(await numbersOf(vault, "one"), [3]);
  assert.equal((await restoreVersion(vault, "one", 3)).body.version, 4);
  assert.deepEqual(await numbersOf(vault, "one"), [4]);
  assert.equal((await vault.reveal("one")).body.value, "1");

  await vault.add("hundred", { maxVersions: 100 });
  await fill("hundred", 101);
  const kept = await numbersOf(vault, "hundred");
  assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, 102, 3]);
});

test("versions of one millisecond are listed page by page", async () => {
  const vault = await ownVault();
  await vault.add("paged");
  for (let made = 0; made < 4; made++) await vault.put("paged", { value: "x" });
  const seen: number[] = [];
  let page = await versionsOf(vault, "paged", "limit=2");
  for (;;) {
    seen.push(...page.versions.map(({ version }: Body) => version));
    if (page.pagination.next === null) break;
    page = await versionsOf(vault, "paged", `limit=2&until=${page.pagination.next}`);
  }
  assert.deepEqual(seen, [5, 4, 3, 2, 1]);
  const newer = await versionsOf(vault, "paged", `limit=2&since=${page.pagination.prev}`);
  assert.deepEqual(
    newer.versions.map(({ version }: Body) => version),
    [3, 2],
  );
  assert.equal((await versionsOf(vault, "paged", "since=9&until=3")).error.code, "invalid_cursor");
});

test("expectedVersion and If-Match refuse an outdated version, and name the current one", async () => {
  const vault = await ownVault();
  await vault.add("cas");
  await vault.put("cas", { value: "two", expectedVersion: 1 });
  await vault.change("cas", { description: "x", expectedVersion: 1 });
  const conflicts = [
    [await vault.put("cas", { value: "x", expectedVersion: 1 }), 2],
    [await restoreVersion(vault, "cas", 1, { expectedVersion: 3 }), 2],
    [await vault.change("cas", { description: "y", expectedVersion: 1 }), 2],
    [await vault.change("cas", { name: "y", expectedVersion: 0 }), 2],
  ] as const;
  for (const [{ status, body }, current] of conflicts) {
    assert.deepEqual([status, body.error.code, body.error.currentVersion], [409, "version_conflict", current]);
  }
  const stale = { "if-match": '"2"' };
  const refusals = [
    await vault.put("cas", { value: "x" }, stale),
    await vault.change("cas", { description: "y" }, stale),
    await restoreVersion(vault, "cas", 1, undefined, stale),
    await vault.call("DELETE", "/cas", { headers: stale }),
  ];
  for (const { status, body, headers } of refusals) {
    assert.deepEqual([status, body.error.code, headers["etag"]], [412, "revision_mismatch", '"3"']);
  }
  assert.deepEqual(await numbersOf(vault, "cas"), [2, 1]);
  const current = { "if-match": '"3"' };
  assert.equal(outcome(await vault.put("cas", { value: "3", expectedVersion: 2 }, current)), "ok");
  assert.equal(outcome(await restoreVersion(vault, "cas", 1, { expectedVersion: 3 }, { "if-match": '"4"' })), "ok");
});

test("a new expiry counts as metadata, whichever call sets it", async () => {
  const vault = await ownVault();
  const { metadataVersion } = await vault.add("end");
  const expiresAt = clock.now + 5_000;
  const put = await vault.put("end", { value: "x", expiresAt });
  assert.deepEqual([put.body.expiresAt, put.body.metadataVersion], [expiresAt, metadataVersion + 1]);
  const again = await vault.put("end", { value: "x", expiresAt });
  assert.deepEqual([again.body.expiresAt, again.body.metadataVersion], [expiresAt, metadataVersion + 1]);
  const same = await vault.change("end", { expiresAt, tags: [], description: null });
  assert.deepEqual([same.body.metadataVersion, same.headers["etag"]], [metadataVersion + 1, '"3"']);
  clock.advance(5_000);
  const kept = await vault.put("end", { value: "x" });
  assert.equal(kept.body.expiresAt, expiresAt);
  assert.equal(outcome(await vault.change("end", { expiresAt, description: "x" })), "ok");
});
