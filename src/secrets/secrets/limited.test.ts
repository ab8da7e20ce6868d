// Secrets for credentials that are limited to names: others do not exist, by whatever they are called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openVault } from "../../../test/resources/secrets.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body, TestResponse } from "../../../test/harness/test-app.ts";

const api = await startTestApp();
const { createTeam, createUser, readEvents, request } = api;

/** The secrets of a new team, as its owner sees them and as a key that is limited to names does. */
async function openVaults(names: readonly string[]) {
  const owner = await createUser();
  const team = await createTeam(owner);
  const made = await createKey(api, owner.token, `?teamId=${team.id}`, { names });
  assert.equal(made.status, 200, made.text);
  const { value } = made.body;
  return { team, value, all: openVault(api, owner.token, team.id), narrow: openVault(api, value) };
}

function told({ status, body, text }: TestResponse): string {
  return status < 300
    ? "done"
    : `${status} ${body.error.code as string} ${(body.error.field as string) ?? ""} ${text && ""}`.trim();
}

const GONE = "404 not_found";

test("what is within is read, revealed, changed and deleted; anything else is not found", async () => {
  const { all, narrow } = await openVaults(["SHOP_*"]);
  const inside = await all.add("shop_key");
  const outside = await all.add("OTHER_KEY");
  for (const name of ["SHOP_KEY", inside.uid]) {
    assert.equal((await narrow.reveal(name)).body.value, "value of shop_key");
    assert.equal(told(await narrow.put(name, { value: "next" })), "done");
    assert.equal(told(await narrow.put(name, { value: "value of shop_key" })), "done");
    assert.equal(told(await narrow.change(name, { description: "d" })), "done");
  }
  const absent = await narrow.read("NEVER");
  for (const name of ["OTHER_KEY", outside.uid]) {
    const found = [
      await narrow.read(name),
      await narrow.reveal(name),
      await narrow.put(name, { value: "x" }),
      await narrow.change(name, { description: "d" }),
      await narrow.remove(name),
      await narrow.call("GET", `/${name}/versions`),
      await narrow.call("GET", `/${name}/versions/1`, { query: "decrypt=true" }),
      await narrow.call("POST", `/${name}/versions/1/restore`),
      await narrow.call("GET", `/${name}/names`),
      await narrow.call("DELETE", `/${name}/aliases/x`),
    ];
    for (const response of found) assert.equal(told(response), GONE, response.text);
    assert.deepEqual(found[0]?.body, absent.body);
  }
  assert.equal((await all.reveal("OTHER_KEY")).body.value, "value of OTHER_KEY");
  assert.equal(told(await narrow.remove("SHOP_KEY")), "done");
});

test("a former name that is kept leads to the secret only where its present name is within", async () => {
  const { all, narrow } = await openVaults(["SHOP_*"]);
  await all.add("SHOP_OLD");
  await all.change("SHOP_OLD", { name: "MOVED_OUT", keepAlias: true });
  await all.add("OTHER_OLD");
  await all.change("OTHER_OLD", { name: "SHOP_NEW", keepAlias: true });
  assert.equal(told(await narrow.reveal("SHOP_OLD")), GONE);
  assert.equal(told(await narrow.put("SHOP_OLD", { value: "x" })), GONE);
  assert.equal((await narrow.reveal("OTHER_OLD")).body.value, "value of OTHER_OLD");
  assert.equal((await narrow.put("OTHER_OLD", { value: "x" })).body.error.code, "secret_is_alias");
});

test("new names must be within: of new secrets, renamed, restored and stored at once", async () => {
  const { all, narrow, value } = await openVaults(["SHOP_*", "EXACT"]);
  const refused = (field: string) => `403 forbidden body.${field}`;
  const set = (...values: object[]) => request("PATCH", "/v1/secrets/values", { token: value, body: { values } });
  await all.add("TAKEN");
  assert.equal(told(await narrow.create({ name: "TAKEN", value: "x" })), refused("name"));
  assert.equal(told(await narrow.create({ name: "FREE", value: "x" })), refused("name"));
  assert.equal(told(await narrow.call("POST", "/FREE", { body: { value: "x" } })), refused("name"));
  assert.equal(told(await narrow.call("POST", "/SHOP_X", { body: { name: "FREE", value: "x" } })), refused("name"));
  assert.equal(told(await narrow.call("POST", "/generate", { body: { name: "FREE" } })), refused("name"));
  assert.equal(told(await narrow.create({ name: "exact", value: "x" })), "done");
  assert.equal(told(await narrow.change("EXACT", { name: "EXACTLY" })), refused("name"));
  assert.equal(told(await narrow.renameAll([{ from: "EXACT", to: "FREE" }])), refused("renames[0].to"));
  assert.equal(told(await narrow.renameAll([{ from: "TAKEN", to: "SHOP_TAKEN" }])), `${GONE} body.renames[0].from`);
  assert.equal(told(await narrow.change("EXACT", { name: "SHOP_EXACT" })), "done");
  assert.equal(
    told(await set({ name: "SHOP_A", value: "1" }, { name: "TAKEN", value: "2" })),
    refused("values[1].name"),
  );
  assert.equal(
    told(await set({ name: "SHOP_A", value: "1" }, { name: "FREE", value: "2" })),
    refused("values[1].name"),
  );
  assert.deepEqual((await all.listNames()).toSorted(), ["SHOP_EXACT", "TAKEN"]);
  assert.equal(told(await set({ name: "SHOP_A", value: "1" }, { name: "SHOP_EXACT", value: "2" })), "done");
  assert.equal(told(await narrow.remove("SHOP_A")), "done");
  assert.equal(told(await narrow.restore("SHOP_A", { name: "FREE" })), refused("name"));
  assert.equal(told(await narrow.restore("SHOP_A")), "done");
});

test("what was deleted outside is neither listed, restored nor destroyed", async () => {
  const { all, narrow } = await openVaults(["SHOP_*"]);
  const { uid } = await all.add("OTHER");
  await all.add("SHOP_A");
  await all.remove("OTHER");
  await all.remove("SHOP_A");
  const deleted = (await narrow.list("deleted=true")).secrets.map(({ name }: Body) => name);
  assert.deepEqual(deleted, ["SHOP_A"]);
  for (const name of ["OTHER", uid]) assert.equal(told(await narrow.restore(name, { name: "SHOP_B" })), GONE);
  assert.equal(told(await narrow.remove(uid, "permanent=true")), GONE);
  assert.equal(told(await all.restore("OTHER")), "done");
});

test("lists leave others out, page by page, in both directions", async () => {
  const { all, narrow } = await openVaults(["SHOP_*"]);
  const names: string[] = [];
  for (let at = 0; at < 60; at++) {
    await all.add(at % 5 === 0 ? `SHOP_${at}` : `OTHER_${at}`);
    if (at % 5 === 0) names.unshift(`SHOP_${at}`);
  }
  const listed: string[] = [];
  let page = await narrow.list("limit=5");
  const pages = [page];
  for (
    ;
    page.pagination.next !== null;
    page = await narrow.list(`limit=5&until=${page.pagination.next}`), pages.push(page)
  ) {
    assert.ok(page.secrets.length === 5 || pages.length > 2);
  }
  for (const { secrets } of pages) listed.push(...secrets.map(({ name }: Body) => name));
  assert.deepEqual(listed, names);
  const back = await narrow.list(`limit=5&since=${pages.at(-1)?.pagination.prev}`);
  assert.deepEqual(
    back.secrets.map(({ name }: Body) => name),
    names.slice(-7, -2),
  );
  const ids = (await all.list("limit=100")).secrets.map(({ uid }: Body) => uid).join(",");
  assert.equal((await narrow.list(`limit=100&id=${ids}`)).secrets.length, 12);
});

test("a key that only reveals can't change what it knows, and its reads are recorded", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const all = openVault(api, owner.token, team.id);
  await all.add("SHOP_A");
  const permissions = ["secret:read", "secret:reveal"];
  const { body } = await createKey(api, owner.token, `?teamId=${team.id}`, { names: ["SHOP_*"], permissions });
  const narrow = openVault(api, body.value);
  assert.equal((await narrow.reveal("SHOP_A")).body.value, "value of SHOP_A");
  assert.equal(told(await narrow.put("SHOP_A", { value: "x" })), "403 forbidden");
  assert.equal(told(await narrow.remove("SHOP_A")), "403 forbidden");
  const last = (await readEvents(team.id)).at(-1);
  assert.deepEqual([last?.type, last?.principalId], ["secret-reveal", body.apiKey.id]);
});
