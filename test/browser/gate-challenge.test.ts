// The challenge of the gate in a real browser: with script and without, with and without cookies, with a form on the way.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { BASE_PATH, challengeUrl } from "../../src/gate/challenge/routes.ts";
import { TEXTS } from "../../src/gate/challenge/texts.ts";
import { startChallengedSite } from "../gate/challenged-site.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";

const browser = await openBrowser();
const { en } = TEXTS;

const seesApplication = async (page: Page) => await page.getByRole("heading", { name: "The application" }).waitFor();

/** Keeps the page as it is before its script runs, or while its worker does. */
async function stopAtScript(page: Page): Promise<void> {
  await page.route(`**${BASE_PATH}/check-*.js`, (route) => route.abort());
}

test("a browser solves the challenge in place of the page, and gets the page", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  const response = await page.goto(`${site.url}/shop?item=1#reviews`);
  assert.equal(response?.status(), 403);
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/shop?item=1#reviews`);
  assert.deepEqual(site.arrivals, [{ method: "GET", target: "/shop?item=1", body: "" }]);
  const [cookie] = await page.context().cookies();
  assert.equal(cookie?.name, "reeve-pass");
  assert.ok(cookie.httpOnly);
  assert.equal(cookie.sameSite, "Lax");
  // The pass is good for the next page.
  await page.goto(`${site.url}/other`);
  assert.equal(site.targets.filter((target) => target === `${BASE_PATH}/solve`).length, 1);
});

test("a browser that opens the page of the challenge goes on to where a program was refused", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  await page.goto(`${site.url}${challengeUrl("/shop?item=1&two=%2F", { id: "dec_7Yq2LwZ0" })}`);
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/shop?item=1&two=%2F`);
});

test("the hardest challenge is solved by a slow device, on the main thread and in a worker", async (t) => {
  const site = await startChallengedSite({ load: 1 });
  for (const hasWorker of [false, true]) {
    const page = await browser.openPage(t);
    if (!hasWorker) await page.addInitScript("delete globalThis.Worker");
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await page.goto(`${site.url}/shop`);
    await seesApplication(page);
  }
});

test("a worker that the browser blocks, or that fails, is done without", async (t) => {
  const site = await startChallengedSite();
  for (const worker of [
    "class { constructor() { throw new Error('blocked'); } }",
    "class { constructor() { setTimeout(() => this.onerror(), 0); } postMessage() {} terminate() {} }",
    "class { postMessage() {} terminate() {} }",
  ]) {
    const page = await browser.openPage(t);
    await page.addInitScript(`globalThis.Worker = ${worker}`);
    await page.goto(`${site.url}/shop`);
    await seesApplication(page);
  }
});

test("a browser without script gets through by waiting", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t, { javaScriptEnabled: false });
  await page.goto(`${site.url}/shop?item=1`);
  assert.equal(await page.locator("noscript p").textContent(), en.withoutScript);
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/shop?item=1`);
  assert.ok(!site.targets.includes(`${BASE_PATH}/solve`));
});

test("a browser whose script is not loaded has a link, and is told when it comes too early", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  await stopAtScript(page);
  await page.goto(`${site.url}/shop`);
  const href = await page.getByText(en.skip).getAttribute("href");
  await page.goto(`${site.url}${href}`);
  await page.getByText(en.early).waitFor();
  await page.unroute(`**${BASE_PATH}/check-*.js`);
  // The same challenge is still good.
  await page.reload();
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/shop`);
});

test("a browser that keeps no cookies is told so, and asks no more", async (t) => {
  const site = await startChallengedSite({ losesCookies: true });
  const page = await browser.openPage(t);
  await page.goto(`${site.url}/shop`);
  await page.getByRole("alert").getByText(en.cookies).waitFor();
  assert.equal(await page.evaluate("document.activeElement.textContent"), en.tryAgain);
  assert.deepEqual(site.targets.slice(-2), [`${BASE_PATH}/solve`, `${BASE_PATH}/pass`]);
  await assertAccessible(page, { name: "challenge-no-cookies" });
});

test("a browser without script that keeps no cookies is told so, and asks no more", async (t) => {
  const site = await startChallengedSite({ losesCookies: true });
  const page = await browser.openPage(t, { javaScriptEnabled: false, locale: "de-DE" });
  await page.goto(`${site.url}/shop`);
  await page.getByRole("heading", { name: TEXTS.de.cookiesTitle }).waitFor();
  assert.equal(await page.locator("meta[http-equiv]").count(), 0);
  assert.match(site.targets.at(-1) ?? "", /\/continue\?return=%2Fshop$/);
});

test("a form that is sent without a pass arrives after the challenge as it was", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  await page.goto(`${site.url}/form`);
  await page.getByRole("button", { name: "Order" }).click();
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/orders?draft=1`);
  const [{ method, target, body } = assert.fail("nothing arrived"), ...others] = site.arrivals;
  assert.deepEqual([method, target, others], ["POST", "/orders?draft=1", []]);
  assert.deepEqual([...new URLSearchParams(body)], [["submit", `<b>"'&`], ["note", "one\r\ntwo ü"]]); // prettier-ignore
});

test("without script a button sends the form, first too early", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t, { javaScriptEnabled: false });
  await page.goto(`${site.url}/form`);
  await page.getByRole("button", { name: "Order" }).click();
  const send = page.getByText(en.formSend);
  // The button is hidden for a while, so that nobody comes too early.
  await send.dispatchEvent("click");
  await page.getByText(en.early).waitFor();
  await send.click();
  await seesApplication(page);
  assert.equal(await page.locator("#method").textContent(), "POST");
  assert.equal(page.url(), `${site.url}/orders?draft=1`);
  const sent = new URLSearchParams(site.arrivals[0]?.body);
  assert.deepEqual([...sent], [["submit", `<b>"'&`], ["note", "one\r\ntwo ü"]]); // prettier-ignore
});

test("a form of another site is not sent on; the page says how to go on", async (t) => {
  const site = await startChallengedSite();
  const other = await startChallengedSite();
  const page = await browser.openPage(t);
  await page.route(`${other.url}/**`, (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<!doctype html><form method="post" action="${site.url}/orders"><input name="a" value="b"><button>Order</button></form>`,
    }),
  );
  await page.goto(`${other.url}/form`);
  await page.getByRole("button", { name: "Order" }).click();
  await page.getByText(en.formReady).waitFor();
  assert.deepEqual(site.arrivals, []);
  await assertAccessible(page, { name: "challenge-form-lost" });
  await page.getByRole("button", { name: en.goBack }).click();
  await page.getByRole("button", { name: "Order" }).waitFor();
});

test("a challenge that is solved too late says so, and starts anew when asked", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  await page.route(`**${BASE_PATH}/solve`, (route) => route.fulfill({ status: 403, body: "{}" }));
  await page.goto(`${site.url}/shop`);
  await page.getByRole("alert").getByText(en.failed).waitFor();
  await assertAccessible(page, { name: "challenge-failed" });
  await page.unroute(`**${BASE_PATH}/solve`);
  await page.getByRole("button", { name: en.tryAgain }).click();
  await seesApplication(page);
});

for (const [language, texts] of Object.entries(TEXTS)) {
  test(`the page is accessible in ${language}, while it works and without script`, async (t) => {
    const site = await startChallengedSite();
    const page = await browser.openPage(t, { locale: language });
    // Keeps it working for ever.
    await page.addInitScript(
      "globalThis.Worker = class { postMessage() { setTimeout(() => this.onmessage({ data: { solved: 6, solution: null } }), 0); } }",
    );
    await page.goto(`${site.url}/shop`);
    await page.getByRole("status").getByText(texts.working).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), texts.lang);
    assert.equal(await page.locator("html").getAttribute("dir"), texts.dir);
    await page.locator("progress[value='6']").waitFor();
    await assertAccessible(page, { name: `challenge-${language}` });
    if (language !== "en" && language !== "ar") return;
    await stopAtScript(page);
    await page.reload();
    await page.evaluate("for (const animation of document.getAnimations()) animation.finish()");
    await page.getByRole("link", { name: texts.skip }).waitFor();
    await assertAccessible(page, { name: `challenge-${language}-no-script` });
  });
}

test("the page of somebody who has passed already offers to go on, and does not by itself", async (t) => {
  const site = await startChallengedSite();
  const page = await browser.openPage(t);
  await page.goto(`${site.url}/shop`);
  await seesApplication(page);
  await page.goto(`${site.url}${BASE_PATH}?return=/shop?x=1`);
  await assertAccessible(page, { name: "challenge-passed" });
  await page.getByRole("link", { name: en.proceed }).click();
  await seesApplication(page);
  assert.equal(page.url(), `${site.url}/shop?x=1`);
});

test("a program gets a refusal with the URL of the challenge, and so does a script of a page", async (t) => {
  const site = await startChallengedSite();
  const response = await fetch(`${site.url}/api/items`);
  assert.equal(response.status, 403);
  assert.equal(response.headers.get("content-type"), "application/problem+json; charset=utf-8");
  const page = await browser.openPage(t);
  await page.goto(`${site.url}/form`);
  const problem = await page.evaluate<{ challenge: string; status: number }>(
    "fetch('/api/items', { headers: { accept: 'text/html' } }).then((response) => response.json())",
  );
  assert.equal(problem.status, 403);
  assert.equal(problem.challenge, `${BASE_PATH}?id=dec_7Yq2LwZ0&return=%2Fform`);
});
