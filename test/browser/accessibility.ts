// Holds a page against what everybody needs of it: axe finds nothing, in light on a desk and in dark on a telephone, and nobody has to
// scroll sideways.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";

type AxeResults = Awaited<ReturnType<AxeBuilder["analyze"]>>;

const HEIGHT = 800;

type View = readonly ["light" | "dark", width: number];
/** In CSS pixels: both colours, and a telephone and a desk, at which tests go on. */
const VIEWS: readonly View[] = [
  ["dark", 360],
  ["light", 1280],
];
/** For people who look at the pictures. */
const OTHER_VIEWS: readonly View[] = [
  ["light", 360],
  ["dark", 1280],
];

export interface AccessibilityOptions {
  /** Of the screenshots; by default the path of the page's URL. */
  readonly name?: string;
}

/** The folder for screenshots, for people to look at; without it none are made. */
const SCREENSHOTS = process.env["REEVE_TEST_SCREENSHOTS"];

/** Sets what a page without a background of its own has: axe takes it for white, also in the dark. */
const NAME_CANVAS = `{
  const { documentElement: root, body } = document;
  const isClear = (element) => getComputedStyle(element).backgroundColor === "rgba(0, 0, 0, 0)";
  if (isClear(root) && isClear(body)) root.style.backgroundColor = "Canvas";
}`;

// What axe reports of frames, which no page of ours has, and of what is in order takes most of the time on large pages.
const OPTIONS: Parameters<AxeBuilder["options"]>[0] = { resultTypes: ["violations"] };

async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(NAME_CANVAS);
  // A page keeps axe until it is left: to bring it costs more than to run it.
  const { violations } = (await page.evaluate('"axe" in window'))
    ? await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(OPTIONS)})`)
    : await new AxeBuilder({ page }).setLegacyMode().options(OPTIONS).analyze();
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id} (${help}): ${target.join(" ")}\n${failureSummary}`),
  );
}

/** The elements that reach beyond the right edge; none if there is nothing to scroll sideways. */
export async function findTooWide(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll("body *")]
      .filter((element) => element.getBoundingClientRect().right > clientWidth)
      .map((element) => element.outerHTML.slice(0, 200));
  })()`);
}

/** Saves a picture of the whole page. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** The page stays as it is but for its size and its colours. Its context has to run scripts: axe is one. */
export async function assertAccessible(
  page: Page,
  { name = new URL(page.url()).pathname.replace(/\W+/g, "-").replace(/^-|-$/g, "") }: AccessibilityOptions = {},
): Promise<void> {
  for (const [colorScheme, width] of SCREENSHOTS === undefined ? VIEWS : [...OTHER_VIEWS, ...VIEWS]) {
    // Without motion a change of colours is over at once: axe would measure those on the way.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: HEIGHT });
    // What is anchored, such as a menu, follows in the next frame.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
    const where = `${name}, ${colorScheme}, ${width} px`;
    await takeScreenshot(page, `${name}-${colorScheme}-${width}`);
    assert.deepEqual(await findTooWide(page), [], `${where}: wider than the window`);
    assert.deepEqual(await findViolations(page), [], `${where}: what axe found`);
  }
}
