// What the suite does not prove yet. These lists may only shrink: an entry that is no longer needed fails `npm test`.
import type { ErrorCode } from "../../src/kernel/errors.ts";

/** Errors that an endpoint declares and no test produces. */
export const NEVER_PRODUCED: Readonly<Record<string, readonly ErrorCode[]>> = {};
