// Codes that no test produces yet, and endpoints whose handler decides differently from the declaration. These lists may only shrink: an
// entry that is no longer needed fails `npm test`.
import type { Decision } from "./access-oracle.ts";
import type { ErrorCode } from "../../src/platform/kernel/errors.ts";

/** Errors that an endpoint declares and no test produces. */
export const NEVER_PRODUCED: Readonly<Record<string, readonly ErrorCode[]>> = {};

interface Exception {
  readonly operation: string;
  /** Names of callers (callers.ts). */
  readonly who: RegExp;
  readonly decision: Decision;
  readonly reason: string;
}

/** Callers that a handler accepts, or refuses, unlike its declaration. */
export const OTHERWISE: readonly Exception[] = [
  {
    operation: "createToken",
    who: /token limited/,
    decision: 403,
    reason: "a limited token makes no tokens; the handler says so in words that the public command line knows",
  },
  {
    operation: "joinTeam",
    who: /OWNER with a key of OWNER|administrator with a key|VIEWER with a key/,
    decision: 403,
    reason: "a key never joins for its owner",
  },
];
