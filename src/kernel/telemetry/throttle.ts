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
