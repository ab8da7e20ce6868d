// How far the server counts what needs somebody.

/** More of a kind are not counted: one more than this says so. */
export const MOST_COUNTED = 50;
