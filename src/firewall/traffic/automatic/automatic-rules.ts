// What is usual for a project in a minute, and when a minute passes that: decisions/0049-attack-mode-automatic.md.
import { DAY_MS, MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";

export const MEASURES = ["requests", "errors", "latency"] as const;
export type Measure = (typeof MEASURES)[number];

/** Null: not known. */
export type Figures = Readonly<Record<Measure, number | null>>;

/** What a minute of a project was like. */
export interface Minute {
  /** The beginning. */
  readonly minute: number;
  readonly requests: number;
  readonly responses: number;
  readonly errors: number;
  /** ms; null: too few responses were measured. */
  readonly latency: number | null;
}

export interface Usual {
  /** The first minute that was learned from; null: there was none. */
  readonly since: number | null;
  readonly figures: Figures;
}

/** A minute that passes a limit. */
export interface Finding {
  readonly minute: number;
  readonly measure: Measure;
  readonly measured: number;
  readonly usual: number;
  readonly limit: number;
}

/** All but one in twenty minutes are at most what is usual. */
const USUAL_SHARE = 0.95;
/** So many times what is usual is unusual. */
const FACTOR = 4;
/** Less than this is never unusual: small sites have large swings. */
const FLOORS: Readonly<Record<Measure, number>> = { requests: 1_000, errors: 100, latency: 1_000 };
/** Fewer errors than this share of the responses are no sign of trouble. */
const LEAST_ERROR_SHARE = 0.05;
/** Nothing is unusual before so much time is known: a night says nothing about the day. */
const HISTORY_MS = DAY_MS;
const LEAST_LATENCY_MINUTES = 60;

/** What is known of the minutes that are over. Minutes in attack mode are in none of the lists. */
export interface History {
  /** The minute that is not over. */
  readonly end: number;
  /** The first minute with requests, and with responses; null: there is none. */
  readonly requestsSince: number | null;
  readonly responsesSince: number | null;
  /** Minutes in attack mode since then. */
  readonly inModeOfRequests: number;
  readonly inModeOfResponses: number;
  /** The highest minutes of each measure, the highest first: one in twenty, and one more. */
  readonly highest: Readonly<Record<Measure, readonly Minute[]>>;
  /** Minutes with a latency. */
  readonly measured: number;
}

/** How many of the highest of `span` minutes have to be known. */
export function topOf(span: number): number {
  return Math.floor(span * (1 - USUAL_SHARE)) + 1;
}

/** The value that all but one in twenty of `span` minutes do not exceed; those that are not given had 0. */
function usualOf(measure: Measure, highest: readonly Minute[], span: number): number {
  return highest[topOf(span) - 1]?.[measure] ?? 0;
}

/** The minutes outside of attack mode; null: the time is too short. */
function spanOf(since: number | null, end: number, inMode: number): number | null {
  return since === null || end - since < HISTORY_MS ? null : (end - since) / MINUTE_MS - inMode;
}

export function learnUsual(history: History): Usual {
  const { end, requestsSince, responsesSince, inModeOfRequests, inModeOfResponses, highest, measured } = history;
  const requests = spanOf(requestsSince, end, inModeOfRequests);
  const responses = spanOf(responsesSince, end, inModeOfResponses);
  const knowsLatency = responses !== null && measured >= LEAST_LATENCY_MINUTES;
  return {
    since: requestsSince ?? responsesSince,
    figures: {
      requests: requests === null ? null : usualOf("requests", highest.requests, requests),
      errors: responses === null ? null : usualOf("errors", highest.errors, responses),
      latency: knowsLatency ? usualOf("latency", highest.latency, measured) : null,
    },
  };
}

/** The last minute that passes a limit: it is one of the highest. */
export function lastUnusual({ highest }: History, figures: Figures): Finding | null {
  const found = MEASURES.flatMap((measure) => highest[measure].flatMap((minute) => judge(minute, figures) ?? []));
  return found.toSorted((one, other) => other.minute - one.minute)[0] ?? null;
}

/** What a minute with this usual value has to exceed to be unusual. */
export function limitOf(measure: Measure, usual: number, responses = 0): number {
  const least = measure === "errors" ? Math.ceil(LEAST_ERROR_SHARE * responses) : 0;
  return Math.max(FLOORS[measure], FACTOR * usual, least);
}

/** How a minute passes a limit; null: it does not. A `share` of 0.5 finds what is not calm yet. */
export function judge(minute: Minute, usual: Figures, share = 1): Finding | null {
  for (const measure of MEASURES) {
    const [measured, known] = [minute[measure], usual[measure]];
    if (measured === null || known === null) continue;
    const limit = Math.round(limitOf(measure, known, minute.responses) * share);
    if (measured > limit) return { minute: minute.minute, measure, measured, usual: known, limit };
  }
  return null;
}

const SENTENCES: Readonly<Record<Measure, (measured: string, usual: string) => string>> = {
  requests: (measured, usual) => `${measured} requests came in a minute, and ${usual} are usual at most`,
  errors: (measured, usual) => `${measured} responses in a minute were errors, and ${usual} are usual at most`,
  latency: (measured, usual) => `one in twenty responses took more than ${measured} ms, and ${usual} ms are usual`,
};

export function describeFinding({ measure, measured, usual }: Finding): string {
  return SENTENCES[measure](String(measured), String(usual));
}
