// How much work a challenge is. The bounds are those of people: decisions/0042-challenge.md has the measurements.
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";
import { headerOf } from "../message.ts";

/** Many small puzzles vary less in total than a large one: 95 of 100 take at most 1.44 times the average. */
export const PUZZLES = 16;

/** Hashes that one puzzle takes on average. */
const LEAST = 4_096;
const MOST = 7_168;

const LEAST_WAIT_MS = 5 * SECOND_MS;
const MOST_WAIT_MS = 7 * SECOND_MS;
/** Of a request that no browser sends. */
const ODD = 0.5;

const toFraction = (value: number) => (Number.isFinite(value) ? Math.min(Math.max(value, 0), 1) : 0);

/** All browsers send these two with a navigation. */
function isOdd(request: GateRequest): boolean {
  return !headerOf(request, "accept-language") || !headerOf(request, "user-agent");
}

/** `load`: how busy the gate is, between 0 and 1. */
export function chooseDifficulty(request: GateRequest, load: number): number {
  const level = Math.max(toFraction(load), isOdd(request) ? ODD : 0);
  return Math.round(LEAST * (MOST / LEAST) ** level);
}

export function isDifficulty(value: number): boolean {
  return value >= LEAST && value <= MOST;
}

/** How long a browser without script has to wait instead, after its challenge was issued. */
export function waitMs(difficulty: number): number {
  const level = Math.log(difficulty / LEAST) / Math.log(MOST / LEAST);
  return Math.round(LEAST_WAIT_MS + level * (MOST_WAIT_MS - LEAST_WAIT_MS));
}
