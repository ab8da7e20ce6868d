// Times as fields of a date and a time have them: in the browser's zone.

const MINUTE_MS = 60_000;

/** `2026-11-02T09:30`, or `2026-11-02T09:30:00`, of ms since the epoch. */
export function fieldTime(at: number, unit: "minute" | "second" = "minute"): string {
  const offset = new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(at - offset).toISOString().slice(0, unit === "minute" ? 16 : 19);
}

/** ms since the epoch; undefined: the field is empty, or an address has something else in its place. */
export function timeOfField(text: string): number | undefined {
  const at = new Date(text).getTime();
  return Number.isNaN(at) ? undefined : at;
}
