import assert from "node:assert/strict";
import { test } from "node:test";
import { openBypassList, refused } from "../../../test/resources/bypasses.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();

test("all filters apply together", async () => {
  const { add, ids, call } = await openBypassList(client);
  for (const domain of ["a.example", "b.example", "*"]) {
    for (const sourceIp of ["192.0.2.1", "2001:db8::/48"]) await add({ domain, sourceIp });
  }
  await add({ domain: "a.example", allSources: true });
  const cases: [string, string[]][] = [
    ["&domain=a.example", ["a.example#*", "a.example#192.0.2.1", "a.example#2001:db8::/48"]],
    ["&domain=A.Example&sourceIp=192.0.2.1/32", ["a.example#192.0.2.1"]],
    ["&domain=absent.example", []],
    ["&sourceIp=2001:DB8::/48", ["2001:db8::/48", "a.example#2001:db8::/48", "b.example#2001:db8::/48"]],
    ["&sourceIp=0.0.0.0/0", ["a.example#*"]],
    ["&projectScope=true", ["192.0.2.1", "2001:db8::/48"]],
    ["&domain=*", ["192.0.2.1", "2001:db8::/48"]],
    ["&projectScope=true&sourceIp=192.0.2.1", ["192.0.2.1"]],
    ["&projectScope=true&domain=a.example", []],
    ["&projectScope=false&sourceIp=192.0.2.1", ["a.example#192.0.2.1", "b.example#192.0.2.1"]],
    ["&projectScope=false&domain=*", []],
  ];
  for (const [filter, expected] of cases) assert.deepEqual(await ids(filter), expected, filter);
  assert.deepEqual(refused(await call("GET", "&sourceIp=example.com")), [400, "invalid_query", "query.sourceIp"]);
});

test("a page has ten entries and names the start of the next one", async () => {
  const { user, add, remove, list } = await openBypassList(client);
  for (let at = 0; at < 25; at++) await add({ domain: "example.com", sourceIp: `192.0.2.${at}` });
  const seen: string[] = [];
  let page = await list();
  for (;;) {
    seen.push(...page.result.map(({ Ip }: Body) => Ip));
    if (!page.pagination) break;
    assert.equal(page.result.length, 10);
    assert.equal(page.pagination.OwnerId, user.id);
    const offset = encodeURIComponent(page.pagination.Id);
    // The last entry of a page may be removed before the next page is read.
    await remove({ domain: "example.com", sourceIp: seen.at(-1) });
    page = await list(`&offset=${offset}`);
  }
  assert.deepEqual(seen, seen.toSorted());
  assert.equal(new Set(seen).size, 25);
  assert.equal((await list("&limit=23")).pagination, undefined);
  assert.equal((await list("&limit=22")).result.length, 22);
});

test("a cursor of another project is invalid", async () => {
  const { call } = await openBypassList(client);
  assert.deepEqual(refused(await call("GET", "&offset=other%23192.0.2.1")), [400, "invalid_cursor", "query.offset"]);
});
