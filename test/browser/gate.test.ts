// A gate in front of an application, and who comes: a browser, and a program.
import assert from "node:assert/strict";
import { test } from "node:test";
import { challengeUrl } from "../../src/gate/challenge/routes.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate/gate-world.ts";
import { openBrowser } from "./browser.ts";

const browser = await openBrowser();
const world = await startGateWorld();
const challenge = { name: "Login", active: true, action: { mitigate: { action: "challenge" } } };
const conditions = [{ type: "path", op: "pre", value: "/login" }];
const rules = [{ ...challenge, conditionGroup: [{ conditions }] }];
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
