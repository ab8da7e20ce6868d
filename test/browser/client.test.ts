// The client in a real browser: a page of the server itself, or of an origin that the operator names, loads the package's one file.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { CLIENT, EXPECTED, clientProgram } from "../client/everywhere.ts";
import { startListeningApp } from "../clients/started-app.ts";
import { freePort } from "../harness/free-port.ts";
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

const port = await freePort();
const pages = createServer(({ url: path = "" }, response) => {
  const isScript = path.endsWith(".js");
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
  response.end(isScript ? CLIENT : "<!doctype html><title>Another origin</title>");
}).listen(port, "127.0.0.1");
after(() => void pages.close());

test("a page of a named origin does the same with a token; one of another origin and a session of its visitor get nothing", async (t) => {
  const named = `http://127.0.0.1:${port}`;
  const api = await startListeningApp({ corsOrigins: `https://app.example.com,${named}` });
  const page = await browser.openPage(t);
  await page.goto(`${named}/`);
  const seen = await page.evaluate<unknown[]>(`(async () => {
    const { createClient, verifyWebhook } = await import("${named}/client.js");
    ${clientProgram(api.url, api.admin.token)}
  })()`);
  assert.deepEqual(seen, EXPECTED);
  const shown = await page.evaluate(
    async ([to, token]) => {
      const headers = { authorization: `Bearer ${token}` };
      const read = async (path: string, init: RequestInit) =>
        await fetch(to + path, init).then(
          (response) => [
            response.status,
            response.headers.get("x-request-id")?.slice(0, 4),
            response.headers.has("etag"),
          ],
          (error: Error) => error.name,
        );
      return [
        await read("/v2/teams/one", { headers }),
        await read("/v2/teams/one", { headers: { ...headers, "if-none-match": '"none"', "x-of-a-client": "1" } }),
        await read("/v2/teams/none", { headers }),
        await read("/v2/user", {}),
        // The browser asks first, and learns that the path does not know the method.
        await read("/v2/user", { method: "DELETE", headers }),
        await read("/v2/user", { credentials: "include", headers }),
      ];
    },
    [api.url, api.admin.token] as const,
  );
  const found = [200, "req_", true];
  assert.deepEqual(shown, [found, found, [404, "req_", false], [401, "req_", false], "TypeError", "TypeError"]);
  await page.goto(`http://localhost:${port}/`);
  const elsewhere = await page.evaluate(
    async ([to, token]) =>
      await fetch(`${to}/v2/user`, { headers: { authorization: `Bearer ${token}` } }).catch(({ name }: Error) => name),
    [api.url, api.admin.token] as const,
  );
  assert.equal(elsewhere, "TypeError");
});
