// The client in a real browser: a page of the server itself loads the package's one file, and calls, lists and verifies.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openBrowser } from "./browser.ts";
import { startListeningApp } from "../clients/started-app.ts";

const browser = await openBrowser();
const { url, admin } = await startListeningApp();
const CLIENT = readFileSync(join(import.meta.dirname, "../../dist/client.js"), "utf8");

test("a page calls, reads a list to its end, learns what was wrong, and verifies a webhook", async (t) => {
  const page = await browser.openPage(t);
  await page.route(`${url}/client-page/*`, (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({ contentType: "text/javascript", body: CLIENT })
      : route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Client</title>" }),
  );
  await page.goto(`${url}/client-page/`);
  const key = Buffer.from("a key of this test, 32 bytes long");
  const body = '{"type":"team"}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  const received = { headers, body, secret: `whsec_${key.toString("base64")}` };
  const seen = await page.evaluate<unknown[]>(`(async () => {
    const { createClient, verifyWebhook } = await import("${url}/client-page/client.js");
    const client = createClient({ server: "${url}", token: "${admin.token}" });
    for (const slug of ["one", "two", "three"]) await client.call("createTeam", { body: { slug } });
    const slugs = [];
    for await (const team of client.items("listTeams", { query: { limit: 1 } })) slugs.push(team.slug);
    const refused = await client.call("getTeam", { params: { teamId: "none" } }).catch(({ name, status, code }) => [name, status, code]);
    const received = ${JSON.stringify(received)};
    const event = await verifyWebhook(received);
    const forged = await verifyWebhook({ ...received, body: received.body + " " }).catch(({ code }) => code);
    return [slugs, refused, event.type, forged];
  })()`);
  assert.deepEqual(seen, [["three", "two", "one"], ["ReeveError", 404, "not_found"], "team", "invalid_webhook"]);
});
