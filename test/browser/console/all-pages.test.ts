// Every page of the console with rows: axe finds nothing, nothing that is shown is taken for markup, and no other host is asked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RULE, newDecision } from "../../resources/decisions.ts";
import { assertAccessible } from "../accessibility.ts";
import { PLACES, startConsole } from "./console-world.ts";

/** Runs where text is taken for markup. */
const HOSTILE = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>`;

const { addMember, clock, createOwner, openBlank, request, url } = await startConsole();

/** A team with something of everything, named to do harm where that is possible. */
async function seed() {
  const { owner, team } = await createOwner();
  const as = { token: owner.token };
  const of = `?teamId=${team.id}`;
  const send = async (method: string, path: string, body: unknown) => {
    const response = await request(method, path, { ...as, body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  await send("PATCH", `/v2/teams/${team.id}`, { name: HOSTILE.slice(0, 60) });
  await send("PATCH", "/v2/user", { name: HOSTILE.slice(0, 60) });
  await addMember(team, owner, "VIEWER");
  // The pages of the instance are there for administrators alone.
  await request("PATCH", `/v1/users/${owner.id}`, { body: { admin: true } });
  await send("POST", `/v1/teams/${team.id}/members`, { email: "invited@example.com", role: "MEMBER" });
  await send("POST", `/v2/secrets${of}`, {
    name: "API_KEY",
    value: "x",
    decryptable: true,
    description: HOSTILE,
    tags: ["<b>tag</b>"],
  });
  await send("PATCH", `/v1/environments/default${of}`, {
    environments: {
      production: { set: { API_KEY: { secret: "API_KEY" }, TEXT: { value: HOSTILE, comment: HOSTILE } } },
    },
  });
  const webhook = await send("POST", `/v1/webhooks${of}`, {
    // As long as those of real receivers, so that nothing has to be scrolled sideways.
    url: `http://127.0.0.1:8001/<script>${"a".repeat(80)}`,
    events: ["*"],
    description: HOSTILE,
  });
  await send("POST", `/v1/api-keys${of}`, { name: HOSTILE, role: "VIEWER" });
  await send("POST", `/v3/user/tokens${of}`, { name: HOSTILE, permissions: ["firewall:read"], projects: ["shop"] });
  const { trust } = await send("POST", `/v1/identity/trusts${of}`, {
    name: HOSTILE,
    issuer: "https://issuer.example.com",
    audience: HOSTILE,
    claims: { sub: [HOSTILE, 1], [HOSTILE.replaceAll(".", "")]: true },
    role: "VIEWER",
  });
  const { active } = await send("PUT", `/v1/firewalls${of}`, {
    firewallEnabled: true,
    rules: [
      {
        name: HOSTILE,
        description: HOSTILE,
        active: true,
        conditionGroup: [{ conditions: [{ type: "header", op: "eq", key: HOSTILE, value: HOSTILE }] }],
        action: { mitigate: { action: "deny" } },
      },
    ],
    ips: [{ ip: "192.0.2.1", hostname: "*", action: "deny", notes: HOSTILE }],
  });
  await send("PATCH", `/v1/firewalls/draft${of}`, { action: "ja4Enabled", value: true, note: HOSTILE });
  await send("POST", `/v1/security/firewall/bypass${of}`, { projectScope: true, sourceIp: "192.0.2.1", note: HOSTILE });
  await send("POST", `/v1/attack-challenge-mode${of}`, { attackModeEnabled: true });
  const decision = newDecision(clock.now, {
    by: { ...RULE, name: HOSTILE },
    userAgent: HOSTILE,
    target: `/${HOSTILE}`,
  });
  await send("POST", `/v1/gate/decisions${of}`, { decisions: [decision] });
  return {
    owner,
    team,
    values: {
      team: team.slug,
      name: "API_KEY",
      project: "default",
      environment: "production",
      key: "API_KEY",
      webhook: webhook.id,
      trust: trust.id,
      rule: active.rules[0].id,
      decision: decision.id,
      operation: "createWebhook",
    },
  };
}

const { owner, values } = await seed();

// One page goes from address to address: a new one would read and compile the console, and axe, again each time.
test("every page is accessible with rows, runs nothing of them, and asks no other host", async (t) => {
  const page = await openBlank(t, owner);
  await page.clock.setFixedTime(clock.now);
  const others: string[] = [];
  page.on("request", (asked) => {
    if (!asked.url().startsWith(`${url}/`)) others.push(asked.url());
  });
  for (const path of PLACES) {
    await t.test(`console${path}`, async () => {
      const address = path.replace(/:(\w+)/g, (_match, name: string) => String(values[name as keyof typeof values]));
      await page.goto(`${url}/console${address}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      assert.equal(await page.locator("[role=alert]").count(), 0, "nothing is refused");
      await assertAccessible(page, { name: `console${path.replace(/\W+/g, "-")}` });
      assert.equal(await page.evaluate("window.ran"), undefined);
      assert.deepEqual(others.splice(0), []);
    });
  }
});
