// What a schema says of a value in a request beside its type: the unit of a time or a duration, which errors repeat, and that a text of a
// query is a list.
import { fieldError } from "./errors.ts";
import type { ErrorCode } from "./errors.ts";

export const EPOCH_MS = { "x-unit": "ms since the epoch, such as 1767225600000" } as const;
export const MS = { "x-unit": "ms" } as const;
export const SECONDS = { "x-unit": "seconds" } as const;
export const DAYS = { "x-unit": "days" } as const;

/** Of a text in a query whose values are separated by commas: it may be repeated instead. */
export const COMMAS = { "x-list": "commas" } as const;

/** Whether a schema is that of a time. In a query it may be ISO 8601 too. */
export function isTime(schema: object): boolean {
  return (schema as { readonly "x-unit"?: string })["x-unit"] === EPOCH_MS["x-unit"];
}

/** Times in seconds from 1973 to 2286. As ms they are all in 1970, where nothing here is. */
const [FIRST_SECOND, LAST_SECOND] = [1e8, 1e10];

/** Whether a time was probably written in seconds. */
export function isInSeconds(time: number): boolean {
  return time >= FIRST_SECOND && time < LAST_SECOND;
}

/** What is wrong with a time in seconds, which would be accepted as one in 1970; null: nothing. */
export function secondsProblem(time: number): string | null {
  return isInSeconds(time) ? `expected ${EPOCH_MS["x-unit"]}, got seconds: send ${time * 1_000}` : null;
}

export function refuseSeconds(code: ErrorCode, field: string, time: number): void {
  const problem = secondsProblem(time);
  if (problem !== null) throw fieldError(code, field, problem);
}
