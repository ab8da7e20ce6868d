/** Milliseconds since the epoch. Whatever decides by the time takes one, so tests own it; ids take the system's. */
export type Clock = () => number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The last moment that a JavaScript Date can hold. */
export const MAX_TIME_MS = 8.64e15;
