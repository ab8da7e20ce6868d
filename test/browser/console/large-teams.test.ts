// The console of a team with 100,000 members, secrets and events: the first rows are on screen in 300 ms, and a page reads and shows
// a bounded part.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { TestTeam, TestUser } from "../../harness/test-app.ts";
import { startConsole } from "./console-world.ts";

const ROWS = 100_000;
const LIMIT_MS = 300;
/** Other work on the machine slows single navigations, so that the fastest counts. */
const MOST_NAVIGATIONS = 40;
/** Six of them are lists by which the navigation counts, after the page. */
const MOST_CALLS = 16;
const MOST_BYTES = 200_000;
const MOST_ELEMENTS = 2_500;

const { createTeam, createUser, openBlank, url, withStore } = await startConsole();

/** A team with so many of each. Inserts rows as the handlers would, except for what no list reads: values of secrets and hashes of events. */
async function plant(owner: TestUser, rows: number): Promise<TestTeam> {
  const team = await createTeam(owner);
  const numbers = `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${rows})`;
  const name = `'${team.slug}-' || i`;
  // After those of what was created by calls, as ordinals are.
  const position = "3000000000000000 + i * 1000";
  const accountPosition = `3000000000000000 + (${rows} + i) * 1000`;
  await withStore(({ transaction }) =>
    transaction(async (tx) => {
      const insert = (into: string, values: string) =>
        tx.exec(`insert into ${into} ${numbers} select ${values} from numbers`);
      await insert("owners (id, kind)", `'${team.slug}_' || i, 'user'`);
      await insert(
        "users (id, email, email_key, username, username_key, name, position, created_at, updated_at)",
        `'${team.slug}_' || i, ${name} || '@example.com', ${name} || '@example.com', ${name}, ${name}, 'Person ' || i, ${accountPosition}, 0, 0`,
      );
      await insert(
        `memberships (team_id, user_id, state, role, joined_from, team_permissions, projects, created_at, updated_at, position, user_position)`,
        `'${team.id}', '${team.slug}_' || i, 'member', 'VIEWER', '{"origin":"teams"}', '[]', '[]', 0, 0, ${position}, 1`,
      );
      await insert(
        "search_entries (scope, ordinal, user_id, position, is_account, content)",
        `'${team.id}', 1000 + i, '${team.slug}_' || i, ${position}, 1, '\n\n\nperson\n\n' || i || '\n\n\n${team.slug}-' || i || '@example.com'`,
      );
      await insert(
        `secrets (id, owner_id, team_id, name, name_key, tags, decryptable, max_versions, version, created_at, updated_at, position)`,
        `'sec_${team.slug}_' || i, '${team.id}', '${team.id}', 'SECRET_' || i, 'SECRET_' || i, '["planted"]', 1, 10, 1, 0, 0, ${position}`,
      );
      await insert(
        `events (owner_id, sequence, id, type, created_at, actor_kind, principal_id, user_id, actor, via, ip, request_id, entity_id, text, entities, payload, hash)`,
        `'${team.id}', (select sequence from owners where id = '${team.id}') + i, 'evt_${team.slug}_' || i, 'team-name-update', 2000000000000 + i, 'user', '${owner.id}', '${owner.id}',
          '{"account":{"username":"owner","email":"owner@example.com","name":null,"avatar":null}}', 'http', '127.0.0.1', 'req_' || i,
          '${team.id}', 'owner changed the name, for the ' || i || 'th time', '[]', '{"name":"x"}', 'planted'`,
      );
      await tx.exec(`update owners set sequence = sequence + ${rows} where id = '${team.id}'`);
    }),
  );
  return team;
}

const owner = await createUser();
const large = await plant(owner, ROWS);
/** What a page takes on this machine, whatever else runs on it. */
const small = await plant(owner, 50);

/** Both teams are seen by one account. */
const openPage = (t: TestContext) => openBlank(t, owner);

/** Notes when the first row of a list is painted, in ms after the navigation began. */
const WATCH = `window.firstRowsAt = new Promise((resolve) => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector("tbody tr:not(.bones, .group)")) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
  });
  watch.observe(document, { childList: true, subtree: true });
})`;

async function navigate(page: Page, slug: string, path: string): Promise<number> {
  await page.goto(`${url}/console/teams/${slug}/${path}`);
  return Math.round(await page.evaluate<number>("window.firstRowsAt"));
}

/** The page is loaded anew each time; its files are in the browser's cache after the first. */
async function assertFast(t: TestContext, page: Page, path: string): Promise<void> {
  const [times, others]: [number[], number[]] = [[], []];
  const isFast = () => Math.min(...times) <= Math.max(LIMIT_MS, Math.min(...others) * 1.3);
  while (times.length < 3 || (!isFast() && times.length < MOST_NAVIGATIONS)) {
    times.push(await navigate(page, large.slug, path));
    others.push(await navigate(page, small.slug, path));
  }
  const told = `first rows after ${Math.min(...times)} ms (${times.join(", ")}); of a small team after ${Math.min(...others)} ms`;
  t.diagnostic(told);
  assert.ok(isFast(), told);
}

for (const { path, rows } of [
  { path: "members", rows: 50 },
  { path: "members?search=person", rows: 50 },
  { path: "members?role=OWNER", rows: 1 },
  { path: "secrets", rows: 50 },
  { path: "events", rows: 50 },
  { path: "events?type=team", rows: 1 },
]) {
  test(`with 100,000 rows, ${path} shows the first in 300 ms, and no more than a page of them`, async (t) => {
    const page = await openPage(t);
    await page.addInitScript(WATCH);
    const calls: { readonly address: string; readonly bytes: number }[] = [];
    page.on("response", async (response) => {
      const address = response.url().slice(url.length);
      if (/^\/v\d/.test(address))
        calls.push({ address, bytes: (await response.body().catch(() => Buffer.alloc(0))).length });
    });
    await navigate(page, large.slug, path);
    await page.waitForLoadState("networkidle");
    assert.ok(calls.length <= MOST_CALLS, `calls: ${calls.map(({ address }) => address).join(" ")}`);
    const bytes = calls.reduce((sum, call) => sum + call.bytes, 0);
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    assert.equal(await page.locator("tbody tr:not(.group)").count(), rows);
    const elements = await page.locator("*").count();
    assert.ok(elements <= MOST_ELEMENTS, `${elements} elements`);
    t.diagnostic(`${calls.length} calls, ${bytes} bytes, ${elements} elements`);
    await assertFast(t, page, path);
  });
}

test("with 100,000 rows, the home of the team and the next page of its members are read as quickly", async (t) => {
  const page = await openPage(t);
  await page.goto(`${url}/console/teams/${large.slug}`);
  await page.getByText("for the 100000th time").waitFor();
  await page.goto(`${url}/console/teams/${large.slug}/members`);
  await page.getByText("Person 99990", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText("Person 99930", { exact: true }).waitFor();
  assert.equal(await page.locator("tbody tr").count(), 100);
});
