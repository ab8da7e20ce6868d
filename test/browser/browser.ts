// A real browser for tests. Each test gets a page in a context of its own; nothing beyond loopback can be reached.
import assert from "node:assert/strict";
import { after } from "node:test";
import type { TestContext } from "node:test";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { findChromium } from "./chromium.ts";

export interface TestBrowser {
  /**
   * Opens a page that shares no cookies, storage or cache with other tests. It is closed after the test, which fails if a script of
   * a page threw or a page broke its own content security policy.
   */
  openPage(t: TestContext, options?: BrowserContextOptions): Promise<Page>;
}

/** Nothing listens there. Chromium never asks a proxy for loopback. */
const NO_PROXY_LISTENS = "http://127.0.0.1:1";
const ACTION_TIMEOUT_MS = 30_000;

/** Collects what no test expects of a page: the messages are for people. */
function watch(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) problems.push(message.text());
  });
}

let launched: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  const { executablePath, environment } = findChromium();
  return await chromium.launch({
    executablePath,
    env: environment,
    // Containers often run tests as root, for whom Chromium has no sandbox. It opens pages of ours alone.
    args: ["--no-sandbox", "--disable-gpu", `--proxy-server=${NO_PROXY_LISTENS}`],
  });
}

/** The browser that the test files of one process share; a new one when a test has broken it. */
async function findBrowser(): Promise<Browser> {
  const before = launched;
  const browser = await before?.catch(() => undefined);
  if (browser?.isConnected()) return browser;
  if (launched === before) launched = launch();
  return await (launched as Promise<Browser>);
}

/** For the tests of a file; the browser ends with the process's tests. */
export async function openBrowser(): Promise<TestBrowser> {
  await findBrowser();
  after(async () => {
    const browser = launched;
    launched = undefined;
    await (await browser)?.close();
  });
  return {
    async openPage(t, options = {}) {
      // Without a locale Chromium refuses scripts that format dates.
      const context = await (await findBrowser()).newContext({ locale: "en-US", timezoneId: "UTC", ...options });
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      const problems: string[] = [];
      context.on("page", (page) => watch(page, problems));
      t.after(async () => {
        await context.close();
        assert.deepEqual(problems, [], "errors of the pages");
      });
      return await context.newPage();
    },
  };
}
