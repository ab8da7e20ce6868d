import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";

const client = await startTestApp();
const { clock, createUser, readEvents } = client;

async function ownVault() {
  return openVault(client, (await createUser()).token);
}

const MAX_ALIASES = 20;

test("names are 1 to 100 letters, digits, _, . and -, and look like no id", async () => {
  const vault = await ownVault();
  const good = ["a", "0", "_", "A.b-c_9", "x".repeat(100), "sec", "se_c", "secret", "rename", "generate"];
  for (const name of good) assert.equal((await vault.create({ name, value: "x" })).body.name, name);
  const bad = ["x".repeat(101), "", ".a", "-a", "a b", "a/b", "a\n", "é", "a:b", "sec_", "sec_1", "SEC_1", "Sec_x"];
  const fields = new Set<string>();
  for (const name of bad) {
    const made = await vault.create({ name, value: "x" });
    assert.equal(made.status, 400, name);
    const renamed = await vault.change("a", { name });
    assert.deepEqual(renamed.body, made.body, name);
    fields.add(made.body.error.field);
    const entry = await vault.renameAll([{ from: "a", to: name }]);
    assert.deepEqual([entry.status, entry.body.error.field], [400, "body.renames[0].to"], name);
    assert.equal(entry.body.error.code, made.body.error.code);
  }
  assert.deepEqual([...fields], ["body.name"]);
  assert.equal(outcome(await vault.create({ name: "a b", value: "x" })), "invalid_secret_name");
  assert.equal((await vault.listNames()).length, good.length);
});

test("names are unique without regard to case, and kept as written", async () => {
  const user = await createUser();
  const vault = openVault(client, user.token);
  await vault.add("MixedCase");
  await vault.add("other");
  assert.equal(outcome(await vault.create({ name: "mixedCASE", value: "x" })), "secret_name_taken");
  const taken = await vault.change("other", { name: "MIXEDcase" });
  assert.deepEqual(
    [taken.status, outcome(taken), taken.body.error.name],
    [409, "secret_name_taken", "MIXEDcase"],
    taken.text,
  );
  assert.deepEqual(await vault.listNames(), ["other", "MixedCase"]);
  assert.deepEqual((await vault.change("MIXEDCASE", { name: "MIXEDCASE", keepAlias: true })).body.oldName, "MixedCase");
  assert.deepEqual(await vault.history("mixedcase"), ["MIXEDCASE current", "MixedCase former"]);
  assert.deepEqual((await readEvents(user.id)).at(-1)?.next, { name: "MIXEDCASE" }, "no alias of itself");
});

test("a secret is renamed by name or id, and its old name is free at once", async () => {
  const user = await createUser();
  const vault = openVault(client, user.token);
  const { uid, created } = await vault.add("first");
  const renamed = await vault.change("FIRST", { name: "second" });
  assert.equal(renamed.status, 200, renamed.text);
  const { name, oldName } = renamed.body;
  assert.deepEqual([renamed.body.uid, name, oldName, renamed.body.created], [uid, "second", "first", created]);
  assert.deepEqual([renamed.body.version, renamed.body.metadataVersion, renamed.headers["etag"]], [1, 2, '"2"']);
  assert.equal(outcome(await vault.read("first")), "not_found");
  const successor = await vault.add("first");
  assert.equal(outcome(await vault.change(uid, { name: "First" })), "secret_name_taken");
  assert.equal((await vault.change(uid, { name: "third" })).body.oldName, "second");
  assert.deepEqual(await vault.history("third"), ["third current", "second former", "first former"]);
  assert.equal((await vault.read("first")).body.uid, successor.uid);
  assert.equal((await vault.reveal("third")).body.value, "value of first");
  const unchanged = await vault.change("third", { name: "third", keepAlias: true });
  assert.deepEqual([unchanged.body.oldName, unchanged.body.metadataVersion], ["third", 3]);
  assert.equal(outcome(await vault.change("nobody", { name: "x" })), "not_found");
  const renames = (await readEvents(user.id)).filter(({ type }) => type === "secret-rename");
  assert.deepEqual(
    renames.map(({ payload }) => payload),
    [
      { uid, oldName: "first", newName: "second" },
      { uid, oldName: "second", newName: "third" },
    ],
  );
});

test("an alias reads, and refuses every change with the present name", async () => {
  const vault = await ownVault();
  await vault.add("old", { value: "kept" });
  await vault.change("old", { name: "new", keepAlias: true });
  assert.equal((await vault.reveal("OLD")).body.value, "kept");
  assert.equal((await vault.call("GET", "/old/versions")).body.versions.length, 1);
  assert.deepEqual(await vault.history("old"), ["new current", "old alias"]);
  const refusals = [
    await vault.put("old", { value: "x" }),
    await vault.change("old", { description: "x" }),
    await vault.change("old", { name: "newer" }),
    await vault.renameAll([{ from: "OLD", to: "newer" }]),
    await vault.remove("old"),
    await vault.remove("old", "permanent=true"),
    await vault.call("POST", "/old/versions/1/restore"),
    await vault.call("DELETE", "/old/aliases/old"),
  ];
  for (const { status, body } of refusals) {
    assert.deepEqual([status, body.error.code, body.error.name], [409, "secret_is_alias", "new"]);
  }
  assert.equal((await vault.read("new")).headers["etag"], '"2"');
});

test("an alias is reserved until it is released, taken back or deleted with its secret", async () => {
  const vault = await ownVault();
  const { uid } = await vault.add("one");
  await vault.add("other");
  await vault.change("one", { name: "two", keepAlias: true });
  assert.equal(outcome(await vault.create({ name: "ONE", value: "x" })), "secret_name_taken");
  assert.equal(outcome(await vault.change("other", { name: "One" })), "secret_name_taken");
  assert.equal(outcome(await vault.create({ name: "one", value: "x" })), "secret_name_taken");

  const given = await vault.call("DELETE", "/two/aliases/ONE");
  assert.deepEqual([given.status, given.body.metadataVersion, given.headers["etag"]], [200, 3, '"3"']);
  assert.equal(outcome(await vault.call("DELETE", "/two/aliases/one")), "not_found");
  assert.equal(outcome(await vault.call("DELETE", "/two/aliases/two")), "not_found");
  assert.equal(outcome(await vault.read("one")), "not_found");
  assert.equal(outcome(await vault.change("other", { name: "one" })), "ok");

  await vault.change(uid, { name: "three", keepAlias: true });
  await vault.change(uid, { name: "TWO", keepAlias: true });
  assert.deepEqual(await vault.history(uid), ["TWO current", "three alias", "two former", "one former"]);
  assert.equal(outcome(await vault.change("two", { name: "two" })), "ok");
  await vault.remove("two");
  await vault.add("three");
});

test("a secret has twenty aliases at most", async () => {
  const vault = await ownVault();
  const { uid } = await vault.add("n0");
  for (let at = 1; at <= MAX_ALIASES; at++) await vault.change(uid, { name: `n${at}`, keepAlias: true });
  const before = await vault.history(uid);
  assert.equal(before.length, MAX_ALIASES + 1);
  const refusals = [
    await vault.change(uid, { name: "more", keepAlias: true }),
    await vault.renameAll([{ from: uid, to: "more", keepAlias: true }]),
  ];
  assert.deepEqual(refusals.map(outcome), ["too_many_aliases", "too_many_aliases"]);
  assert.deepEqual(await vault.history(uid), before);
  assert.equal(outcome(await vault.change(uid, { name: "n0", keepAlias: true })), "ok", "one for another");
  assert.equal(outcome(await vault.change(uid, { name: "N0", keepAlias: true })), "ok", "itself");
  assert.equal(outcome(await vault.call("DELETE", `/${uid}/aliases/n7`)), "ok");
  assert.equal(outcome(await vault.change(uid, { name: "more", keepAlias: true })), "ok");
});

test("the history of names is paged, with the time of each name", async () => {
  const vault = await ownVault();
  const begun = clock.now;
  await vault.add("h0");
  for (const name of ["h1", "h2", "h3", "h4"]) {
    clock.advance(1_000);
    await vault.change((await vault.listNames())[0] as string, { name });
  }
  const read = async (query: string) => (await vault.call("GET", "/h4/names", { query })).body;
  const newest = await read("limit=2");
  assert.deepEqual(newest.names, [
    { name: "h4", kind: "current", begunAt: begun + 4_000, endedAt: null },
    { name: "h3", kind: "former", begunAt: begun + 3_000, endedAt: begun + 4_000 },
  ]);
  const seen = newest.names.map(({ name }: Body) => name);
  for (let page = newest; page.pagination.next !== null;) {
    page = await read(`limit=2&until=${page.pagination.next}`);
    seen.push(...page.names.map(({ name }: Body) => name));
  }
  assert.deepEqual(seen, ["h4", "h3", "h2", "h1", "h0"]);
  const oldest = await read("limit=2&since=0");
  assert.deepEqual(
    oldest.names.map(({ name }: Body) => name),
    ["h1", "h0"],
  );
  assert.equal(outcome(await vault.call("GET", "/h4/names", { query: "since=9&until=3" })), "invalid_cursor");
});

/** A new vault with secrets of these names, whose ids it answers. */
async function vaultWith(...names: string[]) {
  const user = await createUser();
  const vault = openVault(client, user.token);
  const ids: string[] = [];
  for (const name of names) ids.push((await vault.add(name)).uid);
  const namesOf = async () => Promise.all(ids.map(async (id) => (await vault.read(id)).body.name));
  return { user, vault, ids, namesOf };
}

test("secrets exchange their names in one call: two, three, a chain", async () => {
  const { user, vault, ids, namesOf } = await vaultWith("a", "b", "c");
  const swapped = await vault.renameAll([
    { from: "a", to: "b" },
    { from: ids[1], to: "a" },
  ]);
  assert.equal(swapped.status, 200, swapped.text);
  assert.deepEqual(
    swapped.body.renamed.map(({ uid, name, oldName }: Body) => [uid, name, oldName]),
    [
      [ids[0], "b", "a"],
      [ids[1], "a", "b"],
    ],
  );
  assert.deepEqual(await namesOf(), ["b", "a", "c"]);
  assert.equal((await vault.reveal("a")).body.value, "value of b");

  const cycle = await vault.renameAll([
    { from: "a", to: "b" },
    { from: "b", to: "c" },
    { from: "c", to: "a" },
  ]);
  assert.equal(cycle.status, 200, cycle.text);
  assert.deepEqual(await namesOf(), ["c", "b", "a"]);

  const chain = await vault.renameAll([
    { from: "a", to: "b" },
    { from: "b", to: "c", keepAlias: false },
    { from: "c", to: "d", keepAlias: false },
  ]);
  assert.equal(chain.status, 200, chain.text);
  assert.deepEqual(await namesOf(), ["d", "c", "b"]);
  const events = await readEvents(user.id);
  assert.equal(events.filter(({ type }) => type === "secret-rename").length, 8);
});

test("a hundred secrets are renamed at once, and no more", async () => {
  const names = Array.from({ length: 100 }, (_, at) => `bulk${at}`);
  const { vault, namesOf } = await vaultWith(...names);
  const renames = names.map((from, at) => ({ from, to: names[(at + 1) % names.length] }));
  const turned = await vault.renameAll(renames);
  assert.equal(turned.status, 200, turned.text);
  assert.deepEqual(await namesOf(), [...names.slice(1), names[0]]);
  const refused = await vault.renameAll([...renames, { from: "bulk0", to: "one-more" }]);
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.renames"]);
  assert.equal((await vault.renameAll([])).status, 400);
});

test("one invalid entry prevents every rename", async () => {
  const { user, vault, ids, namesOf } = await vaultWith("a", "b", "c");
  await vault.change("c", { name: "d", keepAlias: true });
  const before = (await readEvents(user.id)).length;
  const cases: [readonly object[], string][] = [
    [[{ from: "b", to: "d" }], "secret_name_taken"],
    [[{ from: "b", to: "c" }], "secret_name_taken"],
    [[{ from: "absent", to: "x" }], "not_found"],
    [[{ from: "c", to: "x" }], "secret_is_alias"],
    [[{ from: "b", to: "a b" }], "invalid_secret_name"],
    [
      [
        { from: "b", to: "x" },
        { from: "d", to: "X" },
      ],
      "secret_name_taken",
    ],
    [
      [
        { from: "b", to: "x" },
        { from: ids[1] as string, to: "y" },
      ],
      "bad_request",
    ],
    [
      [
        { from: "b", to: "x" },
        { from: "B", to: "x" },
      ],
      "bad_request",
    ],
    [
      [
        { from: "b", to: "d", keepAlias: true },
        { from: "d", to: "b" },
      ],
      "secret_name_taken",
    ],
  ];
  for (const [renames, code] of cases) {
    const refused = await vault.renameAll([{ from: "a", to: "fine" }, ...renames]);
    assert.match(refused.body.error.message, /^renames\[[12]\]\.(?:from|to): /);
    assert.equal(outcome(refused), code, JSON.stringify(renames));
    assert.deepEqual(await namesOf(), ["a", "b", "d"], JSON.stringify(renames));
  }
  assert.equal((await readEvents(user.id)).length, before);
});

test("a rename and new settings in one call are atomic", async () => {
  const { user, vault, ids } = await vaultWith("plain", "taken");
  const [uid] = ids as [string];
  const refused = await vault.change(uid, { name: "taken", description: "new", maxVersions: 3 });
  assert.equal(outcome(refused), "secret_name_taken");
  const unchanged = (await vault.read(uid)).body;
  assert.deepEqual([unchanged.description, unchanged.maxVersions, unchanged.metadataVersion], [null, 10, 1]);
  const changed = await vault.change(uid, { name: "fancy", description: "new", tags: ["t"] });
  assert.deepEqual([changed.body.name, changed.body.description, changed.body.tags], ["fancy", "new", ["t"]]);
  const [update, rename] = (await readEvents(user.id)).slice(-2);
  assert.equal(update?.type, "secret-update");
  assert.deepEqual([update?.previous.description, update?.next.description], [null, "new"]);
  assert.deepEqual([rename?.type, rename?.next], ["secret-rename", { name: "fancy" }]);
  assert.equal(outcome(await vault.change(uid, { keepAlias: true })), "bad_request");
  assert.equal(outcome(await vault.change(uid, {})), "bad_request");
});
