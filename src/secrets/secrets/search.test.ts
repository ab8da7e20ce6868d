// Finding secrets by part of their name, among thousands, with a credential that may know of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openVault } from "../../../test/resources/secrets.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const api = await startTestApp();
const { createTeam, createUser, query, request } = api;

const namesOf = ({ secrets }: Body): string[] => secrets.map(({ name }: Body) => name);

async function newVault() {
  const owner = await createUser();
  const team = await createTeam(owner);
  return { owner, team, vault: openVault(api, owner.token, team.id) };
}

test("a search finds part of a name in any case, newest first, and no deleted secret", async () => {
  const { vault } = await newVault();
  for (const name of ["DATABASE_URL", "API_KEY", "old-Database", "database.pool"]) await vault.add(name);
  await vault.remove("old-Database");
  assert.deepEqual(namesOf(await vault.list("search=base")), ["database.pool", "DATABASE_URL"]);
  assert.deepEqual(namesOf(await vault.list("search=E_U")), ["DATABASE_URL"]);
  assert.deepEqual(namesOf(await vault.list("search=%25")), []);
  assert.equal(namesOf(await vault.list("search=")).length, 3);
  await vault.change("API_KEY", { name: "DATABASE_KEY" });
  assert.equal(namesOf(await vault.list("search=base")).length, 3);
});

test("a search goes with no other filter", async () => {
  const { owner, team } = await newVault();
  const url = `/v2/secrets?teamId=${team.id}&search=a&deleted=true`;
  const { status, body } = await request("GET", url, { token: owner.token });
  assert.deepEqual([status, body.error.code], [400, "invalid_query"]);
  assert.match(body.error.message, /search/);
});

test("a credential that is limited to names finds only those", async () => {
  const { owner, team, vault } = await newVault();
  for (const name of ["SHOP_URL", "SHOP_KEY", "SITE_URL"]) await vault.add(name);
  const { value } = (await createKey(api, owner.token, `?teamId=${team.id}`, { names: ["SHOP_*"] })).body;
  assert.deepEqual(namesOf(await openVault(api, value).list("search=url")), ["SHOP_URL"]);
});

test("among ten thousand, pages of what is found follow each other in both directions", async () => {
  const { owner, team, vault } = await newVault();
  await vault.add("FIRST");
  const [row = {}] = await query(`select * from secrets where owner_id = '${team.id}'`);
  const count = 10_000;
  const rows = Array.from({ length: count }, (_, at) => {
    const name = at % 2_500 === 0 ? `RARE_${at}` : `COMMON_${at}`;
    const copy = {
      ...row,
      id: `sec_copy${at}`,
      name,
      name_key: name.toLowerCase(),
      position: Number(row["position"]) + at + 1,
    };
    return `(${Object.values(copy)
      .map((value) => (value === null ? "null" : `'${value}'`))
      .join()})`;
  });
  for (let at = 0; at < count; at += 500)
    await query(`insert into secrets (${Object.keys(row).join()}) values ${rows.slice(at, at + 500).join()}`);
  const pages: Body[] = [await vault.list("search=rare&limit=3")];
  assert.deepEqual(namesOf(pages[0]), ["RARE_7500", "RARE_5000", "RARE_2500"]);
  const second = await vault.list(`search=rare&limit=3&until=${pages[0].pagination.next}`);
  assert.deepEqual([namesOf(second), second.pagination.next], [["RARE_0"], null]);
  const back = await vault.list(`search=rare&limit=3&since=${second.pagination.prev}`);
  assert.deepEqual(namesOf(back), namesOf(pages[0]));
  assert.deepEqual(namesOf(await vault.list("search=nothing")), []);
  // The same in other orders and beside other filters, by few matches and by many.
  const byName = ["RARE_0", "RARE_2500", "RARE_5000", "RARE_7500"];
  assert.deepEqual(namesOf(await vault.list("search=rare&sort=name")), byName);
  assert.deepEqual(namesOf(await vault.list("search=rare&sort=name&order=desc")), byName.toReversed());
  assert.deepEqual(namesOf(await vault.list("search=mon_99&sort=name&limit=3")), [
    "COMMON_99",
    "COMMON_990",
    "COMMON_9900",
  ]);
  assert.deepEqual(namesOf(await vault.list("search=common&sort=name&order=desc&limit=2")), [
    "COMMON_9999",
    "COMMON_9998",
  ]);
  assert.deepEqual(namesOf(await vault.list("search=nothing&sort=expiresAt")), []);
  const { value } = (await createKey(api, owner.token, `?teamId=${team.id}`, { names: ["*_5000", "COMMON_5*"] })).body;
  assert.deepEqual(namesOf(await openVault(api, value).list("search=rare")), ["RARE_5000"]);
  assert.deepEqual(namesOf(await openVault(api, value).list("search=common_5&limit=1")), ["COMMON_5999"]);
  // Names change, and secrets go, also those that the index has.
  const changes = [
    await vault.change("sec_copy7500", { name: "NAMED_AGAIN" }),
    await vault.change("sec_copy9", { name: "RARE_AND_OLD" }),
    await vault.change("sec_copy9000", { name: "RARE_AND_NEW", tags: ["kept"] }),
    await vault.remove("sec_copy2500"),
    await vault.remove("sec_copy5000", "permanent=true"),
  ];
  for (const { status, text } of changes) assert.equal(status, 200, text);
  assert.deepEqual(namesOf(await vault.list("search=rare")), ["RARE_AND_NEW", "RARE_AND_OLD", "RARE_0"]);
  assert.deepEqual(namesOf(await vault.list("search=_aga")), ["NAMED_AGAIN"]);
  assert.deepEqual(namesOf(await vault.list("search=rare&tag=kept")), ["RARE_AND_NEW"]);
  await vault.add("RARE_NEWEST");
  assert.equal((await vault.restore("sec_copy2500")).status, 200);
  const all = ["RARE_NEWEST", "RARE_AND_NEW", "RARE_2500", "RARE_AND_OLD", "RARE_0"];
  assert.deepEqual(namesOf(await vault.list("search=rare")), all);
  // Two characters are no part of the index.
  assert.deepEqual(namesOf(await vault.list("search=e_&limit=10")), all);
});
