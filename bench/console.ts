// The console in a browser: what a page weighs, how much its layout shifts, and how long it takes over a slow connection.
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { ADDRESSES } from "../console/addresses.ts";
import { findChromium } from "../test/browser/chromium.ts";
import { commandLine, seed } from "../tools/seed.ts";
import { BENCH_TOKEN, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { ROUNDS } from "./scenarios.ts";
import { atMost, finding, median, spreadRow } from "./table.ts";
import type { Table } from "./table.ts";

/** What `seed` has made, by the names in addresses. Pages of what has no name of its own are left out. */
const NAMES: Readonly<Record<string, string>> = {
  team: "acme",
  project: "shop",
  name: "DATABASE_URL",
  environment: "production",
  key: "DATABASE_URL",
  operation: "createTeam",
};
const WIDTHS = [1_280, 360];
/** Until a page has what it reads. */
const SETTLE_MS = 1_500;
/** ms of a round trip, and bytes/s. */
const SLOW = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000, offline: false };
/** A file that more pages load is a shared part. */
const FEW_PAGES = 2;

/** When the page was first painted, and when its first row was there, ms; and the sum of its layout's shifts. */
interface Seen {
  readonly shifts: number;
  readonly painted: number;
  readonly row: number;
}

/** Runs in the page, before its scripts. */
const WATCH = `
  window.seen = { shifts: 0, painted: NaN, row: NaN };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shifts += value;
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) if (name === "first-paint") seen.painted = startTime;
  }).observe({ type: "paint", buffered: true });
  new MutationObserver(() => {
    if (isNaN(seen.row) && document.querySelector("table.data tbody tr:not(.bones) a")) seen.row = performance.now();
  }).observe(document, { childList: true, subtree: true });
`;

type Weights = ReadonlyMap<string, number>;

/** Compressed bytes of scripts and styles, or of fonts, that the page has loaded, by address; not what it loads once it is idle. */
const weigh = async (page: Page, kinds: string): Promise<Weights> =>
  new Map(
    await page.evaluate(
      (pattern) =>
        (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
          .filter(({ name }) => new RegExp(pattern).test(name) && !name.includes("/headless-"))
          .map(({ name, encodedBodySize }): [string, number] => [name, encodedBodySize]),
      `\\.(?:${kinds})$`,
    ),
  );
const kilobytes = (weights: Iterable<number>) => [...weights].reduce((sum, bytes) => sum + bytes, 0) / 1_000;

const pathsOf = (): readonly string[] =>
  Object.values(ADDRESSES)
    .map((path) => path.replaceAll(/:(\w+)/g, (whole, name: string) => NAMES[name] ?? whole))
    .filter((path) => !path.includes(":"));

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext({ locale: "en-GB", ...options })).newPage();
  await page.addInitScript(WATCH);
  return page;
}

const seenOf = (page: Page): Promise<Seen> => page.evaluate("window.seen");

async function signIn(browser: Browser, link: string) {
  const page = await openPage(browser, {});
  await page.goto(link);
  await page.getByLabel("Password", { exact: true }).fill("four words of a benchmark");
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  await page.waitForURL(/\/console\/$/);
  const storageState = await page.context().storageState();
  await page.context().close();
  return storageState;
}

export async function benchConsole({ folder, keep }: Bench): Promise<Table[]> {
  const dataDir = join(folder, "console");
  const server = await keep(startReeve(dataDir));
  const origin = `http://localhost:${server.port}`;
  const runReeve = commandLine({ ...process.env, REEVE_DATA_DIR: dataDir, REEVE_PORT: String(server.port) });
  await seed({ server: origin, token: BENCH_TOKEN, runReeve });
  const [link = ""] = /http\S+/.exec(await runReeve("user", "sign-in-link", "owner")) ?? [];
  const { executablePath, environment: env } = findChromium();
  const browser = await chromium.launch({ executablePath, env, args: ["--no-sandbox", "--disable-gpu"] });
  await keep(Promise.resolve({ pid: 0, stop: () => browser.close() }));
  const storageState = await signIn(browser, link);

  const shifts: [string, number][] = [];
  const weights = new Map<string, Weights>();
  const first = await openPage(browser, { storageState });
  await first.goto(`${origin}/console${ADDRESSES.team.replace(":team", "acme")}`);
  await first.waitForTimeout(SETTLE_MS);
  const [scripts, fonts] = [await weigh(first, "js|css"), await weigh(first, "woff2")];
  for (const width of WIDTHS) {
    for (const path of pathsOf()) {
      const page = await openPage(browser, { storageState, viewport: { width, height: 800 } });
      await page.goto(`${origin}/console${path}`);
      await page.waitForTimeout(SETTLE_MS);
      shifts.push([`${path}, ${width} px`, (await seenOf(page)).shifts]);
      weights.set(path, await weigh(page, "js|css"));
      await page.context().close();
    }
  }
  const isShared = (file: string) =>
    scripts.has(file) || [...weights.values()].filter((loaded) => loaded.has(file)).length > FEW_PAGES;
  const routes = [...weights].map(([path, loaded]): [string, number] => [
    path,
    kilobytes([...loaded].filter(([file]) => !isShared(file)).map(([, bytes]) => bytes)),
  ]);
  const most = (all: readonly [string, number][]) => all.toSorted(([, one], [, other]) => other - one);

  const slow: Seen[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(browser, { storageState });
    const network = await page.context().newCDPSession(page);
    await network.send("Network.enable");
    await network.send("Network.emulateNetworkConditions", SLOW);
    await page.goto(`${origin}/console/teams/acme/secrets`);
    await page.getByRole("link", { name: "DATABASE_URL" }).waitFor();
    slow.push(await seenOf(page));
    await page.context().close();
  }
  const painted = slow.map((seen) => seen.painted);
  const rows = slow.map(({ row }) => row);

  const widest = most(shifts);
  const heaviest = most(routes);
  return [
    {
      title: "Weight of the console, compressed",
      unit: "kB",
      rows: heaviest.slice(0, 5).map(([path, weight]) => spreadRow(path, [weight])),
      findings: [
        finding("first page: scripts and styles", kilobytes(scripts.values()), atMost(135), "kB"),
        finding("first page: fonts", kilobytes(fonts.values()), atMost(48), "kB"),
        finding("heaviest further page, beside shared parts", heaviest[0]?.[1] ?? NaN, atMost(25), "kB"),
      ],
    },
    {
      title: "Layout shift of the console's pages",
      unit: "",
      rows: widest.slice(0, 8).map(([page, shift]) => spreadRow(page, [shift])),
      findings: [finding("largest cumulative layout shift", widest[0]?.[1] ?? NaN, atMost(0.02))],
      notes: [`${shifts.length} pages, each loaded alone, at ${WIDTHS.join(" and ")} px.`],
    },
    {
      title: "The console over a slow connection",
      unit: "ms",
      rows: [spreadRow("first paint", painted), spreadRow("first row of secrets", rows)],
      findings: [
        finding("first paint", median(painted), atMost(1_000), "ms"),
        finding("first row of secrets", median(rows), atMost(2_500), "ms"),
      ],
      notes: ["Nothing cached, 400 ms for each round trip and 50 kB/s, by the browser's own emulation."],
    },
  ];
}
