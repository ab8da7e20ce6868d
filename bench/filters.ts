// What filters and searches take in a large store beside a small one, on both engines: one connection, one request after the other.
import { UNCACHED_NOTE, UNCACHED_ON_POSTGRES_NOTE, withoutCache } from "./foreign-commits.ts";
import { encodeRequest } from "./load.ts";
import type { BenchDatabase } from "./postgres.ts";
import { BENCH_TOKEN, readBody } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";
import { callScenario, rotate, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { RARE } from "./seed-events.ts";
import { PROJECT, RARE_ROLE, RARE_TAG, USUAL_TAG, earlyEnd, nameOf } from "./seed-teams.ts";
import type { TeamSeed } from "./seed-teams.ts";
import { latencyFinding } from "./table.ts";
import type { Table } from "./table.ts";

/** What a page may take: so many times what it takes in the small store, or so many ms. */
const [MOST, MOST_MS] = [1.15, 20] as const;
/** The calls share servers, so each finds them warm already. */
const WARM_UPS = 2;

/** A number of an item, and a time at which it was there. */
interface Place {
  readonly at: number;
  readonly time: number;
}

interface Filter {
  path(seed: TeamSeed, place: Place): string;
  /** It finds nothing. */
  readonly isEmpty?: true;
  /** An administrator of the instance asks. */
  readonly isInstance?: true;
}

const members = (query: (place: Place, seed: TeamSeed) => string) => (seed: TeamSeed, place: Place) =>
  `/v2/teams/${seed.teamId}/members?${query(place, seed)}`;
const events =
  (query: string) =>
  (_seed: TeamSeed, { time }: Place) =>
    `/v3/events?${query}&until=${time}`;
/** To the last item, so that all that is rare is found: `at` makes each request another. */
const allEvents =
  (query: string) =>
  ({ start, userIds }: TeamSeed, { at }: Place) =>
    `/v3/events?${query}&until=${start + userIds.length + 1 + at}`;

const FILTERS: Readonly<Record<string, Filter>> = {
  "members: search of a name": { path: members(({ at }) => `search=${nameOf(at).join("+")}`) },
  "members: search of an address": { path: members(({ at }) => `search=member-${at}@`) },
  "members: search of a beginning": { path: members(({ time }) => `search=ju&until=${time}`) },
  "members: search of a name, the family name first": {
    path: members(({ at }) => `search=${nameOf(at).toReversed().join("+")}`),
    isEmpty: true,
  },
  "members: search of nobody": { path: members(({ at }) => `search=nobody${at}`), isEmpty: true },
  "members: search within a rare role": {
    path: members(({ time }) => `search=example.com&role=${RARE_ROLE}&until=${time}`),
  },
  "members: a rare role": { path: members(({ time }) => `role=${RARE_ROLE}&until=${time}`) },
  "members: chosen ones": { path: members(({ at }, { userIds }) => `filterByUserIds=${userIds[at]}`) },
  "members: a project that nearly all have": {
    path: members(({ time }) => `excludeProject=${PROJECT}&until=${time}`),
  },
  "members: a project that nobody has": { path: members(({ time }) => `excludeProject=other&until=${time}`) },
  "accounts: search of an address": { path: (_seed, { at }) => `/v1/users?search=member-${at}@`, isInstance: true },
  "accounts: search of nobody": {
    path: (_seed, { at }) => `/v1/users?search=nobody${at}`,
    isInstance: true,
    isEmpty: true,
  },
  "secrets: search of a name": { path: (_seed, { at }) => `/v2/secrets?search=cret-${at}` },
  "secrets: search of a frequent part": { path: (_seed, { time }) => `/v2/secrets?search=cret&until=${time}` },
  "secrets: search of nothing": { path: (_seed, { at }) => `/v2/secrets?search=nothing${at}`, isEmpty: true },
  "secrets: search of a name, sorted by end": {
    path: (_seed, { at }) => `/v2/secrets?search=cret-${at}&sort=expiresAt`,
  },
  "secrets: search of nothing, sorted by name": {
    path: (_seed, { at }) => `/v2/secrets?search=nothing${at}&sort=name`,
    isEmpty: true,
  },
  "secrets: sorted by change": {
    path: (_seed, { at }) => `/v2/secrets?sort=updatedAt&order=desc&limit=${1 + (at % 20)}`,
  },
  "secrets: a rare tag": { path: (_seed, { at }) => `/v2/secrets?tag=${RARE_TAG}&limit=${1 + (at % 20)}` },
  "secrets: a tag that all have": { path: (_seed, { time }) => `/v2/secrets?tag=${USUAL_TAG}&until=${time}` },
  "secrets: used in an environment": {
    path: (_seed, { at }) => `/v2/secrets?usedIn=${USED_IN.project}/${USED_IN.environment}&limit=${1 + (at % 20)}`,
  },
  "secrets: that end soon": { path: ({ start }, { at }) => `/v2/secrets?expiresBefore=${earlyEnd(start) - at}` },
  "secrets: that end, by their ends": {
    path: ({ start }, { at }) => `/v2/secrets?expiresBefore=${earlyEnd(start) - at}&sort=expiresAt`,
  },
  "secrets: a rare project": { path: (_seed, { time }) => `/v2/secrets?projectId=${RARE.project}&until=${time}` },
  "events: a frequent type": { path: events("types=secret-add") },
  "events: a rare type": { path: allEvents(`types=${RARE.type}`) },
  "events: no type that is there": { path: events("types=team-delete"), isEmpty: true },
  "events: a rare principal": { path: allEvents(`principalId=${RARE.principal}`) },
  "events: a rare object": { path: allEvents(`entityId=${RARE.thing}`) },
  "events: a frequent project": { path: events("projectIds=project-7") },
  "events: a rare project": { path: allEvents(`projectIds=${RARE.project}`) },
  "events: two projects and two types": {
    path: allEvents(`projectIds=project-7,${RARE.project}&types=secret-rename,${RARE.type}`),
  },
  "events: since a time": {
    path: ({ start }, { time }) => `/v3/events?types=secret-*&since=${start}&until=${time}`,
  },
  "events: of the instance": {
    path: (_seed, { time }) => `/v3/events?instance=true&until=${time}`,
    isInstance: true,
  },
};

/** An environment with some of the secrets. */
const USED_IN = { project: "shop", environment: "production" } as const;

/** Makes it by requests, which know its form. */
export async function useSecrets(server: ServerProcess, token: string): Promise<void> {
  const names = [1, 2, 3, 4, 5].map((at) => `secret-${at}`);
  const set = Object.fromEntries(names.map((secret, at) => [`KEY_${at}`, { secret }]));
  const path = `/v1/environments/${USED_IN.project}`;
  await readBody(server, token, { method: "PATCH", path, body: { environments: { [USED_IN.environment]: { set } } } });
}

/** A server on a filled store. */
export interface GrownStore {
  readonly size: number;
  readonly server: ServerProcess;
  readonly seed: TeamSeed;
  /** The file, or the database. */
  readonly store: string | BenchDatabase;
}

const rowName = (call: string, size: number) => `${call}, ${size} stored`;

/** Refuses a request that measures something else. */
async function requireFound(server: ServerProcess, token: string, path: string, isEmpty: boolean): Promise<void> {
  const body = JSON.parse(await readBody(server, token, { method: "GET", path })) as Record<string, unknown>;
  const items = Object.values(body).find((value) => Array.isArray(value)) as readonly unknown[];
  if ((items.length === 0) !== isEmpty) throw new Error(`${path}: ${items.length} items`);
}

async function scenariosOf({ size, server, seed, store }: GrownStore, times: readonly number[]): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  for (const [call, { path, isEmpty = false, isInstance = false }] of Object.entries(FILTERS)) {
    const token = isInstance ? BENCH_TOKEN : seed.token;
    const paths = times.map((time) => path(seed, { at: time - seed.start, time }));
    for (const one of [paths[0], paths.at(-1)]) await requireFound(server, token, one as string, isEmpty);
    const request = rotate(paths.map((one) => encodeRequest({ method: "GET", path: one }, token)));
    const database = typeof store === "string" ? undefined : store;
    const load = { servers: [server], database, connections: 1, isAwake: false, request };
    scenarios.push(withoutCache(store, callScenario(rowName(call, size), load)));
  }
  return scenarios;
}

/** Measures the filters on a small and a large store of an engine. */
export async function measureFilters(
  engine: string,
  small: GrownStore,
  large: GrownStore,
  timesOf: (store: GrownStore) => readonly number[],
): Promise<Table> {
  const [less, more] = [await scenariosOf(small, timesOf(small)), await scenariosOf(large, timesOf(large))];
  // What is compared takes turns directly.
  const rows = await runRounds(
    less.flatMap((scenario, at) => [scenario, more[at] as Scenario]),
    WARM_UPS,
  );
  return {
    title: `Filters and searches on ${engine}, one connection, one request after the other`,
    unit: "requests/s",
    rows,
    findings: Object.keys(FILTERS).map((call) =>
      latencyFinding(rows, call, rowName(call, large.size), rowName(call, small.size), MOST, MOST_MS),
    ),
    notes: [typeof small.store === "string" ? UNCACHED_NOTE : UNCACHED_ON_POSTGRES_NOTE],
  };
}
