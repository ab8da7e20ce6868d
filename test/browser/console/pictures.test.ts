// Pictures of the console's pages, held against those in docs/pictures/. REEVE_WRITE_PICTURES=1 makes them anew: look at each then.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { startConsole } from "./console-world.ts";

const FOLDER = join(import.meta.dirname, "../../../docs/pictures");
const VIEW = { width: 1_280, height: 800 };
/** The part of the pixels that may differ: how a browser smooths letters depends on its machine. */
const TOLERATED = 0.0001;

const { addMember, createTeam, createUser, open, request } = await startConsole();

/** A team as it may be after its first weeks. Whatever is random is not shown on these pages, or covered. */
async function seed() {
  const owner = await createUser("owner");
  const team = await createTeam(owner);
  const of = `?teamId=${team.id}`;
  const send = async (method: string, path: string, body: unknown) => {
    const response = await request(method, path, { token: owner.token, body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  await send("PATCH", `/v2/teams/${team.id}`, { name: "Shop", slug: "shop", description: "The shop and its workers" });
  for (const role of ["DEVELOPER", "SECURITY", "VIEWER"]) await addMember(team, owner, role, role.toLowerCase());
  await send("POST", `/v1/teams/${team.id}/members`, { email: "newcomer@example.com", role: "MEMBER" });
  const stranger = await createUser("stranger");
  await request("POST", `/v1/teams/${team.id}/request`, { token: stranger.token });
  const values = ["DATABASE_URL", "MAIL_PASSWORD", "SIGNING_KEY"].map((name) => ({ name, value: `value of ${name}` }));
  await send("PATCH", `/v1/secrets/values${of}`, { values, decryptable: true });
  await send("PATCH", `/v2/secrets/DATABASE_URL${of}`, { tags: ["production"], description: "Of the main database" });
  await send("PUT", `/v2/secrets/DATABASE_URL${of}`, { value: "another" });
  const url = "https://hooks.example.com/reeve";
  const webhook = await send("POST", `/v1/webhooks${of}`, { url, events: ["secret-*"], description: "Deployments" });
  await send("PATCH", `/v1/webhooks/${webhook.id}${of}`, { active: false });
  const deny = { mitigate: { action: "deny" } };
  const rules = [
    {
      name: "Keep /admin to the office",
      active: true,
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "pre", value: "/admin" },
            { type: "ip_address", op: "inc", neg: true, value: ["198.51.100.0/24"] },
          ],
        },
      ],
      action: deny,
    },
    {
      name: "Slow down sign-in",
      active: true,
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "eq", value: "/sign-in" },
            { type: "method", op: "eq", value: "POST" },
          ],
        },
      ],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "fixed_window", window: 60, limit: 10, keys: ["ip"], action: "challenge" },
        },
      },
    },
    {
      name: "Scanners",
      active: false,
      conditionGroup: [{ conditions: [{ type: "user_agent", op: "re", value: "sqlmap|nikto" }] }],
      action: deny,
    },
  ];
  await send("PUT", `/v1/firewalls${of}&projectId=shop`, { firewallEnabled: true, rules });
  /** Environments of the shop. What they add to other pages is not in the pictures of those. */
  const seedEnvironments = async () => {
    const path = "/v1/environments/shop";
    await send("POST", `${path}${of}`, { name: "staging", inheritsFrom: "preview" });
    const sessionKey = {
      secretValue: "a session key",
      isSensitive: true,
      comment: "Signs cookies: rotate each quarter",
    };
    await send("PATCH", `${path}${of}`, {
      environments: {
        production: {
          set: {
            DATABASE_URL: { secret: "DATABASE_URL" },
            LOG_LEVEL: { value: "info", comment: "debug fills the disk" },
            MAIL_PASSWORD: { secret: "MAIL_PASSWORD" },
            SESSION_KEY: sessionKey,
          },
        },
        preview: { set: { DATABASE_URL: { secretValue: "the database of previews" }, LOG_LEVEL: { value: "debug" } } },
        development: { set: { DATABASE_URL: { value: "postgres://localhost/shop" }, LOG_LEVEL: { value: "debug" } } },
        staging: { set: { LOG_LEVEL: { value: "info" } } },
      },
    });
    await request("GET", `${path}/production/values${of}`, { token: owner.token });
    await request("GET", `${path}/staging/values${of}&names=DATABASE_URL`, { token: owner.token });
  };
  const seedTrustRules = async () => {
    const audience = "https://reeve.example.com";
    const rule = { audience, role: "DEVELOPER" };
    await send("POST", `/v1/identity/trusts${of}`, {
      ...rule,
      name: "Nightly checks of the shop",
      issuer: "https://gitlab.com",
      claims: { sub: "project_path:acme/shop:ref_type:branch:ref:main", project_id: "42", ref_protected: "true" },
      permissions: ["event:read"],
      singleUse: true,
    });
    await send("POST", `/v1/identity/trusts${of}`, {
      ...rule,
      name: "Deployments of the shop",
      issuer: "https://token.actions.githubusercontent.com",
      claims: { sub: "repo:acme/shop:environment:production", repository_owner_id: "1234567" },
      permissions: ["environment:read", "secret:reveal"],
      projects: ["shop"],
      environments: ["production"],
    });
  };
  return { owner, webhook, seedEnvironments, seedTrustRules };
}

const { owner, webhook, seedEnvironments, seedTrustRules } = await seed();

interface Pictured {
  readonly path: string;
  readonly before?: () => Promise<void>;
  readonly act?: (page: Page) => Promise<void>;
  /** Nothing on it is random. */
  readonly isWhole?: true;
}

const PAGES: Readonly<Record<string, Pictured>> = {
  home: { path: "teams/shop" },
  members: { path: "teams/shop/members" },
  secrets: { path: "teams/shop/secrets" },
  secret: { path: "teams/shop/secrets/DATABASE_URL" },
  "secrets-as-text": {
    path: "teams/shop/secrets-as-text",
    async act(page) {
      await page.locator(".editor .cm-editor").waitFor();
      await page.getByLabel("Text").fill("DATABASE_URL=postgres://db.internal/shop\nQUEUE_URL=amqp://queue.internal\n");
      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByText("a new secret").waitFor();
      await page.evaluate("scrollTo(0, 0)");
    },
  },
  events: {
    path: "teams/shop/events?type=team-name-update",
    async act(page) {
      await page.locator("tbody tr:not(.group)").first().getByRole("rowheader").getByRole("link").click();
    },
  },
  firewall: { path: "teams/shop/firewall?project=shop" },
  webhooks: { path: "teams/shop/webhooks" },
  webhook: { path: `teams/shop/webhooks/${webhook.id}` },
  settings: { path: "teams/shop/settings" },
  palette: {
    path: "teams/shop",
    async act(page) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("data");
      await page.getByRole("dialog").getByRole("link", { name: "DATABASE_URL" }).first().waitFor();
      await page.waitForLoadState("networkidle");
    },
  },
  environments: { path: "teams/shop/environments?project=shop", before: seedEnvironments },
  "environment-key": { path: "teams/shop/environments/keys/DATABASE_URL?project=shop" },
  "environment-as-text": {
    path: "teams/shop/environments/production?project=shop",
    async act(page) {
      await page.locator(".editor .cm-editor").waitFor();
      const text = "DATABASE_URL=@secret:DATABASE_URL\nLOG_LEVEL=warn\nRETRIES=3\nSESSION_KEY=@secret:SIGNING_KEY\n";
      await page.getByLabel("Text").fill(text);
      await page.getByText("1 removed").waitFor();
      await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
    },
  },
  "trust-rules": { path: "teams/shop/trust-rules", before: seedTrustRules, isWhole: true },
};

/** Runs in the browser, which reads pictures anyway. The part of the pixels that differ visibly; 1: the sizes do. */
const COMPARE = `async (sources) => {
  const [a, b] = await Promise.all(sources.map(async (source) => {
    const image = new Image();
    image.src = "data:image/png;base64," + source;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 48)) differing++;
  }
  return differing / (a.data.length / 4);
}`;

async function compare(page: Page, one: Buffer, other: Buffer): Promise<number> {
  await page.goto("about:blank");
  const sources = JSON.stringify([one.toString("base64"), other.toString("base64")]);
  return await page.evaluate<number>(`(${COMPARE})(${sources})`);
}

for (const [name, { path, before, act, isWhole }] of Object.entries(PAGES)) {
  test(`the picture of ${name} is that of docs/pictures/`, async (t) => {
    await before?.();
    const page = await open(t, owner, path);
    await page.setViewportSize(VIEW);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await act?.(page);
    // Ids and hashes are random, and so is the code of a link.
    const mask = isWhole ? [] : [page.locator("dd code, footer code"), page.locator(".copyable input")];
    const picture = await page.screenshot({ animations: "disabled", caret: "hide", mask, maskColor: "#d5d9df" });
    const file = join(FOLDER, `${name}.png`);
    if (process.env["REEVE_WRITE_PICTURES"] !== undefined) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, picture);
    }
    assert.ok(existsSync(file), `${file} is missing: REEVE_WRITE_PICTURES=1 makes it`);
    const differing = await compare(page, picture, readFileSync(file));
    assert.ok(differing <= TOLERATED, `${(100 * differing).toFixed(2)} % of the pixels differ`);
  });
}
