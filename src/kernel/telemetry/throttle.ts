// What happens often, and is to be told seldom: at once, and then once in a while with how often it has happened since.

/** Answers what counts one occurrence; `tell` hears the last one, and how many there were since it was last told. */
export function throttle<T>(everyMs: number, tell: (last: T, count: number) => void): (one: T) => void {
  let count = 0;
  let last: T;
  let timer: NodeJS.Timeout | undefined;

  function tellCounted(): void {
    timer = undefined;
    if (count === 0) return;
    tell(last, count);
    count = 0;
    timer = setTimeout(tellCounted, everyMs).unref();
  }

  return (one) => {
    last = one;
    count++;
    if (!timer) tellCounted();
  };
}
