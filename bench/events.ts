// Events: pages of a short and of a very long feed, and exports of all of it.
import { once } from "node:events";
import { statSync } from "node:fs";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { UNCACHED_NOTE, storeFile, withoutCache } from "./foreign-commits.ts";
import { spreadTimes } from "./growth.ts";
import { encodeRequest } from "./load.ts";
import { cpuSeconds, residentMb, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { ROUNDS, fullReadLoad, rotate, runRounds } from "./scenarios.ts";
import { seedEvents } from "./seed-events.ts";
import type { EventSeed } from "./seed-events.ts";
import { atMost, finding, growthFindings, rowOfSamples, spreadRow } from "./table.ts";
import type { Sample, Table } from "./table.ts";

const SIZES = [1_000, 1_000_000] as const;
const LARGE = SIZES[1];
/** Each takes some ten seconds. */
const EXPORTS = Math.min(2, ROUNDS);
const MEMORY_LOOK_MS = 20;
const LINE_FEED = 10;
const FORMATS = { NDJSON: "application/x-ndjson", CSV: "text/csv" } as const;

interface Feed extends EventSeed {
  readonly server: ServerProcess;
}

const dirOf = (folder: string, size: number) => join(folder, `events-${size}`);

async function openFeed({ folder, keep }: Bench, size: number): Promise<Feed> {
  const dataDir = dirOf(folder, size);
  return { ...(await seedEvents(dataDir, size)), server: await keep(startReeve(dataDir)) };
}

/** Reads an answer to its end, and counts its lines. */
async function countLines({ server, token }: Feed, accept: string, query = ""): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, accept };
  const request = get({ host: "127.0.0.1", port: server.port, path: `/v3/events${query}`, headers, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${accept}: ${response.statusCode}`);
  let lines = 0;
  response.on("data", (bytes: Buffer) => {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  });
  await once(response, "end");
  return lines;
}

interface Export extends Sample {
  readonly growthMb: number;
}

/** Exports everything, and looks how much memory the server takes meanwhile. */
async function measureExport(feed: Feed, accept: string): Promise<Export> {
  const { pid } = feed.server;
  await countLines(feed, accept, "?limit=250");
  const [memoryBefore, cpuBefore, startedAt] = [residentMb(pid), cpuSeconds(pid), performance.now()];
  let most = memoryBefore;
  const look = setInterval(() => (most = Math.max(most, residentMb(pid))), MEMORY_LOOK_MS);
  const lines = await countLines(feed, accept);
  clearInterval(look);
  if (lines < LARGE) throw new Error(`${accept}: ${lines} lines of ${LARGE} events`);
  return {
    perSecond: lines / ((performance.now() - startedAt) / 1_000),
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    cpuUs: ((cpuSeconds(pid) - cpuBefore) * 1e6) / lines,
    growthMb: most - memoryBefore,
  };
}

export const STORED_EVENT = "an event and its places in indexes";

function eventBytes({ folder }: Bench): number {
  const [less, more] = SIZES.map((size) => statSync(storeFile(dirOf(folder, size))).size) as [number, number];
  return (more - less) / (SIZES[1] - SIZES[0]);
}

export async function benchEvents(bench: Bench): Promise<Table[]> {
  const feeds = new Map<number, Feed>();
  for (const size of SIZES) feeds.set(size, await openFeed(bench, size));
  const bytesOfEvent = eventBytes(bench);
  const pageName = (size: number) => `page of 20, ${size} stored`;
  const pages = await runRounds(
    [...feeds].map(([size, { server, token, start }]) => {
      const paths = spreadTimes(start, size).map((until) => `/v3/events?until=${until}`);
      const request = rotate(paths.map((path) => encodeRequest({ method: "GET", path }, token)));
      return withoutCache(storeFile(dirOf(bench.folder, size)), fullReadLoad(pageName(size), server, request));
    }),
  );

  const exported = Object.entries(FORMATS).map(([name, accept]) => ({ name, accept, runs: [] as Export[] }));
  for (let round = 0; round < EXPORTS; round++) {
    for (const { accept, runs } of exported) runs.push(await measureExport(feeds.get(LARGE) as Feed, accept));
  }
  const growth = `page of 20: ${LARGE} stored / ${SIZES[0]} stored`;
  return [
    {
      title: "Events, other pages in turn",
      unit: "requests/s",
      rows: pages,
      findings: growthFindings(pages, growth, pageName(LARGE), pageName(SIZES[0]), atMost(1.2)),
      notes: [UNCACHED_NOTE],
    },
    {
      title: `Exports of ${LARGE} events`,
      unit: "events/s",
      rows: exported.map(({ name, runs }) => rowOfSamples(name, runs)),
      findings: exported.map(({ name, runs }) => {
        const most = Math.max(...runs.map(({ growthMb }) => growthMb));
        return finding(`${name}: growth of resident memory`, most, atMost(60), "MB");
      }),
    },
    {
      title: "What is stored of an event",
      unit: "bytes",
      rows: [spreadRow(STORED_EVENT, [bytesOfEvent])],
      findings: [],
      notes: ["The file of 1 000 000 events without that of 1 000, for each of the others."],
    },
  ];
}
