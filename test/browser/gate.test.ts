// A gate in front of an application, and who comes: a browser, and a program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { challengeUrl } from "../../src/gate/challenge/routes.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate/gate-world.ts";
import type { Language } from "../../src/gate/challenge/page-texts.ts";
import { TEXTS } from "../../src/gate/challenge/texts.ts";
import { REFUSAL_TEXTS } from "../../src/gate/refusal-texts.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";

const browser = await openBrowser();
const world = await startGateWorld();
const challenge = { name: "Login", active: true, action: { mitigate: { action: "challenge" } } };
const conditions = [{ type: "path", op: "pre", value: "/login" }];
const deny = { name: "Admin", active: true, action: { mitigate: { action: "deny" } } };
const rules = [
  { ...challenge, conditionGroup: [{ conditions }] },
  { ...deny, conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }] },
];
const project = await world.newProject({ firewallEnabled: true, rules });
const hosts = [{ host: "*", team: world.team.slug, project }];
const gate = await world.startGate({ hosts, upstream: (await listenOn(echo)).url });

test("a browser solves the challenge and reaches the application", async (t) => {
  const page = await browser.openPage(t);
  const response = await page.goto(`${gate.url}/login?next=1`);
  assert.equal(response?.status(), 403);
  await page.getByText('"url":"/login?next=1"').waitFor();
  assert.match(await page.content(), /"x-reeve-decision":"allow; version=1; id=/);
});

test("a program is refused, and told where a browser would go", async () => {
  const { status, headers, text } = await sendTo(gate.url, "/login?next=1", {
    headers: { "user-agent": "curl/8.5.0" },
  });
  assert.deepEqual([status, headers["content-type"]], [403, "application/problem+json; charset=utf-8"]);
  const [, id = ""] = /; id=(\w+)$/.exec(String(headers["x-reeve-decision"])) ?? [];
  assert.equal(JSON.parse(text).challenge, challengeUrl("/login?next=1", { id }));
});

for (const [language, texts] of Object.entries(TEXTS)) {
  test(`the page of a denied request is accessible in ${language}, and loads nothing else`, async (t) => {
    const page = await browser.openPage(t, { locale: language });
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    const violations: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && violations.push(message.text())));
    const url = `${gate.url}/admin`;
    const response = await page.goto(url);
    assert.equal(response?.status(), 403);
    await page.getByRole("heading", { name: REFUSAL_TEXTS[language as Language].deniedTitle, level: 1 }).waitFor();
    const id = /; id=(\w+)$/.exec(response.headers()["x-reeve-decision"] ?? "")?.[1];
    assert.equal(await page.getByRole("group", { name: texts.reference }).textContent(), id);
    await page.getByText(new URL(gate.url).host).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    assert.equal(ground, "rgb(12, 14, 17)", "--bg-app in dark");
    await assertAccessible(page, { name: `refused-${language}` });
    assert.deepEqual(requested, [url]);
    assert.deepEqual(
      violations.filter((text) => /Content Security Policy/.test(text)),
      [],
    );
  });
}
