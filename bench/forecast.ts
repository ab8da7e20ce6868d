// What an instance of N owners needs, from the measured costs and what is assumed of its owners.
import { MAX_CONNECTIONS } from "../src/platform/store/postgres/driver.ts";
import { meanWait, waitQuantile } from "./queueing.ts";
import type { Queue } from "./queueing.ts";

/** Seconds of CPU for one of what is counted. */
export interface Cost {
  readonly reeve: number;
  /** Of the database server; 0 where the store is a file. */
  readonly database: number;
}

export interface EngineCosts {
  /** The mean of the calls that read. */
  readonly read: Cost;
  /** The mean of the calls that change something. */
  readonly write: Cost;
  /** What one webhook adds to an event. */
  readonly delivery: Cost;
}

export interface MeasuredCosts {
  readonly sqlite: EngineCosts;
  readonly postgres: EngineCosts;
  /** Milliseconds from a commit to the arrival of its event, on a calm server. */
  readonly lagMs: { readonly p50: number; readonly p99: number };
  /** What one event adds to the store. */
  readonly eventBytes: number;
}

/** What nobody can measure beforehand; each is a flag of `npm run simulate`. */
export const ASSUMPTIONS = {
  readsPerOwnerPerDay: { value: 200, help: "calls that read, per owner and day" },
  writesPerOwnerPerDay: { value: 20, help: "calls that change something, per owner and day" },
  peakFactor: { value: 5, help: "the busiest second of a day beside its mean second" },
  eventsPerWrite: { value: 1.2, help: "events that a change records" },
  webhooksPerOwner: { value: 0.5, help: "webhooks that want each event, per owner" },
  receiverMs: { value: 200, help: "ms that a receiver takes to respond" },
  utilisation: {
    value: 0.6,
    help: "share of a core that is planned for; the rest is for bursts, restarts and failures",
  },
  databaseCores: { value: 64, help: "cores of the largest database server at hand" },
  poolSize: { value: MAX_CONNECTIONS, help: "connections to the database of one process" },
  slotsPerProcess: { value: 1_024, help: "deliveries that one process has in flight at most" },
  pollMs: { value: 250, help: "ms after which a process notices what another one has recorded, at most" },
} as const;

export type Assumptions = Readonly<Record<keyof typeof ASSUMPTIONS, number>>;

export function assumed(): Assumptions {
  return Object.fromEntries(Object.entries(ASSUMPTIONS).map(([name, { value }]) => [name, value])) as Assumptions;
}

export interface Forecast {
  readonly owners: number;
  /** In the busiest second. */
  readonly reads: number;
  readonly writes: number;
  readonly deliveries: number;
  /** Cores that one node on SQLite would use, at that second. */
  readonly fileCores: number;
  readonly fitsOneFile: boolean;
  /** On PostgreSQL: processes, of a core each. */
  readonly processes: number;
  readonly databaseCores: number;
  /** Databases that the owners have to be spread over. */
  readonly primaries: number;
  readonly connectionsPerPrimary: number;
  /** Of a request, for its process and for the database together, ms. */
  readonly waitP99Ms: number;
  /** From commit to arrival. */
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
  readonly gigabytesPerYear: number;
}

const DAY_S = 86_400;
const YEAR_DAYS = 365;
const SHARE = 0.99;

type Rates = Pick<Forecast, "reads" | "writes" | "deliveries">;

function coresOf({ read, write, delivery }: EngineCosts, rates: Rates, part: keyof Cost): number {
  return rates.reads * read[part] + rates.writes * write[part] + rates.deliveries * delivery[part];
}

/** One of so many equal lines, each with servers of its own. */
function lineOf(rates: Rates, cores: number, servers: number, lines: number): Queue {
  const jobs = rates.reads + rates.writes + rates.deliveries;
  return { arrivals: jobs / lines, service: jobs === 0 ? 0 : cores / jobs, servers };
}

export function forecast(costs: MeasuredCosts, assumptions: Assumptions, owners: number): Forecast {
  const { utilisation, peakFactor } = assumptions;
  const perSecond = (perOwnerPerDay: number) => (owners * perOwnerPerDay * peakFactor) / DAY_S;
  const writes = perSecond(assumptions.writesPerOwnerPerDay);
  const events = writes * assumptions.eventsPerWrite;
  const rates = {
    reads: perSecond(assumptions.readsPerOwnerPerDay),
    writes,
    deliveries: events * assumptions.webhooksPerOwner,
  };

  const fileCores = coresOf(costs.sqlite, rates, "reeve");
  const servingCores = coresOf(costs.postgres, rates, "reeve");
  const underWay = (rates.deliveries * assumptions.receiverMs) / 1_000;
  const processes = Math.max(
    1,
    Math.ceil(servingCores / utilisation),
    Math.ceil(underWay / (assumptions.slotsPerProcess * utilisation)),
  );
  const databaseCores = coresOf(costs.postgres, rates, "database");
  const primaries = Math.max(1, Math.ceil(databaseCores / (assumptions.databaseCores * utilisation)));

  // A balancer chooses a process before the request waits: a line for each. A database's cores share one.
  const serving = lineOf(rates, servingCores, 1, processes);
  const storing = lineOf(rates, databaseCores, assumptions.databaseCores, primaries);
  const waitMs = (meanWait(serving) + meanWait(storing)) * 1_000;
  const waitP99Ms = (waitQuantile(serving, SHARE) + waitQuantile(storing, SHARE)) * 1_000;
  // At worst another process holds the webhook, and looks when its interval is over.
  const elsewhere = 1 - 1 / processes;
  return {
    owners,
    ...rates,
    fileCores,
    fitsOneFile: fileCores <= utilisation,
    processes,
    databaseCores,
    primaries,
    connectionsPerPrimary: Math.ceil(processes / primaries) * assumptions.poolSize,
    waitP99Ms,
    lagP50Ms: costs.lagMs.p50 + waitMs + (elsewhere * assumptions.pollMs) / 2,
    lagP99Ms: costs.lagMs.p99 + waitP99Ms + elsewhere * assumptions.pollMs,
    gigabytesPerYear: ((events / peakFactor) * DAY_S * YEAR_DAYS * costs.eventBytes) / 1e9,
  };
}
