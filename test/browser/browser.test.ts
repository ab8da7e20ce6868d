// What the other files rely on: that a page with a fault is found, that no page reaches beyond loopback, and that passkeys work.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { startWebApp } from "./browser-world.ts";
import { addPasskeyDevice } from "./passkeys.ts";

const browser = await openBrowser();
const { url } = await startWebApp();

async function show(page: Page, content: string): Promise<void> {
  await page.setContent(
    `<!doctype html><html lang="en"><head><title>A page</title><meta name="color-scheme" content="light dark"></head>
     <body><main><h1>A page</h1>${content}</main></body></html>`,
  );
}

test("a page passes only if it is readable in light on a desk and in dark on a telephone", async (t) => {
  const page = await browser.openPage(t);
  await show(page, "<p>In order</p>");
  await assertAccessible(page);
  for (const [content, complaint] of [
    [`<img src="data:,">`, /page, dark, 360 px: what axe found[^]*image-alt/],
    [`<p style="color:light-dark(#ccc,#fff)">dim</p>`, /page, light, 1280 px: what axe found[^]*color-contrast/],
    [`<p style="color:light-dark(#000,#333)">dim</p>`, /page, dark, 360 px: what axe found[^]*color-contrast/],
    [`<div style="width:500px">wide</div>`, /page, dark, 360 px: wider than the window[^]*width:500px/],
  ] as const) {
    await show(page, content);
    await assert.rejects(assertAccessible(page, { name: "page" }), complaint);
  }
});

test("contexts share nothing, and reach loopback alone", async (t) => {
  const [first, second] = [await browser.openPage(t), await browser.openPage(t)];
  await first.goto(`${url}/docs`);
  await first.context().addCookies([{ name: "name", value: "value", url }]);
  assert.deepEqual(await second.context().cookies(url), []);
  for (const outside of ["http://example.com/", "http://192.0.2.1/"]) {
    await assert.rejects(second.goto(outside), /ERR_PROXY_CONNECTION_FAILED/);
  }
});

test("a page in which a device is added makes a passkey and signs with it", async (t) => {
  const page = await browser.openPage(t);
  await page.goto(`${url}/docs`);
  await addPasskeyDevice(page);
  const [made, used] = await page.evaluate<[string, string]>(`(async () => {
    const user = { id: new Uint8Array(16), name: "ada", displayName: "Ada" };
    const made = await navigator.credentials.create({ publicKey: {
      challenge: new Uint8Array(32), rp: { name: "Reeve" }, user, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    } });
    const used = await navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32), userVerification: "required" } });
    return [made.id, used.id];
  })()`);
  assert.match(made, /^[\w-]+$/);
  assert.equal(used, made);
});
