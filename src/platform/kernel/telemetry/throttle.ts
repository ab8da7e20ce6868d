// Reports frequent occurrences seldom: the first at once, later ones once per period with their number.

/** Returns a function that counts one occurrence. `report` gets the last one and the number since the last report. */
export function throttle<T>(everyMs: number, report: (last: T, count: number) => void): (one: T) => void {
  let count = 0;
  let last: T;
  let timer: NodeJS.Timeout | undefined;

  function reportCounted(): void {
    timer = undefined;
    if (count === 0) return;
    report(last, count);
    count = 0;
    timer = setTimeout(reportCounted, everyMs).unref();
  }

  return (one) => {
    last = one;
    count++;
    if (!timer) reportCounted();
  };
}

/** Bounds memory when the keys of occurrences vary without end. */
const MAX_KEYS = 100;

/** The same for each key by itself; beyond 100 keys the rest counts as one. */
export function throttleByKey<T>(
  everyMs: number,
  report: (last: T, count: number) => void,
): (key: string, one: T) => void {
  const throttles = new Map<string, (one: T) => void>();
  const others = throttle(everyMs, report);
  return (key, one) => {
    const known = throttles.get(key);
    if (known) return known(one);
    if (throttles.size >= MAX_KEYS) return others(one);
    const added = throttle(everyMs, report);
    throttles.set(key, added);
    return added(one);
  };
}
