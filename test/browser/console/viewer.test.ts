// A VIEWER on every page of a team: no button is enabled that the API would refuse, and each that is not says why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { newDecision } from "../../resources/decisions.ts";
import { PLACES, startConsole } from "./console-world.ts";

const { addMember, clock, createOwner, open, request, url } = await startConsole();

/** What only reads, or concerns the VIEWER alone. A new button of a page that a VIEWER may use is named here. */
const MAY = new Set([
  "1 h",
  "24 h",
  "7 d",
  "Add condition",
  "Add group",
  "All",
  "Changed",
  "Clear",
  "Compare all 8 roles",
  "Compare",
  "Copy as curl",
  "Copy hash",
  "Copy id",
  "Copy URL",
  "Copy",
  "Decide",
  "Download",
  "Edit as .env",
  "Edit as YAML",
  "Ends",
  "Export as CSV",
  "Failed",
  "Filter",
  "Find",
  "Follow",
  "In words",
  "Joined",
  "JSON",
  "Leave team",
  "Leave",
  "Menu",
  "Name",
  "Open a file",
  "Open",
  "Person",
  "Read again",
  "Refresh",
  "Review changes",
  "Role",
  "Run",
  "Save as a file",
  "Save",
  "Search",
  "Show more",
  "Verify the chain",
]);

/** What narrows a list, with its count. */
const NARROWING = /^(?:All|Missing|Secrets|Waiting|Delivered|Failed|Skipped) [\d,]+\+?$/;
const MENU = /^(Actions for|More actions)/;
/** In those menus. */
const MAY_CHOOSE = new Set([
  "Compare",
  "Copy id",
  "Copy name",
  "Deleted secrets",
  "Edit",
  "Edit as JSON",
  "Environments",
  "Leave",
  "Review changes",
  "Rules",
  "Save as a file",
  "Show changes",
  "Test a request",
  "Traffic",
]);

/** What there is on a page to act with: whether it can be used, its name, and why it cannot. */
const controlsOf = (kinds: string) => `[...document.querySelectorAll("main :is(${kinds})")].map((one) => ({
  name: (
    one.getAttribute("aria-label") ??
    document.getElementById(one.getAttribute("aria-labelledby"))?.textContent ??
    one.textContent
  ).trim(),
  tag: one.getAttribute("role") === "combobox" ? "SELECT" : one.tagName,
  isOff: one.disabled || (one.getAttribute("aria-disabled") === "true" && one.getAttribute("aria-busy") !== "true"),
  why: one.ariaDescription || (one.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(""),
}))`;

interface Control {
  readonly name: string;
  readonly tag: string;
  readonly isOff: boolean;
  readonly why: string;
}

test("a VIEWER can use nothing that would be refused, and reads why", async (t) => {
  const { owner, team } = await createOwner();
  const viewer = await addMember(team, owner, "VIEWER");
  const as = { token: owner.token };
  const of = `?teamId=${team.id}`;
  await request("POST", `/v2/secrets${of}`, { ...as, body: { name: "API_KEY", value: "x", decryptable: true } });
  await request("PUT", `/v2/secrets/API_KEY${of}`, { ...as, body: { value: "y" } });
  await request("POST", `/v1/api-keys${of}`, { ...as, body: { name: "key", role: "VIEWER" } });
  await request("POST", `/v1/teams/${team.id}/members`, {
    ...as,
    body: { email: "invited@example.com", role: "MEMBER" },
  });
  const rule = {
    name: "Panel",
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin/" }] }],
    action: { mitigate: { action: "deny" } },
  };
  const config = { firewallEnabled: true, rules: [rule], ips: [{ ip: "192.0.2.1", hostname: "*", action: "deny" }] };
  const { active } = (await request("PUT", `/v1/firewalls${of}`, { ...as, body: config })).body;
  const change = { action: "ja4Enabled", value: true };
  await request("PATCH", `/v1/firewalls/draft${of}`, { ...as, body: change });
  const bypass = { projectScope: true, sourceIp: "192.0.2.1" };
  await request("POST", `/v1/security/firewall/bypass${of}`, { ...as, body: bypass });
  const body = { url: "http://127.0.0.1:9/", events: ["*"] };
  const { body: webhook } = await request("POST", `/v1/webhooks${of}`, { ...as, body });
  const decision = newDecision(clock.now);
  await request("POST", `/v1/gate/decisions${of}`, { ...as, body: { decisions: [decision] } });
  const values: Readonly<Record<string, string>> = {
    decision: decision.id,
    team: team.slug,
    name: "API_KEY",
    environment: "production",
    key: "API_KEY",
    webhook: webhook.id,
    rule: active.rules[0].id,
  };
  const page = await open(t, viewer, "");
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  const wrong: string[] = [];
  for (const path of PLACES.filter((one) => one.startsWith("/teams/"))) {
    await page.goto(`${url}/console${path.replace(/:(\w+)/g, (_match, name: string) => values[name] ?? "")}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    for (const { name, tag, isOff, why } of await page.evaluate<Control[]>(
      controlsOf("button, select, input[type=checkbox]"),
    )) {
      if (isOff && why === "") wrong.push(`${path}: ${name} does not say why it is off`);
      if (!isOff && tag === "BUTTON" && !MAY.has(name) && !MENU.test(name) && !NARROWING.test(name))
        wrong.push(`${path}: ${name} can be pressed`);
    }
    for (const menu of await page.getByRole("button", { name: MENU }).all()) {
      await menu.click();
      await page.getByRole("menuitem").first().waitFor();
      for (const { name, isOff, why } of await page.evaluate<Control[]>(controlsOf("[role=menuitem]"))) {
        if (isOff && why === "") wrong.push(`${path}: ${name} does not say why it cannot be chosen`);
        if (!isOff && !MAY_CHOOSE.has(name)) wrong.push(`${path}: ${name} can be chosen`);
      }
      await page.keyboard.press("Escape");
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(refused, [], "what pages read by themselves is not refused");
});
