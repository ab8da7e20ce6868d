// How far lists are counted.

/** More of a kind are not counted: one more than this says so. */
export const MOST_COUNTED = 1_000;

/** Of schemas. */
export const EXACT_UP_TO = `Exact up to ${MOST_COUNTED}; ${MOST_COUNTED + 1} says that there are more.`;
