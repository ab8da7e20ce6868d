// The list of secrets in other orders, and filtered by tag, use and end: page by page to its end, on both engines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openVault } from "../../../test/resources/secrets.ts";
import type { Vault } from "../../../test/resources/secrets.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { clock, createTeam, createUser, query, request } = api;

const namesOf = ({ secrets }: Body): string[] => secrets.map(({ name }: Body) => name);

async function newVault() {
  const owner = await createUser();
  const team = await createTeam(owner);
  return { owner, team, vault: openVault(api, owner.token, team.id) };
}

/** The names of all pages, by the cursor of each. */
async function walk(vault: Vault, asked: string, limit = 3): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = ""; ;) {
    const page = await vault.list(`${asked}&limit=${limit}${cursor}`);
    names.push(...namesOf(page));
    if (page.cursor === undefined) return names;
    assert.ok(page.secrets.length > 0, "a page that leads on is not empty");
    assert.deepEqual([page.pagination.next, page.pagination.prev], [null, null]);
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

const ends = (days: number) => clock.now + days * DAY_MS;

test("secrets are sorted by name, change and end in both directions, and ties are told apart", async () => {
  const { vault } = await newVault();
  for (const [name, days] of [
    ["delta", 3],
    ["Bravo", 1],
    ["alpha", null],
    ["echo", 1],
    ["Charlie", null],
  ] as const) {
    await vault.add(name, { expiresAt: days === null ? null : ends(days) });
  }
  const byName = ["alpha", "Bravo", "Charlie", "delta", "echo"];
  assert.deepEqual(await walk(vault, "sort=name", 2), byName);
  assert.deepEqual(await walk(vault, "sort=name&order=desc", 2), byName.toReversed());
  const byEnd = ["Bravo", "echo", "delta", "alpha", "Charlie"];
  assert.deepEqual(await walk(vault, "sort=expiresAt", 1), byEnd);
  assert.deepEqual(await walk(vault, "sort=expiresAt&order=desc", 1), byEnd.toReversed());
  clock.advance(1_000);
  await vault.change("Bravo", { description: "changed" });
  await vault.change("alpha", { description: "changed in the same moment" });
  const byChange = ["delta", "echo", "Charlie", "Bravo", "alpha"];
  assert.deepEqual(await walk(vault, "sort=updatedAt", 2), byChange);
  assert.deepEqual(await walk(vault, "sort=updatedAt&order=desc", 2), byChange.toReversed());
});

test("tags, ends, names and uses narrow the list together, in any order", async () => {
  const { owner, team, vault } = await newVault();
  await vault.add("DB_URL", { tags: ["shop", "db"], expiresAt: ends(2) });
  await vault.add("DB_USER", { tags: ["shop"] });
  await vault.add("MAIL_URL", { tags: ["mail", "Shop"], expiresAt: ends(9) });
  await vault.add("GONE", { tags: ["shop"] });
  await vault.remove("GONE");
  const set = (name: string, environment: string) => ({
    environments: { [environment]: { set: { [name]: { secret: name } } } },
  });
  await request("PUT", `/v1/firewalls?projectId=other&teamId=${team.id}`, {
    token: owner.token,
    body: { firewallEnabled: true },
  });
  for (const body of [set("DB_URL", "production"), set("MAIL_URL", "preview"), set("GONE", "preview")]) {
    await request("PATCH", `/v1/environments/shop?teamId=${team.id}`, { token: owner.token, body });
  }
  const list = async (asked: string) => namesOf(await vault.list(asked)).toSorted();
  for (const sorted of ["", "&sort=name", "&sort=updatedAt&order=desc", "&sort=expiresAt"]) {
    const [of, end] = [(asked: string) => list(asked + sorted), `expiresBefore=${ends(2) + 1}`];
    assert.deepEqual(await of("tag=shop"), ["DB_URL", "DB_USER"], "tags are told apart by case");
    assert.deepEqual(await of("tag=Shop"), ["MAIL_URL"]);
    assert.deepEqual(await of("tag=sho"), []);
    assert.deepEqual(await of(end), ["DB_URL"]);
    assert.deepEqual(await of(`expiresBefore=${ends(2)}`), []);
    assert.deepEqual(await of("usedIn=shop/production"), ["DB_URL"]);
    assert.deepEqual(await of("usedIn=shop"), ["DB_URL", "MAIL_URL"]);
    assert.deepEqual(await of("usedIn=other"), [], "a project without environments");
    assert.deepEqual(await of("search=url&usedIn=shop&tag=Shop"), ["MAIL_URL"]);
    assert.deepEqual(await of("search=url&tag=shop"), ["DB_URL"]);
    assert.deepEqual(await of(`search=mail&expiresBefore=${ends(10)}`), ["MAIL_URL"]);
    assert.deepEqual(await of(`${end}&usedIn=shop&tag=db&search=db`), ["DB_URL"]);
  }
});

test("a secret is found by the tags that it has now, also after it was restored or destroyed", async () => {
  const { vault } = await newVault();
  await vault.add("ONE", { tags: ["a", "b"] });
  await vault.change("ONE", { tags: ["b", "c"] });
  const found = async () => {
    const lists = await Promise.all(["a", "b", "c"].map((tag) => vault.list(`tag=${tag}`)));
    return lists.map((list) => list.secrets.length).join("");
  };
  assert.equal(await found(), "011");
  await vault.remove("ONE");
  assert.equal(await found(), "000");
  await vault.restore("ONE");
  assert.equal(await found(), "011");
  await vault.remove("ONE", "permanent=true");
  assert.equal(await found(), "000");
});

test("a row says who changed the secret last, and a key of a team is nobody", async () => {
  const { owner, team, vault } = await newVault();
  const other = await createUser();
  await request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { uid: other.id, role: "MEMBER" },
  });
  await request("POST", "/v1/teams/join", { token: other.token, body: { teamId: team.id } });
  const theirs = openVault(api, other.token, team.id);
  const changedBy = async () => (await vault.list()).secrets[0].updatedBy;
  await vault.add("ONE");
  assert.equal(await changedBy(), owner.id);
  const renamed = await theirs.change("ONE", { name: "TWO" });
  assert.equal(renamed.body.updatedBy, other.id, renamed.text);
  assert.equal(await changedBy(), other.id);
  await vault.put("TWO", { value: "next" });
  assert.equal(await changedBy(), owner.id);
  await theirs.change("TWO", { tags: ["x"] });
  await theirs.remove("TWO");
  await vault.restore("TWO");
  assert.equal(await changedBy(), owner.id);
  const { value } = (await createKey(api, owner.token, `?teamId=${team.id}`, { role: "MEMBER" })).body;
  await openVault(api, value).put("TWO", { value: "by a key" });
  assert.equal(await changedBy(), undefined);
});

test("what does not go together is refused, and so are cursors of other lists", async () => {
  const { vault } = await newVault();
  for (const name of ["ONE", "TWO", "THREE"]) await vault.add(name);
  const { cursor } = await vault.list("sort=name&limit=1");
  for (const [asked, code, told] of [
    ["order=desc", "invalid_query", /^order: .*sort/],
    [`cursor=${cursor}`, "invalid_query", /^cursor: .*sort/],
    ["sort=name&until=5", "invalid_query", /^until: /],
    ["sort=name&cursor=nonsense", "invalid_cursor", /^cursor: /],
    [`sort=name&order=desc&cursor=${cursor}`, "invalid_cursor", /^cursor: /],
    [`sort=updatedAt&cursor=${cursor}`, "invalid_cursor", /^cursor: /],
    ["sort=name&deleted=true", "invalid_query", /deleted/],
    ["tag=a&projectId=p", "invalid_query", /projectId/],
    ["id=sec_1&usedIn=shop", "invalid_query", /usedIn/],
    ["sort=size", "invalid_query", /^sort: /],
    ["usedIn=a/b/c", "invalid_query", /^usedIn: .*PROJECT/],
    ["usedIn=shop/nowhere", "not_found", /Environment/],
    ["usedIn=shpo", "not_found", /^Project not found: .*got "shpo"/],
  ] as const) {
    const { body, text } = await vault.call("GET", "", { query: asked });
    assert.equal(body.error?.code, code, `${asked}: ${text}`);
    assert.match(body.error.message, told);
  }
});

test("uses are shown to those who may read environments, and a credential finds only the names that it is limited to", async () => {
  const { owner, team, vault } = await newVault();
  for (const name of ["SHOP_B", "SITE_A", "SHOP_A"]) await vault.add(name, { tags: ["t"] });
  const body = { environments: { production: { set: { KEY: { secret: "SHOP_A" } } } } };
  await request("PATCH", `/v1/environments/shop?teamId=${team.id}`, { token: owner.token, body });
  const keyOf = async (limits: object) => {
    const made = await createKey(api, owner.token, `?teamId=${team.id}`, { role: "MEMBER", ...limits });
    return openVault(api, made.body.value);
  };
  const narrow = await keyOf({ names: ["SHOP_*"] });
  assert.deepEqual(await walk(narrow, "sort=name", 1), ["SHOP_A", "SHOP_B"]);
  assert.deepEqual(await walk(narrow, "sort=updatedAt&tag=t&search=_a", 1), ["SHOP_A"]);
  assert.deepEqual(namesOf(await narrow.list("tag=t")), ["SHOP_A", "SHOP_B"]);
  assert.deepEqual(namesOf(await narrow.list("usedIn=shop")), [], "the entry is called KEY, of which it knows nothing");
  const blind = await keyOf({ permissions: ["secret:read"] });
  assert.equal((await blind.call("GET", "", { query: "usedIn=shop" })).body.error.code, "forbidden");
  assert.equal((await blind.call("GET", "", { query: "tag=t" })).status, 200);
});

test("among ten thousand, each order and filter leads through exactly those that match", async () => {
  const { team, vault } = await newVault();
  await vault.add("FIRST");
  const [row = {}] = await query(`select * from secrets where owner_id = '${team.id}'`);
  const count = 10_000;
  const many = Array.from({ length: count }, (_, at) => ({
    ...row,
    id: `sec_sorted${at}`,
    name: `N_${(at * 7_919) % count}`,
    name_key: `n_${(at * 7_919) % count}`,
    position: Number(row["position"]) + at + 1,
    updated_at: Number(row["updated_at"]) + ((at * 31) % 50),
    expires_at: at % 3 === 0 ? Number(row["updated_at"]) + (at % 100) * 1_000 : null,
  })).map((one) => ({ ...one, ends_at: one.expires_at ?? Number.MAX_SAFE_INTEGER }));
  const literal = (value: unknown) => (value === null ? "null" : `'${value as string | number}'`);
  const insert = async (table: string, columns: readonly string[], rows: readonly (readonly unknown[])[]) => {
    for (let at = 0; at < rows.length; at += 500) {
      const values = rows.slice(at, at + 500).map((one) => `(${one.map(literal).join()})`);
      await query(`insert into ${table} (${columns.join()}) values ${values.join()}`);
    }
  };
  await insert(
    "secrets",
    Object.keys(row),
    many.map((one) => Object.values(one)),
  );
  const tagsOf = (at: number) => [...(at % 3 === 0 ? ["often"] : []), ...(at % 4_000 === 17 ? ["rare"] : [])];
  const tags = many.flatMap(({ id, position }, at) => tagsOf(at).map((tag) => [team.id, tag, position, id]));
  await insert("secret_tags", ["owner_id", "tag", "position", "secret_id"], tags);

  const keys = { name: "name_key", updatedAt: "updated_at", expiresAt: "expires_at" } as const;
  const last = Number.MAX_SAFE_INTEGER;
  const expected = (sort: keyof typeof keys, isWanted: (one: (typeof many)[number], at: number) => boolean) =>
    many
      .filter(isWanted)
      .toSorted((one, other) => {
        const [a, b] = [one[keys[sort]] ?? last, other[keys[sort]] ?? last];
        return a < b ? -1 : a > b ? 1 : one.position - other.position;
      })
      .map(({ name }) => name);
  const before = Number(row["updated_at"]) + 2_000;
  for (const sort of ["name", "updatedAt", "expiresAt"] as const) {
    for (const [asked, isWanted] of [
      ["tag=rare", (_one, at) => tagsOf(at).includes("rare")],
      ["tag=often&search=77", ({ name_key }, at) => at % 3 === 0 && name_key.includes("77")],
      ["search=nothing", () => false],
      [
        `expiresBefore=${before}&search=9`,
        ({ expires_at, name_key }) => (expires_at ?? last) < before && name_key.includes("9"),
      ],
    ] as readonly (readonly [string, (one: (typeof many)[number], at: number) => boolean])[]) {
      const wanted = expected(sort, isWanted);
      assert.deepEqual(await walk(vault, `${asked}&sort=${sort}`, 100), wanted, `${asked} ${sort}`);
      assert.deepEqual(await walk(vault, `${asked}&sort=${sort}&order=desc`, 100), wanted.toReversed());
    }
  }
  const newest = await vault.list("tag=often&limit=2");
  assert.deepEqual(namesOf(newest), [many[9_999]?.name, many[9_996]?.name]);
  const older = await vault.list(`tag=often&limit=1&until=${newest.pagination.next}`);
  assert.deepEqual(namesOf(older), [many[9_993]?.name]);
});
