// The reference page, in a real browser: all of it, which is more than a megabyte.
import { test } from "node:test";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { startWebApp } from "./browser-world.ts";

const browser = await openBrowser();
const { url } = await startWebApp();

test("the reference is accessible, and its links lead to its sections", async (t) => {
  const page = await browser.openPage(t);
  await page.goto(`${url}/docs`);
  // Axe takes half a minute for each view of so large a page; they differ in colours and width alone.
  await assertAccessible(page);
  await page.getByRole("navigation").getByRole("link", { name: "Errors" }).click();
  await page.waitForURL(`${url}/docs#errors`);
});
