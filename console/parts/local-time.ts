// Times as fields of a date and a time have them: in the browser's zone, to the minute.

const MINUTE_MS = 60_000;

/** `2026-11-02T09:30` of ms since the epoch. */
export function fieldTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * MINUTE_MS;
  return new Date(at - offset).toISOString().slice(0, "2026-11-02T09:30".length);
}

/** ms since the epoch; undefined: the field is empty. */
export function timeOfField(text: string): number | undefined {
  return text === "" ? undefined : new Date(text).getTime();
}
