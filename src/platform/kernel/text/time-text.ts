// Times as people read them. In UTC, because the server does not know where its reader is.

/** Shorter waits are in seconds. */
const LONGEST_IN_SECONDS = 90;

/** To the minute, such as `2030-01-02 03:04 UTC`. */
export function formatUtc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A time to wait, never too short, such as `8 s` or `15 minutes`. */
export function formatWait(seconds: number): string {
  return seconds <= LONGEST_IN_SECONDS ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
}
