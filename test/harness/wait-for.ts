// Waits for a condition instead of a duration.
import { setTimeout } from "node:timers/promises";

/** Long, because a loaded machine is no failure. */
const TIMEOUT_MS = 60_000;

/** Between two looks: soon after the first ones, later as seldom as nobody notices. What looks is work for this machine too. */
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;

/** Calls `look` until it returns something. */
export async function waitFor<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(1.2 * pause, LAST_PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await setTimeout(pause);
  }
}

interface Answered {
  readonly status: number;
}

/** Requests that are repeated while the store is too busy for them. */
export const patiently =
  <Args extends readonly unknown[], T extends Answered>(send: (...args: Args) => Promise<T>) =>
  (...args: Args) =>
    retryWhileBusy(() => send(...args));

/** Repeats a request while the store is too busy for it (503), as clients should. */
export async function retryWhileBusy<T extends Answered>(send: () => Promise<T>): Promise<T> {
  return await waitFor("a store that is not busy", async () => {
    const response = await send();
    return response.status === 503 ? undefined : response;
  });
}
