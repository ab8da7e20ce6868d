// Windows of rate limits for tests whose gates have the machine's clock.

/** A length of windows, in seconds, of which the current one lasts for another half an hour: no test sees it end. */
export function roomyWindow(): number {
  const now = Date.now() / 1_000;
  for (let seconds = 3_600; ; seconds--) if (seconds - (now % seconds) > 1_800) return seconds;
}
