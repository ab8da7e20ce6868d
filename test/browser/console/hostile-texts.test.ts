// Hostile texts in every field that the console shows: on each of its pages nothing of them runs, loads, or breaks the layout.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { LOOPBACK, startReceiver } from "../../webhooks/receiver.ts";
import { findTooWide } from "../accessibility.ts";
import { PLACES, startConsole } from "./console-world.ts";
import { HOSTILE } from "./hostile-texts.ts";

const { addMember, createOwner, open, query, request, url } = await startConsole(LOOPBACK);
const receiver = await startReceiver();

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const ALL = HOSTILE.join(" ");

/** A team with each text in each field. What the API refuses is written to the store: whatever is in it must do no harm. */
async function seed() {
  const { owner, team } = await createOwner();
  const of = `?teamId=${team.id}`;
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await request(method, path, { token: owner.token, body });
    assert.ok(response.status < 300, `${path} ${response.text}`);
    return response.body;
  };
  const rename = (table: string, set: string, id: string) =>
    query(`update ${table} set ${set} where id = ${quote(id)}`);
  const webhook = await send("POST", `/v1/webhooks${of}`, { url: receiver.url, events: ["*"] });
  receiver.respond((response) => response.writeHead(500, { "x-hostile": "<script>" }).end(ALL));
  const { active } = await send("PUT", `/v1/firewalls${of}`, {
    firewallEnabled: true,
    ips: [{ ip: "192.0.2.1", hostname: "*", action: "deny", notes: HOSTILE[0] }],
    rules: HOSTILE.slice(0, 5).map((text) => ({
      name: text.slice(0, 60),
      description: text.slice(0, 60),
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: text }] }],
      action: { mitigate: { action: "deny" } },
    })),
  });
  let trustId = "";
  const rule = { ...active.rules[0], name: HOSTILE[1]?.slice(0, 60) };
  await send("PATCH", `/v1/firewalls/draft${of}`, { action: "rules.update", id: rule.id, value: rule });
  for (const [at, text] of HOSTILE.entries()) {
    const shown = quote(text);
    const member = await addMember(team, owner, "VIEWER");
    await rename("users", `name = ${shown}, username = ${quote(`${text}${at}`)}, email = ${shown}`, member.id);
    const secret = await send("POST", `/v2/secrets${of}`, {
      name: `S_${at}`,
      value: "x",
      description: "x",
      tags: ["x"],
    });
    const tags = quote(JSON.stringify([text]));
    await rename("secrets", `name = ${shown}, description = ${shown}, tags = ${tags}`, secret.uid);
    await query(`update secret_names set name = ${shown} where secret_id = ${quote(secret.uid)}`);
    const { id } = await send("POST", `/v1/webhooks${of}`, { url: "http://127.0.0.1:9/", events: ["project.*"] });
    await rename("webhooks", `url = ${shown}, description = ${shown}`, id);
    const key = await send("POST", `/v1/api-keys${of}`, { name: "x", role: "VIEWER" });
    await rename("api_keys", `name = ${shown}`, key.apiKey?.id ?? key.id);
    const { trust } = await send("POST", `/v1/identity/trusts${of}`, {
      name: "x",
      issuer: "https://issuer.example.com",
      audience: "x",
      claims: { sub: "x" },
      role: "VIEWER",
    });
    const claims = quote(JSON.stringify({ [text]: [text] }));
    await rename(
      "identity_trusts",
      `name = ${shown}, issuer = ${shown}, audience = ${shown}, claims = ${claims}`,
      trust.id,
    );
    trustId = trust.id;
    await send("POST", "/v3/user/tokens", { name: text.slice(0, 80) });
    const bypass = { projectScope: true, sourceIp: `192.0.2.${at + 1}`, note: text.slice(0, 100) };
    await send("POST", `/v1/security/firewall/bypass${of}`, bypass);
    await send("POST", `/v1/teams/${team.id}/members`, { email: `hostile${at}@example.com`, role: "MEMBER" });
  }
  const data = quote(JSON.stringify({ [ALL]: ALL, name: ALL }));
  await query(`update events set text = ${quote(ALL)}, payload = ${data}, previous = '{"name":1}', next = ${data},
    user_agent = ${quote(ALL)} where owner_id = ${quote(team.id)}`);
  await rename("users", `name = ${quote(HOSTILE[13] ?? "")}`, owner.id);
  await rename("teams", `name = ${quote(ALL)}, description = ${quote(ALL)}`, team.id);
  return { owner, team, webhook, rule, trustId };
}

const { owner, team, webhook, rule, trustId } = await seed();
// The pages of the instance are there for administrators alone.
await request("PATCH", `/v1/users/${owner.id}`, { body: { admin: true } });
const VALUES = {
  team: team.id,
  name: HOSTILE[0],
  webhook: webhook.id,
  rule: rule.id,
  trust: trustId,
  operation: "createTeam",
};

async function assertHarmless(page: Page, others: readonly string[], where: string): Promise<void> {
  assert.equal(await page.evaluate("window.ran"), undefined, `${where}: a text ran`);
  assert.deepEqual(others, [], `${where}: another host was asked`);
  const made =
    "#app :is(img, iframe, object, embed, script, base, meta, link, style, a[href^='javascript:' i], [onerror], [onfocus])";
  assert.deepEqual(await page.locator(made).allInnerTexts(), [], `${where}: a text became an element`);
  assert.deepEqual(await findTooWide(page), [], `${where}: wider than the window`);
}

test("hostile texts are only texts, on every page", async (t) => {
  const page = await open(t, owner, "");
  const others: string[] = [];
  page.on("request", (asked) => {
    if (!asked.url().startsWith(`${url}/`) && !asked.url().startsWith("blob:")) others.push(asked.url());
  });
  page.on("dialog", (dialog) => others.push(`dialog ${dialog.message()}`));
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of PLACES) {
    const filled = path.replace(/:(\w+)/g, (_match, name: string) =>
      encodeURIComponent(String(VALUES[name as keyof typeof VALUES])),
    );
    await page.goto(`${url}/console${filled}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await page.evaluate("document.querySelectorAll('main details').forEach((one) => (one.open = true))");
    await assertHarmless(page, others, path);
    if (/\/(?:members|secrets|webhooks|keys|trust-rules|events|access-tokens)$/.test(path)) {
      const text = await page.locator("main").innerText();
      const missing = HOSTILE.filter((one) => !text.includes(one.slice(0, 60)));
      // Lists have pages, and their first has most of the texts.
      assert.ok(missing.length < 5, `${path} does not show ${missing.join("\n")}`);
    }
  }
});

test("hostile texts are only texts in dialogs, in what a receiver responded, and in the palette", async (t) => {
  const page = await open(t, owner, `teams/${team.id}/webhooks/${webhook.id}`);
  const others: string[] = [];
  page.on("dialog", (dialog) => others.push(`dialog ${dialog.message()}`));
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole("button", { name: "Send test" }).click();
  await page.getByText("The receiver responded with 500").waitFor();
  await assertHarmless(page, others, "a test of a webhook");
  await page.getByRole("link", { name: "test-webhook" }).first().click();
  await page.getByRole("dialog").locator("pre").first().waitFor();
  await assertHarmless(page, others, "a delivery");
  await page.goto(`${url}/console/teams/${team.id}/members`);
  await page
    .getByRole("button", { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole("menuitem").first().click();
  await page.getByRole("dialog").waitFor();
  await assertHarmless(page, others, "the dialog that removes");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("o");
  await page.getByRole("dialog").getByRole("link").first().waitFor();
  await assertHarmless(page, others, "the palette");
  await page.keyboard.type("n");
  await page.getByRole("dialog").getByRole("region", { name: "Actions" }).waitFor();
  await assertHarmless(page, others, "what the palette finds");
});

test("a name that turns the direction of reading turns nothing beside it", async (t) => {
  const page = await open(t, owner, `teams/${team.id}/members?role=OWNER`);
  const row = page
    .getByRole("row")
    .filter({ hasText: "txet desrever" })
    .filter({ has: page.locator(".badge") });
  const [name, badge] = [await row.locator("strong").boundingBox(), await row.locator(".badge").first().boundingBox()];
  assert.ok(name && badge && badge.x >= name.x + name.width, JSON.stringify([name, badge]));
});
