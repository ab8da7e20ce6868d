// How long a session lasts, and how people recognise it.
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

/** A session that is not used for so long ends. */
export const IDLE_MS = 12 * HOUR_MS;
/** A session ends after this time at the latest. */
export const LIFETIME_MS = 7 * DAY_MS;
/** Sessions that an account has at a time; a further one ends the oldest. */
export const MAX_SESSIONS = 50;

/** When a session ends if it is not used again, ms. */
export function endOfSession({
  createdAt,
  activeAt,
}: {
  readonly createdAt: number;
  readonly activeAt: number;
}): number {
  return Math.min(createdAt + LIFETIME_MS, activeAt + IDLE_MS);
}

/** In this order: the user agents of most browsers name others too. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** A browser and its system in words, such as "Firefox on Linux". */
export function describeDevice(userAgent: string | null): string {
  const nameIn = (list: typeof BROWSERS) =>
    list.find(([pattern]) => userAgent !== null && pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return system ?? "Unknown device";
  return system === undefined ? browser : `${browser} on ${system}`;
}
