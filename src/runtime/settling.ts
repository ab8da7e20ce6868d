// Gives back what starting took. Loading modules leaves sources, code that ran once and room for young objects behind, a
// fifth of the process's memory, and V8 keeps all of it for as long as the machine has more.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Nobody should wait for it, and who has something to do soon after the start needs what it takes away. */
const IDLE_MS = 2_000;

/** What V8 does when memory is short. It stops the thread for a tenth of a second. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * Collects this thread's garbage once, when nothing has been going on for two seconds or a little longer. Answers what to
 * call whenever something is.
 */
export function settleWhenIdle(): () => void {
  let isStirred = false;
  const watch = setInterval(() => {
    if (!isStirred) {
      clearInterval(watch);
      collectGarbage();
    }
    isStirred = false;
  }, IDLE_MS).unref();
  return () => (isStirred = true);
}
