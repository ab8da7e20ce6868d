// What the minutes of a project were like: stored beside their requests when a report says something of it.
import { addLatencies, countLatencies, latencyAt, noLatencies } from "../../../kernel/telemetry/latencies.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../kernel/scheduling/clock.ts";
import type { Tx } from "../../../kernel/tx.ts";
import type { ProjectKey } from "../../projects/project-schema.ts";
import { listMinutes } from "../store.ts";
import { minuteOf } from "../sum-rules.ts";
import { KEPT_DAYS } from "../traffic-schema.ts";
import type { Minute } from "./automatic-rules.ts";
import { findStates, listStates, putState } from "./store.ts";

const MAX_MINUTES = (KEPT_DAYS * 24 + 1) * (HOUR_MS / MINUTE_MS);
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
    const { errors, latency } = state;
    const inAttackMode = state.attackMode === 1;
    result.push({
      minute,
      requests: requests.get(minute) ?? 0,
      responses: state.responses,
      errors,
      latency,
      inAttackMode,
    });
  }
  return result;
}

/** The minutes of which something was reported, back to the end of the retention. */
export async function readMinutes(tx: Tx, project: ProjectKey, now: number): Promise<Minute[]> {
  const bounds = { ...project, from: minuteOf(now - KEPT_DAYS * DAY_MS), limit: MAX_MINUTES };
  const totals = await listMinutes(tx, { ...bounds, to: now });
  const states = await listStates(tx, bounds);
  const requests = new Map(totals.map(({ minute, total }) => [minute, total]));
  const known = new Map(states.map((state) => [state.minute, state]));
  return [...new Set([...requests.keys(), ...known.keys()])].map((minute) => {
    const { attackMode, responses, errors, latency } = known.get(minute) ?? NO_STATE;
    return { minute, requests: requests.get(minute) ?? 0, responses, errors, latency, inAttackMode: attackMode === 1 };
  });
}
