// Reports frequent occurrences seldom: the first at once, later ones once per period with their number.

/** `lastAt`: when it happened, in ms since 1970. With a number greater than one that may be up to a period ago. */
type Report<T> = (last: T, count: number, lastAt: number) => void;

/** Returns a function that counts one occurrence. `onQuiet` is called when there was none for a period. */
export function throttle<T>(
  everyMs: number,
  report: Report<T>,
  onQuiet = () => undefined as unknown,
): (one: T) => void {
  let [count, lastAt] = [0, 0];
  let last: T;
  let timer: NodeJS.Timeout | undefined;

  function reportCounted(): void {
    timer = undefined;
    if (count === 0) return void onQuiet();
    report(last, count, lastAt);
    count = 0;
    timer = setTimeout(reportCounted, everyMs).unref();
  }

  return (one) => {
    last = one;
    lastAt = Date.now();
    count++;
    if (!timer) reportCounted();
  };
}

/** Bounds memory when causes vary without end. */
const MAX_CAUSES = 100;

/**
 * The same for each cause by itself, so that a new one is reported at once. Numbers in it, such as process ids, differ from one occurrence
 * to the next. Beyond 100 causes in a period the rest counts as one.
 */
export function throttleByCause<T>(everyMs: number, report: Report<T>): (cause: string, one: T) => void {
  const throttles = new Map<string, (one: T) => void>();
  const others = throttle(everyMs, report);
  return (cause, one) => {
    const key = cause.replace(/\d+/g, "0");
    const known = throttles.get(key);
    if (known) return known(one);
    if (throttles.size >= MAX_CAUSES) return others(one);
    const added = throttle(everyMs, report, () => throttles.delete(key));
    throttles.set(key, added);
    return added(one);
  };
}
