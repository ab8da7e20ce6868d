// What reads take in a store of 100 000 teams, members, secrets and events, beside one of 1 000.
import { join } from "node:path";
import { measureFilters, useSecrets } from "./filters.ts";
import type { GrownStore } from "./filters.ts";
import { UNCACHED_NOTE, storeFile, withoutCache } from "./foreign-commits.ts";
import { encodeRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import { readBody, runReeve, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { fullReadLoad, rotate, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { vacuumStore } from "./seed.ts";
import { seedTeams } from "./seed-teams.ts";
import type { TeamSeed } from "./seed-teams.ts";
import { atMost, growthFindings } from "./table.ts";
import type { Table } from "./table.ts";

const [SMALL, LARGE] = [1_000, 100_000] as const;
/** Requests that differ, of each call. */
const REQUESTS = 200;
const PAGE = 20;
const MOST = 1.15;
/** The calls share servers, so each finds them warm already. */
const WARM_UPS = 4;

/** Times at which a full page of older items is there, from the whole of a list that has one item a millisecond. */
export function spreadTimes(start: number, size: number): number[] {
  const step = (size - PAGE) / REQUESTS;
  return Array.from({ length: REQUESTS }, (_, at) => start + PAGE + Math.floor(at * step));
}

/** Paths of each call. */
const CALLS: Readonly<Record<string, (seed: TeamSeed, times: readonly number[]) => readonly string[]>> = {
  "GET team": ({ teamIds, start }, times) => times.map((time) => `/v2/teams/${teamIds[time - start]}`),
  "page of 20 teams": (_seed, times) => times.map((time) => `/v2/teams?until=${time}`),
  "page of 20 members": ({ teamId }, times) => times.map((time) => `/v2/teams/${teamId}/members?until=${time}`),
  "page of 20 secrets": (_seed, times) => times.map((time) => `/v2/secrets?until=${time}`),
};

const timesOf = ({ seed, size }: GrownStore) => spreadTimes(seed.start, size);
const rowName = (call: string, size: number) => `${call}, ${size} stored`;

async function openFile({ folder, keep }: Bench, size: number): Promise<GrownStore> {
  const dataDir = join(folder, `teams-${size}`);
  const seed = await seedTeams(dataDir, size);
  const server = await keep(startReeve(dataDir));
  await useSecrets(server, seed.token);
  return { size, seed, server, store: storeFile(dataDir) };
}

/** The same rows on PostgreSQL: an archive takes minutes, and seeding row by row an hour. */
async function openDatabase({ folder, keep }: Bench, { size, seed }: GrownStore): Promise<GrownStore> {
  const file = join(folder, `teams-${size}`);
  const archive = `${file}.ndjson.zst`;
  await runReeve(file, ["export", "--to", archive]);
  const dataDir = join(folder, `postgres-${size}`);
  const store = await keep(openBenchDatabase(`growth_${size}`));
  const environment = { REEVE_DATABASE_URL: store.url, REEVE_MASTER_KEY_FILE: join(file, "master.key") };
  await runReeve(dataDir, ["import", archive], environment);
  await vacuumStore(dataDir, store.url);
  return { size, seed, server: await keep(startReeve(dataDir, environment)), store };
}

async function scenariosOf(grown: GrownStore): Promise<Scenario[]> {
  const { size, seed, server, store } = grown;
  const scenarios: Scenario[] = [];
  for (const [call, pathsOf] of Object.entries(CALLS)) {
    const paths = pathsOf(seed, timesOf(grown));
    for (const path of [paths[0], paths.at(-1)].filter((one) => one?.includes("?"))) {
      const { pagination } = JSON.parse(
        await readBody(server, seed.token, { method: "GET", path: path as string }),
      ) as {
        pagination: { count: number };
      };
      if (pagination.count !== PAGE) throw new Error(`${path}: ${pagination.count} items`);
    }
    const request = rotate(paths.map((path) => encodeRequest({ method: "GET", path }, seed.token)));
    scenarios.push(withoutCache(store, fullReadLoad(rowName(call, size), server, request)));
  }
  return scenarios;
}

export async function benchGrowth(bench: Bench): Promise<Table[]> {
  const files = [await openFile(bench, SMALL), await openFile(bench, LARGE)] as const;
  const [small, large] = [await scenariosOf(files[0]), await scenariosOf(files[1])];
  // What is compared takes turns directly.
  const rows = await runRounds(
    small.flatMap((scenario, at) => [scenario, large[at] as Scenario]),
    WARM_UPS,
  );
  const filtered = await measureFilters("SQLite", ...files, timesOf);
  const databases = [await openDatabase(bench, files[0]), await openDatabase(bench, files[1])] as const;
  return [
    {
      title: `${LARGE} teams, members and secrets of one owner beside ${SMALL}, other ones in turn`,
      unit: "requests/s",
      rows,
      findings: Object.keys(CALLS).flatMap((call) =>
        growthFindings(
          rows,
          `${call}: ${LARGE} stored / ${SMALL} stored`,
          rowName(call, LARGE),
          rowName(call, SMALL),
          atMost(MOST),
        ),
      ),
      notes: [UNCACHED_NOTE],
    },
    filtered,
    await measureFilters("PostgreSQL", ...databases, timesOf),
  ];
}
