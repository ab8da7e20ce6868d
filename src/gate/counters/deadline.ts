// A deadline for the answer of another process, which does not run while this one is busy with something else.

/** A timer that is later than this was held up by this process. */
const HELD_UP_MS = 10;
/** At most this much is given back. */
const MAX_EXTENSION_MS = 50;

/**
 * Calls `expire` at the deadline, a time of `performance.now()`, unless what it returns was called before. What has arrived by then
 * counts as in time, and a delay of this process itself extends the deadline once.
 */
export function setDeadline(deadline: number, expire: () => void): () => void {
  let isOver = false;
  let isExtended = false;
  let timer: NodeJS.Timeout;

  function finish(): void {
    if (isOver) return;
    isOver = true;
    expire();
  }

  function check(): void {
    const late = performance.now() - deadline;
    // Node.js counts from the time of the turn in which the timer was set, so it may be early.
    if (late < 0) {
      timer = setTimeout(check, -late);
    } else if (late > HELD_UP_MS && !isExtended) {
      isExtended = true;
      timer = setTimeout(check, Math.min(late, MAX_EXTENSION_MS));
    } else {
      // Timers come before what has been received.
      setImmediate(finish);
    }
  }

  timer = setTimeout(check, Math.max(0, deadline - performance.now()));
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
