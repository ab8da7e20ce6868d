// Every page without script in each of its states, held against accessibility. A page without a state here fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { homePage } from "../../src/identity/pages/home-page.ts";
import { PAGES as OTHERS } from "../../src/identity/pages/pages.ts";
import { assertAccessible } from "./accessibility.ts";
import { openBrowser } from "./browser.ts";
import { openPageStates } from "./states/page-states.ts";

const browser = await openBrowser();
const STATES = await openPageStates();
/** With the one that takes the place of the app. */
const PAGES = [homePage, ...OTHERS];

for (const { path } of PAGES.filter(({ show }) => show !== undefined)) {
  test(`console/${path} is accessible in each of its states`, async (t) => {
    const states = Object.entries(STATES[path] ?? {});
    assert.notEqual(states.length, 0, "the page has no state in test/browser/states/");
    const page = await browser.openPage(t);
    for (const [name, open] of states) {
      // Nobody is signed in. A new page would have to read axe again.
      await page.context().clearCookies();
      await page.unrouteAll();
      await open(page);
      await assertAccessible(page, { name });
    }
  });
}

test("every state is of a page that there is", () => {
  const paths = new Set(PAGES.map(({ path }) => path));
  assert.deepEqual(
    Object.keys(STATES).filter((path) => !paths.has(path)),
    [],
  );
});
