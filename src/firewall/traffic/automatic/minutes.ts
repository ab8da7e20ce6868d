// What the minutes of a project were like: stored beside their requests when a report says something of it.
import { addLatencies, countLatencies, latencyAt, noLatencies } from "../../../platform/kernel/telemetry/latencies.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { ProjectKey } from "../../../platform/kernel/project.ts";
import { listMinutes } from "../store.ts";
import { minuteOf } from "../sum-rules.ts";
import { KEPT_DAYS } from "../traffic-schema.ts";
import { topOf } from "./automatic-rules.ts";
import type { History, Minute } from "./automatic-rules.ts";
import {
  countInMode,
  countMeasured,
  findFirsts,
  findStates,
  listMostErrors,
  listMostRequests,
  listSlowest,
  putState,
} from "./store.ts";

/** With fewer, a slow response or two would be one in twenty. */
const LEAST_MEASURED = 100;
const SLOW_SHARE = 0.95;

/** The responses of an application in a minute. */
export interface Responses {
  readonly minute: number;
  readonly count: number;
  readonly errors: number;
  readonly latencies: readonly number[] | null;
}

interface State {
  attackMode: number;
  responses: number;
  errors: number;
  latencies: string | null;
  latency: number | null;
}

const NO_STATE: State = { attackMode: 0, responses: 0, errors: 0, latencies: null, latency: null };

function addResponses(state: State, { count, errors, latencies }: Responses): State {
  const sum = { ...state, responses: state.responses + count, errors: state.errors + errors };
  if (latencies === null) return sum;
  const before = state.latencies === null ? noLatencies() : (JSON.parse(state.latencies) as number[]);
  const counts = addLatencies(before, latencies);
  const latency = countLatencies(counts) < LEAST_MEASURED ? null : latencyAt(counts, SLOW_SHARE);
  return { ...sum, latencies: JSON.stringify(counts), latency };
}

export interface Reported {
  /** The requests so far of each minute that the report is about. */
  readonly requests: ReadonlyMap<number, number>;
  readonly responses: readonly Responses[];
  readonly isModeOn: boolean;
}

/** Adds what a report says, and returns what its minutes are like by now. The caller has the owner's lock. */
export async function addToMinutes(
  tx: Tx,
  project: ProjectKey,
  { requests, responses, isModeOn }: Reported,
): Promise<Minute[]> {
  const minutes = [...new Set([...requests.keys(), ...responses.map(({ minute }) => minute)])];
  const stored = await findStates(tx, { ...project, minutes: JSON.stringify(minutes) });
  const states = new Map<number, State>(stored.map(({ minute, ...state }) => [minute, state]));
  const result: Minute[] = [];
  for (const minute of minutes) {
    const before = states.get(minute) ?? NO_STATE;
    let state = isModeOn ? { ...before, attackMode: 1 } : before;
    for (const one of responses) if (one.minute === minute) state = addResponses(state, one);
    const isChanged = state.attackMode !== before.attackMode || state.responses !== before.responses;
    if (isChanged) await putState(tx, { ...project, minute, ...state });
    const { responses: count, errors, latency } = state;
    result.push({ minute, requests: requests.get(minute) ?? 0, responses: count, errors, latency });
  }
  return result;
}

/** What is known of the minutes that are over, as far as traffic is kept. The engine sorts: it may be 10 000 minutes. */
export async function readHistory(tx: Tx, project: ProjectKey, now: number): Promise<History> {
  const to = minuteOf(now);
  const bounds = { ...project, from: minuteOf(now - KEPT_DAYS * DAY_MS), to };
  const firsts = await findFirsts(tx, bounds);
  const [requestsSince, responsesSince] = [firsts?.requests ?? null, firsts?.responses ?? null];
  const inModeSince = async (since: number | null) =>
    since === null ? 0 : ((await countInMode(tx, { ...bounds, from: since }))?.minutes ?? 0);
  const measured = (await countMeasured(tx, bounds))?.minutes ?? 0;
  const topSince = (since: number | null) => topOf(since === null ? 0 : (to - since) / MINUTE_MS);
  const requests = await listMostRequests(tx, { ...bounds, limit: topSince(requestsSince) });
  const errors = await listMostErrors(tx, { ...bounds, limit: topSince(responsesSince) });
  const latency = await listSlowest(tx, { ...bounds, limit: topOf(measured) });
  const nothing = { requests: 0, responses: 0, errors: 0, latency: null };
  return {
    end: to,
    requestsSince,
    responsesSince,
    inModeOfRequests: await inModeSince(requestsSince),
    inModeOfResponses: await inModeSince(responsesSince),
    highest: {
      requests: requests.map((row) => ({ ...nothing, ...row })),
      errors: errors.map((row) => ({ ...nothing, ...row })),
      latency: latency.map((row) => ({ ...nothing, ...row })),
    },
    measured,
  };
}

/** This minute and the one before, as far as something was reported of them. */
export async function readLatest(tx: Tx, project: ProjectKey, now: number): Promise<Minute[]> {
  const minutes = [minuteOf(now), minuteOf(now) - MINUTE_MS];
  const totals = await listMinutes(tx, { ...project, from: minuteOf(now) - MINUTE_MS, to: now, limit: 2 });
  const states = await findStates(tx, { ...project, minutes: JSON.stringify(minutes) });
  return minutes.flatMap((minute) => {
    const requests = totals.find((row) => row.minute === minute)?.total;
    const state = states.find((row) => row.minute === minute);
    if (requests === undefined && !state) return [];
    const { responses, errors, latency } = state ?? NO_STATE;
    return [{ minute, requests: requests ?? 0, responses, errors, latency }];
  });
}
