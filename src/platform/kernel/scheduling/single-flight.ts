// Shares the result of a running call with all who call meanwhile.

/** Runs one call at a time; calls made while it runs get the same promise. */
export function singleFlight<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () =>
    (running ??= run().finally(() => {
      running = undefined;
    }));
}
