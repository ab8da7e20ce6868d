// How many deliveries a worker reads ahead.

/** For each delivery in flight, at least. */
const AHEAD = 2;
const MAX_AHEAD = 256;
/** The workers of a process share so many: few large reads cost less than many small ones. */
const AHEAD_OF_ALL = 8_192;

export function countAhead(concurrency: number, workers: number): number {
  return Math.floor(Math.min(MAX_AHEAD, Math.max(concurrency * AHEAD, AHEAD_OF_ALL / workers)));
}
