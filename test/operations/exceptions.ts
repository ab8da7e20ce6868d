// Codes that no test produces yet, and endpoints whose handler decides differently from the declaration. These lists may only shrink: an
// entry that is no longer needed fails `npm test`.
import type { Verdict } from "./access-oracle.ts";
import type { ErrorCode } from "../../src/kernel/errors.ts";

/** Errors that an endpoint declares and no test produces. */
export const NEVER_PRODUCED: Readonly<Record<string, readonly ErrorCode[]>> = {};

interface Exception {
  readonly operation: string;
  /** Names of callers (callers.ts). */
  readonly who: RegExp;
  readonly verdict: Verdict;
  readonly reason: string;
}

/** Callers that a handler accepts, or refuses, unlike its declaration. */
export const OTHERWISE: readonly Exception[] = [
  {
    operation: "createToken",
    who: /token limited/,
    verdict: 403,
    reason: "a limited token makes no tokens; the verb says so in words that the public command line knows",
  },
  {
    operation: "joinTeam",
    who: /OWNER with a key of OWNER|administrator with a key|VIEWER with a key/,
    verdict: 403,
    reason: "a key never joins for its owner",
  },
];
