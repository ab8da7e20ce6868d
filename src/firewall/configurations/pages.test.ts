// Versions are listed newest first, in pages of complete versions that end before they become too large.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFirewall, outcome } from "../../../test/resources/firewalls.ts";
import type { Firewall } from "../../../test/resources/firewalls.ts";
import { START_TIME, startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startOwnApp();
const { clock, createUser } = client;

const COUNT = 7;

/** A firewall with seven versions, a second apart except for the last two. */
async function withVersions() {
  const firewall = openFirewall(client, (await createUser()).token);
  clock.now = START_TIME;
  for (let version = 1; version <= COUNT; version++) {
    await firewall.set({ rulesets: { version } });
    if (version < COUNT - 1) clock.advance(1_000);
  }
  return firewall;
}

const numbers = ({ versions }: Body) => versions.map(({ version }: Body) => version);

/** All pages from a query on, by following a link. */
async function follow(firewall: Firewall, query: string, link: "next" | "prev"): Promise<number[][]> {
  const pages: number[][] = [];
  for (let cursor: string | null = query; cursor !== null;) {
    const { versions, pagination } = await firewall.list(cursor);
    assert.equal(pagination.count, versions.length);
    if (versions.length > 0) pages.push(numbers({ versions }));
    const to: number | null = pagination[link];
    const size = /limit=\d+/.exec(query)?.[0] ?? "";
    cursor = to === null || versions.length === 0 ? null : `${size}&${link === "next" ? "until" : "since"}=${to}`;
  }
  return pages;
}

test("versions are listed newest first, each once, forwards and backwards", async () => {
  const firewall = await withVersions();
  assert.deepEqual(await follow(firewall, "limit=3", "next"), [[7, 6, 5], [4, 3, 2], [1]]);
  assert.deepEqual(await follow(firewall, "limit=7", "next"), [[7, 6, 5, 4, 3, 2, 1]]);
  assert.deepEqual(await follow(firewall, "limit=3&since=0", "prev"), [[3, 2, 1], [6, 5, 4], [7]]);
  assert.deepEqual(numbers(await firewall.list()), [7, 6, 5, 4, 3, 2, 1]);
  const { headers } = await firewall.call("GET", "", { query: "limit=3" });
  assert.match(headers["link"] ?? "", /until=\d+>; rel="next", <[^>]*since=\d+>; rel="prev"/);
});

test("times bound a page, and every page has the active configuration", async () => {
  const firewall = await withVersions();
  const at = (version: number) => START_TIME + (version - 1) * 1_000;
  assert.deepEqual(numbers(await firewall.list(`until=${at(4)}`)), [3, 2, 1]);
  assert.deepEqual(numbers(await firewall.list(`since=${at(4)}`)), [7, 6, 5]);
  assert.deepEqual(numbers(await firewall.list(`since=${at(2)}&until=${at(5)}`)), [4, 3]);
  const empty = await firewall.list(`until=${at(1)}`);
  assert.deepEqual([empty.versions, empty.active.version, empty.pagination.next], [[], 7, null]);
  for (const query of ["limit=0", "limit=101", "until=x", "page=2"]) {
    assert.equal(outcome(await firewall.call("GET", "", { query })), "invalid_query", query);
  }
  assert.equal(outcome(await firewall.call("GET", "", { query: "since=5&until=4" })), "invalid_cursor");
});

test("a page ends before it exceeds 4 MB, and the next one continues after it", async () => {
  const firewall = openFirewall(client, (await createUser()).token);
  for (let version = 1; version <= 6; version++) {
    // The fourth version is small.
    await firewall.set({ rulesets: { version, pad: "p".repeat(version === 4 ? 0 : 990_000) } });
    clock.advance(1_000);
  }
  const { text, body } = await firewall.call("GET", "", { query: "limit=100" });
  assert.deepEqual(numbers(body), [6, 5, 4, 3, 2]);
  assert.ok(Buffer.byteLength(text) < 5_200_000, "with the active one");
  assert.deepEqual(await follow(firewall, "limit=100", "next"), [[6, 5, 4, 3, 2], [1]]);
  assert.deepEqual(await follow(firewall, "limit=4", "next"), [
    [6, 5, 4, 3],
    [2, 1],
  ]);
  assert.deepEqual(await follow(firewall, "limit=100&since=0", "prev"), [[5, 4, 3, 2, 1], [6]]);
});
