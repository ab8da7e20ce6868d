// The client in a real browser: a page of the server itself loads the package's one file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CLIENT, EXPECTED, clientProgram } from "../client/everywhere.ts";
import { startListeningApp } from "../clients/started-app.ts";
import { openBrowser } from "./browser.ts";

const browser = await openBrowser();
const { url, admin } = await startListeningApp();

test("a page calls, reads a list to its end, learns what was wrong, and verifies a webhook", async (t) => {
  const page = await browser.openPage(t);
  await page.route(`${url}/client-page/*`, (route) =>
    route.request().url().endsWith(".js")
      ? route.fulfill({ contentType: "text/javascript", body: CLIENT })
      : route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Client</title>" }),
  );
  await page.goto(`${url}/client-page/`);
  const seen = await page.evaluate<unknown[]>(`(async () => {
    const { createClient, verifyWebhook } = await import("${url}/client-page/client.js");
    ${clientProgram(url, admin.token)}
  })()`);
  assert.deepEqual(seen, EXPECTED);
});
