import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../platform/kernel/roles.ts";

const client = await startOwnApp();
const { app, clock, request, createUser, createTeam, query, readEvents } = client;

const WEEK_MS = 7 * DAY_MS;

async function ownVault() {
  const user = await createUser();
  return { user, vault: openVault(client, user.token) };
}

/** Does what housekeeping does each minute. */
async function purge(): Promise<void> {
  while ((await app.runner.changes.purgeSecrets(null, clock.now)) > 0);
}

/** How many rows an owner has in each table of secrets. */
async function countRows(ownerId: string): Promise<number[]> {
  const counts = [];
  for (const table of ["secrets", "secret_names", "secret_versions"]) {
    const [row] = await query(`select count(*) as count from ${table} where owner_id = '${ownerId}'`);
    counts.push(Number(row?.["count"]));
  }
  return counts;
}

const namesOf = ({ secrets }: Body): string[] => secrets.map(({ name }: Body) => name);

test("a deleted secret is not found by any call, and its names are free at once", async () => {
  const { user, vault } = await ownVault();
  const { uid, createdAt } = await vault.add("old");
  await vault.change("old", { name: "new", keepAlias: true });
  clock.advance(1_000);
  const deleted = await vault.remove("NEW");
  const purgeAt = clock.now + WEEK_MS;
  assert.deepEqual(deleted.body, { uid, name: "new", created: createdAt, purgeAt });
  for (const name of [uid, "new", "old"]) {
    const refusals = [
      await vault.read(name),
      await vault.reveal(name),
      await vault.call("GET", `/${name}/versions`),
      await vault.call("GET", `/${name}/names`),
      await vault.put(name, { value: "x" }),
      await vault.change(name, { description: "x" }),
      await vault.remove(name),
    ];
    assert.deepEqual(new Set(refusals.map(outcome)), new Set(["not_found"]));
  }
  assert.deepEqual(await vault.listNames(), []);
  const [listed] = (await vault.list("deleted=true")).secrets;
  assert.deepEqual([listed.uid, listed.deletedAt, listed.purgeAt], [uid, clock.now, purgeAt]);
  await vault.add("new");
  await vault.add("old");
  const event = (await readEvents(user.id)).find(({ type }) => type === "secret-delete");
  assert.deepEqual(event?.payload, { name: "new", uid, purgeAt });
});

test("restoring a deleted secret, by its id or its name, restores all of it", async () => {
  const { user, vault } = await ownVault();
  const settings = { description: "d", tags: ["t"], maxVersions: 5, projectId: "prj", expiresAt: clock.now + WEEK_MS };
  await vault.add("first", settings);
  await vault.put("first", { value: "second" });
  await vault.change("first", { name: "present", keepAlias: true });
  const before = (await vault.read("present")).body;
  for (const by of [before.uid, "PRESENT"]) {
    await vault.remove("present");
    const restored = await vault.restore(by);
    assert.deepEqual(restored.body, before);
    assert.deepEqual((await vault.read("first")).body, before);
    assert.equal((await vault.reveal("present")).body.value, "second");
    assert.equal((await vault.read("present/versions/1", "decrypt=true")).body.value, "value of first");
    assert.deepEqual(await vault.history("present"), ["present current", "first alias"]);
  }
  assert.deepEqual(await vault.list("deleted=true&limit=100"), {
    secrets: [],
    pagination: { count: 0, next: null, prev: null },
  });
  assert.equal(outcome(await vault.restore("present")), "not_found", "nothing is deleted");
  assert.equal(outcome(await vault.restore(before.uid)), "not_found");
  const event = (await readEvents(user.id)).findLast(({ type }) => type === "secret-restore");
  assert.deepEqual(event?.next, { name: "present", aliases: 1 });
});

test("a restore by name restores the secret that was deleted last", async () => {
  const { vault } = await ownVault();
  const ids = [];
  for (let made = 0; made < 3; made++) {
    ids.unshift((await vault.add("again")).uid);
    await vault.remove("again");
  }
  assert.equal((await vault.restore("again")).body.uid, ids[0]);
  await vault.change("again", { name: "moved" });
  assert.equal((await vault.restore("AGAIN")).body.uid, ids[1]);
});

test("a secret whose name is used by now is restored under another name", async () => {
  const { vault } = await ownVault();
  const { uid } = await vault.add("alias1");
  await vault.change("alias1", { name: "alias2", keepAlias: true });
  await vault.change("alias2", { name: "wanted", keepAlias: true });
  await vault.remove("wanted");
  const successor = await vault.add("WANTED");
  await vault.add("Alias1");
  const refusals = [
    await vault.restore(uid),
    await vault.restore("wanted"),
    await vault.restore(uid, { name: "wanted" }),
    await vault.restore(uid, { name: "ALIAS1" }),
  ];
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.error.code, body.error.field], [409, "secret_name_taken", "body.name"]);
  }
  assert.equal(outcome(await vault.restore(uid, { name: "sec_x" })), "invalid_secret_name");
  const stale = await vault.call("POST", `/${uid}/restore`, { body: { name: "x" }, headers: { "if-match": '"1"' } });
  assert.equal(outcome(stale), "revision_mismatch");
  const restored = await vault.restore(uid, { name: "other" });
  assert.deepEqual([restored.status, restored.body.uid, restored.body.name], [200, uid, "other"]);
  assert.deepEqual(await vault.history(uid), ["other current", "wanted former", "alias2 alias", "alias1 former"]);
  assert.equal((await vault.read("alias2")).body.uid, uid);
  assert.equal((await vault.read("wanted")).body.uid, successor.uid);
});

test("a secret is restored under its own alias", async () => {
  const { vault } = await ownVault();
  const { uid } = await vault.add("was");
  await vault.change("was", { name: "is", keepAlias: true });
  await vault.remove("is");
  assert.equal((await vault.restore(uid, { name: "Was" })).body.name, "Was");
  assert.deepEqual(await vault.history(uid), ["Was current", "is former", "was former"]);
  await vault.add("is");
});

test("it can be restored for seven days to the millisecond, and is destroyed then", async () => {
  const { user, vault } = await ownVault();
  const { uid } = await vault.add("late");
  await vault.add("stays");
  await vault.remove("late");
  clock.advance(WEEK_MS - 1);
  await purge();
  assert.equal(outcome(await vault.restore("late")), "ok");
  await vault.remove("late");
  await vault.put("stays", { value: "x" });
  clock.advance(WEEK_MS);
  const afterwards = [await vault.restore("late"), await vault.restore(uid), await vault.remove(uid, "permanent=true")];
  assert.deepEqual(afterwards.map(outcome), ["not_found", "not_found", "not_found"]);
  assert.deepEqual(namesOf(await vault.list("deleted=true")), []);
  assert.deepEqual(namesOf(await vault.list("deleted=true&since=0")), []);
  assert.deepEqual(await countRows(user.id), [2, 2, 3]);
  await purge();
  assert.deepEqual(await countRows(user.id), [1, 1, 2]);
  const event = (await readEvents(user.id)).at(-1);
  assert.deepEqual(
    [event?.type, event?.principalId, event?.entityId, event?.payload],
    ["secret-destroy", "system", uid, { name: "late", uid }],
  );
  await purge();
  assert.equal((await readEvents(user.id)).filter(({ type }) => type === "secret-destroy").length, 1);
});

test("many owners' deleted secrets are destroyed, however many there are", async () => {
  const owners = await Promise.all(Array.from({ length: 3 }, ownVault));
  for (const { vault } of owners) {
    for (let made = 0; made < 40; made++) await vault.add(`s${made}`);
    for (let made = 0; made < 40; made++) await vault.remove(`s${made}`);
  }
  clock.advance(WEEK_MS);
  await purge();
  for (const { user } of owners) assert.deepEqual(await countRows(user.id), [0, 0, 0]);
});

test("permanent=true destroys at once, also a deleted secret by its id", async () => {
  const { user, vault } = await ownVault();
  const living = await vault.add("living");
  const deleted = await vault.add("deleted");
  const destroyed = await vault.remove("living", "permanent=true");
  assert.deepEqual(destroyed.body, { uid: living.uid, name: "living", created: living.createdAt, purgeAt: null });
  await vault.remove("deleted");
  assert.equal(outcome(await vault.remove("deleted", "permanent=true")), "not_found");
  const stale = await vault.call("DELETE", `/${deleted.uid}`, {
    query: "permanent=true",
    headers: { "if-match": '"1"' },
  });
  assert.equal(outcome(stale), "revision_mismatch");
  assert.equal((await vault.remove(deleted.uid, "permanent=true")).body.purgeAt, null);
  assert.deepEqual(await countRows(user.id), [0, 0, 0]);
  for (const name of ["living", living.uid, "deleted", deleted.uid]) {
    assert.equal(outcome(await vault.restore(name)), "not_found");
  }
  const events = (await readEvents(user.id)).slice(-3);
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload.name, payload.permanent]),
    [
      ["secret-delete", "living", true],
      ["secret-delete", "deleted", undefined],
      ["secret-destroy", "deleted", true],
    ],
  );
});

test("deleting a team or an account deletes all of its secrets", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const colleague = await createUser();
  const kept = openVault(client, user.token, (await openTeam(client, user)).id);
  for (const vault of [openVault(client, user.token), openVault(client, user.token, team.id)]) {
    await vault.add("living", { expiresAt: clock.now + DAY_MS });
    await vault.change("living", { name: "renamed", keepAlias: true });
    await vault.put("renamed", { value: "x" });
    await vault.add("deleted");
    await vault.remove("deleted");
  }
  await kept.add("kept");
  await openVault(client, colleague.token).add("untouched");
  for (const ownerId of [user.id, team.id]) assert.deepEqual(await countRows(ownerId), [2, 3, 3]);
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: user.token, body: {} })).status, 200);
  assert.deepEqual(await countRows(team.id), [0, 0, 0]);
  const lonely = await createUser();
  await openVault(client, lonely.token).add("lonely");
  assert.ok((await request("DELETE", "/v1/user", { token: lonely.token, body: {} })).status < 300);
  assert.deepEqual(await countRows(lonely.id), [0, 0, 0]);
  assert.deepEqual(await countRows(user.id), [2, 3, 3]);
  assert.deepEqual(await countRows(colleague.id), [1, 1, 1]);
  clock.advance(WEEK_MS);
  await purge();
  assert.deepEqual(await countRows(user.id), [1, 2, 2]);
  assert.deepEqual(await kept.listNames(), ["kept"]);
});

test("the table of roles decides who changes secrets, for members and keys", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const vault = openVault(client, owner.token, team.id);
  for (const role of TEAM_ROLES) {
    const member = await createUser();
    await team.add(member, role);
    const key = (await createKey(client, owner.token, `?teamId=${team.id}`, { role })).body.value;
    for (const token of [member.token, key]) {
      const theirs = openVault(client, token, team.id);
      const kept = await vault.add("kept");
      const { uid } = await vault.add("restorable");
      await vault.remove("restorable");
      const responses = [
        await theirs.create({ name: "created", value: "x" }),
        await theirs.call("POST", "/generate", { body: { name: "generated" } }),
        await theirs.put("kept", { value: "x" }),
        await theirs.change("kept", { description: role }),
        await theirs.change("kept", { name: "renamed", keepAlias: true }),
        await theirs.renameAll([{ from: kept.uid, to: "again" }]),
        await theirs.call("DELETE", `/${kept.uid}/aliases/kept`),
        await theirs.call("POST", `/${kept.uid}/versions/1/restore`),
        await theirs.restore(uid),
        await theirs.remove(uid),
        await theirs.remove(uid, "permanent=true"),
        await theirs.remove(kept.uid, "permanent=true"),
      ];
      const may = ROLE_PERMISSIONS[role].includes("secret:write");
      assert.deepEqual(
        responses.map(outcome),
        responses.map(() => (may ? "ok" : "forbidden")),
        role,
      );
      for (const name of await vault.listNames()) await vault.remove(name, "permanent=true");
    }
  }
  assert.deepEqual(
    TEAM_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes("secret:write")),
    ["OWNER", "MEMBER", "DEVELOPER"],
  );
});
