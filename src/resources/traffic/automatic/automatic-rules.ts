// What is usual for a project in a minute, and when a minute passes that: decisions/0049-attack-mode-automatic.md.
import { DAY_MS, MINUTE_MS } from "../../../kernel/scheduling/clock.ts";
import { minuteOf } from "../sum-rules.ts";

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
  readonly inAttackMode: boolean;
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
export const HISTORY_MS = DAY_MS;
const LEAST_LATENCY_MINUTES = 60;

/** The value that a share of `span` minutes do not exceed; those that are not in `values` had 0. */
function usualOf(values: readonly number[], span: number): number {
  return values.toSorted((one, other) => other - one)[Math.floor(span * (1 - USUAL_SHARE))] ?? 0;
}

/** The minutes from the first of some to `end`, without those in attack mode; null: it is too short a time. */
function spanOf(some: readonly Minute[], inAttackMode: readonly number[], end: number): number | null {
  const first = some.reduce((least, { minute }) => Math.min(least, minute), end);
  if (end - first < HISTORY_MS) return null;
  return (end - first) / MINUTE_MS - inAttackMode.filter((minute) => minute >= first).length;
}

/** Learns from the minutes that are over. Minutes in which nothing was counted need not be given. */
export function learnUsual(minutes: readonly Minute[], now: number): Usual {
  const end = minuteOf(now);
  const over = minutes.filter(({ minute }) => minute < end);
  const inAttackMode = over.filter((one) => one.inAttackMode).map(({ minute }) => minute);
  const calm = over.filter((one) => !one.inAttackMode);
  const answered = calm.filter(({ responses }) => responses > 0);
  const span = spanOf(over, inAttackMode, end);
  const answeredSpan = spanOf(answered, inAttackMode, end);
  const latencies = calm.flatMap(({ latency }) => (latency === null ? [] : [latency]));
  const knowsLatency = answeredSpan !== null && latencies.length >= LEAST_LATENCY_MINUTES;
  return {
    since: over.length === 0 ? null : over.reduce((least, { minute }) => Math.min(least, minute), end),
    figures: {
      requests: span === null ? null : usualOf(calm.map(({ requests }) => requests).filter(Boolean), span),
      errors:
        answeredSpan === null ? null : usualOf(answered.map(({ errors }) => errors).filter(Boolean), answeredSpan),
      latency: knowsLatency ? usualOf(latencies, latencies.length) : null,
    },
  };
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
