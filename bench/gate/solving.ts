// What a challenge costs people: how long a browser that is slowed down four times takes to get from the page of the challenge to the
// application. Chromium slows down the main thread alone, so the browser has no worker.
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";
import { findChromium } from "../../test/browser/chromium.ts";
import type { Bench } from "../processes.ts";
import { atMost, finding, spreadRow } from "../table.ts";
import type { Finding, Table } from "../table.ts";
import { startServer } from "./processes.ts";

const CHALLENGES = 40;
const SLOWED = 4;
const MOST_MEDIAN_S = 1;
const MOST_95_S = 4;

/** The value that 95 of 100 do not exceed. */
function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}

/** Seconds from the request for the page until the application is there. */
async function solveOnce(browser: Browser, url: string): Promise<number> {
  // Nothing of an earlier challenge is left: no pass, and no script in a cache.
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript("delete globalThis.Worker");
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
    const startedAt = performance.now();
    await page.goto(`${url}/shop`);
    await page.getByText('"items"').waitFor();
    return (performance.now() - startedAt) / 1_000;
  } finally {
    await context.close();
  }
}

export async function benchSolving({ keep }: Bench): Promise<Table> {
  const { executablePath, environment } = findChromium();
  const args = ["--no-sandbox", "--disable-gpu"];
  const browser = await chromium.launch({ executablePath, env: environment, args });
  const rows = [];
  const findings: Finding[] = [];
  try {
    for (const [name, load] of [
      ["easiest", 0],
      ["hardest", 1],
    ] as const) {
      const { port } = await keep(startServer("challenge", String(load)));
      const times: number[] = [];
      for (let at = 0; at < CHALLENGES; at++) times.push(await solveOnce(browser, `http://127.0.0.1:${port}`));
      const row = spreadRow(name, times);
      rows.push(row);
      findings.push(finding(`the ${name} challenge, median`, row.median, atMost(MOST_MEDIAN_S), "s"));
      findings.push(finding(`the ${name} challenge, 95 of 100`, percentile95(times), atMost(MOST_95_S), "s"));
    }
  } finally {
    await browser.close();
  }
  return {
    title: "Gate: what a challenge costs people",
    unit: "s",
    rows,
    findings,
    notes: [`${CHALLENGES} challenges each, Chromium slowed down ${SLOWED} times, without a worker, an empty cache.`],
  };
}
