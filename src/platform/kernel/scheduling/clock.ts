/** Milliseconds since the epoch. Code that decides by the time gets a clock, so tests control it; ids use the system's. */
export type Clock = () => number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The latest time that a JavaScript Date can represent. */
export const MAX_TIME_MS = 8.64e15;
